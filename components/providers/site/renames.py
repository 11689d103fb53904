"""Devices that have another name than in the state: renamed in place where the program says so, refused otherwise.

To the engine a new name is a creation and a deletion, and both would reach the same device. Nothing but the world's
spec holds all devices of a stack side by side, as they were and as they are to be, and a preview checks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from podwright.components.providers.protocol.kind import Failure, Values

Device = Mapping[str, Any]

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "switches": {"management": "the management address", "serial": "the serial number"},
    "servers": {"serial": "the serial number", "bmc": "the BMC address"},
    "domains": {"A": "interconnect A's serial number", "B": "interconnect B's serial number"},
}
"""By section of a world's spec, what only one device has, and how a person calls it."""
_FIXED: Final = ("domains",)
"""Sections whose devices keep their names: theirs are in the names of all their policies."""


def unannounced(old: Values, new: Values) -> Iterator[Failure]:
    """One Failure for each device of the new spec that the old one has under a name other than `renamed_from`."""
    yield from _renamed_nodes(old.get("servers") or {}, new.get("servers") or {})
    for section, words in SECTIONS.items():
        before: Mapping[str, Device] = old.get(section) or {}
        after: Mapping[str, Device] = new.get(section) or {}
        owners = {(key, each[key]): name for name, each in before.items() for key in words if each.get(key)}
        for name, device in after.items():
            for key, what in words.items():
                former = owners.get((key, device.get(key)), name)
                if former == name or (former == device.get("renamed_from") and name not in before):
                    continue
                way_out = _way_out(former, name, after, may=section not in _FIXED)
                sentence = f"{what} {device[key]} is that of {former} in this stack's state; {way_out}"
                yield Failure(("spec", section, name, key), sentence)
                break


def _renamed_nodes(before: Mapping[str, Device], after: Mapping[str, Device]) -> Iterator[Failure]:
    """A node's name is its identity: a server that is renamed keeps the name of its node."""
    for name, device in after.items():
        known = before.get(name) or before.get(device.get("renamed_from", "")) or {}
        node, now = known.get("node"), device.get("node")
        if node and now and node != now and known.get("serial") == device.get("serial"):
            sentence = (
                f"its Node is {node}, and a Node's name cannot change: write `object_name: {node}` in the entry; for a "
                f"node of another name, take the server out in one update and add it in the next"
            )
            yield Failure(("spec", "servers", name, "node"), sentence)


def _way_out(former: str, name: str, after: Mapping[str, Device], *, may: bool) -> str:
    if former in after:
        return f"{former} keeps its name: let it give that up in one update, and {name} take it in the next"
    rename = f"write `renamed_from: {former}` in the entry {name} and it is renamed in place"
    return (
        f"if it is the same device, {rename if may else f'give the entry the name {former} again'}; to clear it and "
        f"begin anew, leave {former} out in one update and add {name} in the next"
    )
