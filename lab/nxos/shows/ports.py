"""What a port can do, what SNMP calls it, and its counters one by one."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.breakout import gbps
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.links import short
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.interfaces import RULE, selected
from podwright.lab.nxos.shows.optics import pluggable
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank

FRAME = 4178
"""Bytes of a frame, of which the world's counters know the sum."""


def ifindex(name: str) -> int:
    """The index of an interface in IF-MIB, by its kind and number."""
    if name.startswith("Ethernet"):
        slot, port, *lane = (int(part) for part in name.removeprefix("Ethernet").partition(".")[0].split("/"))
        return 0x1A000000 + ((slot - 1) << 19) + ((port - 1) << 12) + sum(lane)
    number = int("".join(c for c in name.partition(".")[0] if c.isdigit()))
    bases = {"port-channel": 0x16000000 - 1, "loopback": 0x14000000, "Vlan": 0x9010000, "nve": 0x49000000 - 1}
    return 0x5000000 if name.startswith("mgmt") else number + bases[name.rstrip("0123456789")]


def show_snmp_ifindex(session: Session, found: Found) -> Output:
    """The index of each interface."""
    text, data = f"\n{RULE}Port             IFMIB Ifindex (hex)\n{RULE}", []
    for name in selected(session, found):
        number = ifindex(name)
        text += f"{short(name):<15} {number:<11} ({hex(number):<10})\n"
        data.append({"interface": name, "snmp-ifindex": str(number)})
    return Output(text, rows("interface", data))


def show_err_disabled(_: Session, __: Found) -> Output:
    """Ports that the switch itself shut down: what does so is not modelled."""
    return Output(f"\n{RULE}Port         Name               Status             Reason\n{RULE}")


def show_capabilities(session: Session, found: Found) -> Output:
    """What the ports and the pluggables in them can do."""
    device, text = session.device, ""
    for name in selected(session, found, "Ethernet"):
        most, optic = gbps(device, name), pluggable(device, name)
        speeds = ",".join(str(n * 1000) for n in (10, 25, 40, 50, 100, 200, 400) if n <= most)
        routed = device.routed(name, device.interface(name) or Node(""))
        text += f"""{name}
  Model:                 {device.switch.model}
  Type (SFP capable):    {optic.kind if optic else "unknown"}
  Speed:                 {speeds},auto
  Duplex:                full
  Trunk encap. type:     802.1Q
  Dot1Q-tunnel mode:     yes
  Channel:               yes
  Broadcast suppression: percentage(0-100)
  Flowcontrol:           rx-(off/on/desired),tx-(off/on/desired)
  Rate mode:             dedicated
  Port mode:             {"Routed" if routed else "Switched"}
  QOS scheduling:        rx-(none),tx-(4q)
  CoS rewrite:           yes
  ToS rewrite:           yes
  SPAN:                  yes
  UDLD:                  yes
  MDIX:                  no
  TDR capable:           no
  Link Debounce:         yes
  Link Debounce Time:    yes
  FEX Fabric:            no
  Pvlan Trunk capable:   yes
  Port Group Members:    none
  EEE (efficient-eth):   no
  PFC capable:           yes
  Breakout capable:      {"yes" if most >= 40 else "no"}

""".replace("Dot1Q", "dot1Q")
    return Output(text)


def show_counters_detailed(session: Session, found: Found) -> Output:
    """Every counter of the ports that has counted something."""
    device, text, data = session.device, "", []
    for name in sorted(selected(session, found, "Ethernet"), key=interface_rank):
        fields = counted(device, name)
        counting = [(label, fields[key]) for label, key in _LABELS if fields[key] != "0"]
        text += f"\n{name}\n" + ("  64 bit counters:\n" if counting else "")
        text += "".join(f"{number:>2}. {label:>23} = {value}\n" for number, (label, value) in enumerate(counting))
        data.append({"interface": name, **fields})
    return Output(text, rows("interface", data))


_LABELS = (
    ("rxHCTotalPkts", "eth_inucast"), ("txHCTotalPks", "eth_outucast"), ("rxHCUnicastPkts", "eth_inucast"),
    ("txHCUnicastPkts", "eth_outucast"), ("rxHCOctets", "eth_inbytes"), ("txHCOctets", "eth_outbytes"),
    ("InErrors", "eth_inerr"), ("OutDiscards", "eth_outdiscard"), ("rxPause", "eth_inpause"),
    ("txPause", "eth_outpause"),
)  # fmt: skip


def counted(device: Device, name: str) -> dict[str, str]:
    """The world's counters of a port, by the names of the structured output."""
    row = device.world.counters[device.switch.name, name]
    return {
        "eth_inbytes": str(row["rx_bytes"]), "eth_outbytes": str(row["tx_bytes"]),
        "eth_inucast": str(row["rx_bytes"] // FRAME), "eth_outucast": str(row["tx_bytes"] // FRAME),
        "eth_inmcast": "0", "eth_outmcast": "0", "eth_inbcast": "0", "eth_outbcast": "0",
        "eth_inerr": str(row["crc"]), "eth_outerr": "0", "eth_indiscard": "0", "eth_outdiscard": str(row["drops"]),
        "eth_inpause": str(row["rx_pause"]), "eth_outpause": str(row["tx_pause"]),
    }  # fmt: skip


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f for f in (show_snmp_ifindex, show_err_disabled, show_capabilities, show_counters_detailed)
}
