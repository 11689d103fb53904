"""Pluggables: what they say they are, and what their lanes measure. Light follows cables and faults."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import selected
from podwright.lab.nxos.table import Found

DARK = -40.0
"""dBm of a receiver that sees nothing."""
LOW_ALARM, LOW_WARNING = -9.91, -5.90


@dataclass(frozen=True)
class Pluggable:
    """One product: the lab racks the same one in every cage of a speed."""

    kind: str
    product: str
    vendor: str
    part: str
    cisco_part: str
    bitrate: str
    lanes: int
    reach: str


PLUGGABLES = {
    400: Pluggable("QSFP-DD-400G-DR4", "QDD-400G-DR4-S", "CISCO-INNOLIGHT", "T-DP4CNH-NCI", "10-3320-01",
                   "425000 MBit/sec per channel", 4, "SMF is 0.5 km"),
    100: Pluggable("QSFP-100G-SR4", "QSFP-100G-SR4-S", "CISCO-FINISAR", "FTLC9551REPM-C1", "10-3142-02",
                   "25500 MBit/sec per channel", 4, "supported for 50/125um OM4 fiber is 100 m"),
    25: Pluggable("SFP-25GBASE-SR", "SFP-25G-SR-S", "CISCO-FINISAR", "FTLF8536P4BCL-C1", "10-3090-01",
                  "25500 MBit/sec", 1, "supported for 50/125um OM4 fiber is 100 m"),
    10: Pluggable("10Gbase-SR", "SFP-10G-SR", "CISCO-FINISAR", "FTLX8571D3BCL-C2", "10-2415-03",
                  "10300 MBit/sec", 1, "supported for 50/125um OM3 fiber is 300 m"),
}  # fmt: skip
_HEAD = """
    ----------------------------------------------------------------------------
                Current              Alarms                  Warnings
                Measurement     High        Low         High          Low
    ----------------------------------------------------------------------------
"""
_TAIL = """    Transmit Fault Count = 0
    ----------------------------------------------------------------------------
    Note: ++  high-alarm; +  high-warning; --  low-alarm; -  low-warning
"""


def pluggable(device: Device, name: str) -> Pluggable | None:
    """What sits in a cage: something as soon as a cable ends there."""
    if not name.startswith("Ethernet") or device.world.cable_at(device.switch.name, name) is None:
        return None
    return PLUGGABLES.get(device.hardware.ports[int(name.split("/")[1])])


def _spread(device: Device, name: str, lane: int, what: str) -> float:
    """A number between 0 and 1 that stays with this lane."""
    return zlib.crc32(f"{device.switch.serial}{name}{lane}{what}".encode()) % 1000 / 1000


def sent(device: Device, name: str, lane: int) -> float:
    """Transmitted power in dBm: none from a port that is shut or whose laser a fault has put out."""
    lit = device.world.end_up(device.switch.name, name)
    return round(1.0 + _spread(device, name, lane, "tx"), 2) if lit else DARK


def received(device: Device, name: str, lane: int) -> float:
    """Received power in dBm: none while the far end is dark, low behind a damaged optic at either end.

    One damaged frame in a million is -7 dBm, a warning; one in a thousand -10 dBm, an alarm.
    """
    world, own = device.world, (device.switch.name, name)
    far = world.neighbor(*own)
    if far is None or not world.end_up(*far):
        return DARK
    power = -0.5 + _spread(device, name, lane, "rx")
    loss = max(world.bad_optics.get(own, 0.0), world.bad_optics.get(far, 0.0))
    if loss:
        power = -13.0 - math.log10(max(loss, 1e-6))
    return round(power, 2)


def _measured(value: float) -> str:
    flag = "--" if value < LOW_ALARM else "-" if value < LOW_WARNING else ""
    return f"{value:>8.2f} dBm {flag:<3}"


def _lane(device: Device, name: str, lane: int, lanes: int) -> tuple[str, dict[str, str]]:
    heat, volts = 30 + 12 * _spread(device, name, 0, "heat"), 3.25 + _spread(device, name, 0, "volts") / 10
    amps = 60 + 10 * _spread(device, name, lane, "amps")
    tx, rx = sent(device, name, lane), received(device, name, lane)
    text = f"\nLane Number:{lane} Network Lane" if lanes > 1 else ""
    text += f"""{_HEAD}    Temperature  {heat:.2f} C        80.00 C     -5.00 C     75.00 C        0.00 C
    Voltage       {volts:.2f} V         3.63 V      2.97 V      3.46 V        3.13 V
    Current      {amps:.2f} mA      120.00 mA    20.00 mA   110.00 mA      30.00 mA
    Tx Power    {_measured(tx)}   6.99 dBm   -6.90 dBm    3.99 dBm     -2.90 dBm
    Rx Power    {_measured(rx)}   6.99 dBm   -9.91 dBm    3.99 dBm     -5.90 dBm
{_TAIL}"""
    return text, {
        "lane_number": str(lane), "temperature": f"{heat:.2f}", "voltage": f"{volts:.2f}", "current": f"{amps:.2f}",
        "tx_pwr": f"{tx:.2f}", "rx_pwr": f"{rx:.2f}", "xmit_faults": "0",
        "rx_pwr_alrm_lo": f"{LOW_ALARM}", "rx_pwr_warn_lo": f"{LOW_WARNING:.2f}",
    }  # fmt: skip


def show_transceiver(session: Session, found: Found) -> Output:
    """Pluggables; with `details` the measurements of every lane."""
    device, text = session.device, ""
    data: list[dict[str, object]] = []
    for name in selected(session, found, "Ethernet"):
        this = pluggable(device, name)
        if this is None:
            text += f"{name}\n    transceiver is not present\n\n"
            data.append({"interface": name, "sfp": "not present"})
            continue
        serial = f"INL{zlib.crc32(f'{device.switch.serial}{name}'.encode()) % 10**8:08}"
        text += f"""{name}
    transceiver is present
    type is {this.kind}
    name is {this.vendor}
    part number is {this.part}
    revision is 2B
    serial number is {serial}
    nominal bitrate is {this.bitrate}
    Link length {this.reach}
    cisco id is 24
    cisco part number is {this.cisco_part}
    cisco product id is {this.product}
    cisco version id is V01
"""
        row: dict[str, object] = {
            "interface": name, "sfp": "present", "type": this.kind, "name": this.vendor, "partnum": this.part,
            "rev": "2B", "serialnum": serial, "nom_bitrate": this.bitrate.split()[0],
            "cisco_part_number": this.cisco_part, "cisco_product_id": this.product,
        }  # fmt: skip
        if found.match.words[-1] == "details":
            lanes = [_lane(device, name, lane, this.lanes) for lane in range(1, this.lanes + 1)]
            text += "".join(part for part, _ in lanes)
            row |= rows("lane", [fields for _, fields in lanes])
        text += "\n"
        data.append(row)
    return Output(text, rows("interface", data))


SHOWS = {"show_transceiver": show_transceiver}
