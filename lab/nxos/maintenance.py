"""Graceful removal and insertion: the profile that is generated or written, what it applies, and its timer.

System management guide, "Configuring Graceful Insertion and Removal".
"""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import MAINTENANCE, Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node


def generated(device: Device, enter: bool, shut: bool, ports: str) -> list[str]:
    """The lines that the system finds for itself: protocols isolated (or shut), vPC down; and the way back.

    `ports` are those that go down with `shutdown`, as a comma list.
    """
    no = "" if enter else "no "
    blocks = [[node.line, f"  {no}{'shutdown' if shut else 'isolate'}"]
              for kind in ("router bgp", "router ospf") for node in device.root.begin(kind)]  # fmt: skip
    blocks += [[node.line, f"  {no}shutdown"] for node in device.root.begin("vpc domain")]
    blocks += [[f"interface {ports}", f"  {no}shutdown"]] if shut and ports else []
    return [line for block in (blocks if enter else reversed(blocks)) for line in block]


def _enabled(device: Device) -> str:
    """Front-panel ports that are not shut down."""
    blocks = device.interfaces("Ethernet").items()
    return ",".join(name for name, block in blocks if device.admin_up(name, block))


def _profile(change: Change) -> list[str]:
    """What the line will apply. The way back is that of the way in."""
    device, enter, words = change.device, not change.negate, change.found.match.words
    if "dont-generate-profile" in words:
        written = device.root.get(f"configure maintenance profile {'maintenance' if enter else 'normal'}-mode")
        if written is None:
            raise RefusedError("ERROR: the maintenance profile is not configured")
        return [node.line for node in written.children.values()]
    if enter:
        return generated(device, True, "shutdown" in words, _enabled(device))
    return _back(device, device.root.children[MAINTENANCE])


def question(change: Change) -> str:
    """What will be applied, and whether one is sure."""
    if change.device.in_maintenance is not change.negate:
        return ""
    lines = _profile(change)
    text = "".join(f"{line}\n" for line in lines)
    return f"\nFollowing configuration will be applied:\n\n{text}\nDo you want to continue (yes/no)? [no] "


def mode(change: Change) -> list[Node]:
    """Enter or leave maintenance mode: type the profile, then remember."""
    device, enter = change.device, not change.negate
    if device.in_maintenance is enter:
        raise RefusedError(f"ERROR: system is already in {'maintenance' if enter else 'normal'} mode")
    lines, ports = _profile(change), _enabled(device)
    change.answer = "\nGenerating a snapshot before going into maintenance mode\n" if enter else ""
    change.answer += "\nStarting to apply commands...\n\n" + apply(device, lines)
    change.answer += "\nMaintenance mode operation successful.\n"
    if enter:
        node = change.store(MAINTENANCE)
        node.values |= {"entered": str(device.clock.now()), "how": change.found.match.words[-1], "ports": ports}
    else:
        change.drop()
    return []


def apply(device: Device, lines: list[str]) -> str:
    """Type the lines of a profile; a line that is refused does not stop the others."""
    session, output = Session(device, user=device.typist, quiet=True, dont_ask=True), ""
    session.configure()
    for line in lines:
        output += f"Applying : {line}\n" + session.type(line)
    return output


def expire(device: Device) -> None:
    """When the timer runs out the switch goes back to normal mode by itself."""
    node, minutes = device.root.get(MAINTENANCE), timeout(device)
    if node is None or not minutes or device.clock.now() < float(node.values["entered"]) + minutes * 60:
        return
    apply(device, _back(device, node))
    device.root.children.pop(MAINTENANCE, None)


def _back(device: Device, node: Node) -> list[str]:
    """The way back from how maintenance mode was entered; a written profile wins when one was used on the way in."""
    written = device.root.get("configure maintenance profile normal-mode")
    if node.values["how"] == "dont-generate-profile" and written is not None:
        return [child.line for child in written.children.values()]
    return generated(device, False, node.values["how"] == "shutdown", node.values["ports"])


def timeout(device: Device) -> int:
    """Minutes that the switch stays in maintenance mode; 0 for no timer."""
    return int(device.root.value("system mode maintenance timeout", "minutes", "0"))


def edit_profile(session: Session, found: Found) -> Output:
    """Write a profile: its lines are kept as typed until `exit` or `end`."""
    session.configure()
    return Output(session.type(found.match.line))


def show_mode(session: Session, _: Found) -> Output:
    """Normal or maintenance, and what is left of the timer."""
    device, node = session.device, session.device.root.get(MAINTENANCE)
    if node is None:
        return Output("System Mode: Normal\n", {"mode": "Normal"})
    left, minutes = "not running", timeout(device)
    if minutes:
        seconds = float(node.values["entered"]) + minutes * 60 - device.clock.now()
        left = f"{max(0, int(seconds // 60))} minutes {max(0, int(seconds % 60))} seconds remaining"
    return Output(f"System Mode: Maintenance\nMaintenance Mode Timer: {left}\n", {"mode": "Maintenance"})


def show_timeout(session: Session, _: Found) -> Output:
    """The timer as configured."""
    return Output(f"Maintenance mode timeout value: {timeout(session.device)} minutes\n")


def show_profile(session: Session, _: Found) -> Output:
    """Both profiles as written."""
    text = ""
    for name in ("normal-mode", "maintenance-mode"):
        text += f"[{name.split('-')[0].capitalize()} Mode]\n"
        node = session.device.root.get(f"configure maintenance profile {name}")
        text += "".join(f"{child.line}\n" for child in node.children.values()) if node else ""
        text += "\n"
    return Output(text)


EFFECTS: dict[str, Callable[[Change], list[Node]]] = {"maintenance": mode}
"""Name in the command table to function."""
QUESTIONS: dict[str, Callable[[Change], str]] = {"maintenance": question}
"""Name in the command table to function."""
SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    "edit_profile": edit_profile, "show_mode": show_mode, "show_timeout": show_timeout, "show_profile": show_profile,
}  # fmt: skip
