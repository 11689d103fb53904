"""VRFs, and which interface is in which."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output, rows
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node, interface_rank


def names(device: Device) -> list[str]:
    """The VRFs of a switch, in the order of their numbers from 1."""
    named = [node.values["name"] for node in device.root.begin("vrf context")]
    return ["default", "management", *sorted(set(named) - {"management"})]


def meant(device: Device, found: Found) -> list[tuple[int, str]]:
    """Number and name of the VRFs that a command asks for: one, `all`, or the default one."""
    wanted = found.match.values.get("vrf", "default")
    return [(n, name) for n, name in enumerate(names(device), 1) if wanted in ("all", name)]


def _down(device: Device, name: str) -> bool:
    return (device.root.get(f"vrf context {name}") or Node("")).state("shutdown", False)


def show_vrf(session: Session, _: Found) -> Output:
    """VRFs by name."""
    text, data = "VRF-Name                           VRF-ID State   Reason\n", []
    for number, name in enumerate(names(session.device), 1):
        down = _down(session.device, name)
        text += f"{name:<34} {number:>6} {'Down' if down else 'Up':<7} {'Admin Down' if down else '--'}\n"
        data.append({"vrf_name": name, "vrf_id": str(number), "vrf_state": "Down" if down else "Up"})
    return Output(text, rows("vrf", data))


def show_vrf_interface(session: Session, _: Found) -> Output:
    """Which interface is in which VRF."""
    device, ids = session.device, {name: n for n, name in enumerate(names(session.device), 1)}
    text, data = "Interface                 VRF-Name                        VRF-ID  Site-of-Origin\n", []
    for name in sorted(device.interfaces(), key=interface_rank):
        block = device.interface(name) or Node("")
        if not device.routed(name, block) or name.startswith("nve"):
            continue
        vrf = block.value("vrf member", "vrf", "default")
        text += f"{name:<25} {vrf:<31} {ids.get(vrf, '--'):>6}  --\n"
        data.append({"if_name": name, "vrf_name": vrf, "vrf_id": str(ids.get(vrf, "--"))})
    return Output(text, rows("if", data))


def show_vrf_detail(session: Session, found: Found) -> Output:
    """VRFs with their route distinguishers and tables."""
    device, text, data = session.device, "", []
    wanted = found.match.values.get("vrf")
    for number, name in enumerate(names(device), 1):
        if wanted not in (None, name):
            continue
        block, state = device.root.get(f"vrf context {name}") or Node(""), "Down" if _down(device, name) else "Up"
        rd = block.get("rd").line.removeprefix("rd ") if block.get("rd") else "0:0"  # type: ignore[union-attr]
        text += f"""VRF-Name: {name}, VRF-ID: {number}, State: {state}
    VPNID: unknown
    RD: {rd}
    Max Routes: 0  Mid-Threshold: 0
    Table-ID: 0x{0x80000000 + number:08x}, AF: IPv6, Fwd-ID: 0x{0x80000000 + number:08x}, State: {state}
    Table-ID: 0x{number:08x}, AF: IPv4, Fwd-ID: 0x{number:08x}, State: {state}

"""
        data.append({"vrf_name": name, "vrf_id": str(number), "vrf_state": state, "rd": rd})
    return Output(text, rows("vrf", data))


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f for f in (show_vrf, show_vrf_interface, show_vrf_detail)
}
