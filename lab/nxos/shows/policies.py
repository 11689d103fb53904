"""Policies of routing as configured: route-maps, prefix lists, static routes; lists that the lab does not take."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows.vrfs import meant
from podwright.lab.nxos.static import standing
from podwright.lab.nxos.table import Found


def show_route_map(session: Session, found: Found) -> Output:
    """Route-maps with what they match and set."""
    wanted, text = found.match.values.get("name"), ""
    entries = sorted(session.device.root.begin("route-map"), key=lambda n: (n.values["name"], int(n.values["seq"])))
    for node in entries:
        if wanted not in (None, node.values["name"]):
            continue
        text += f"route-map {node.values['name']}, {node.line.split()[2]}, sequence {node.values['seq']}\n"
        lines = [child.line for child in node.children.values()]
        for word, label in (("match ", "Match"), ("set ", "Set")):
            text += f"  {label} clauses:\n"
            text += "".join(f"    {line.removeprefix(word)}\n" for line in lines if line.startswith(word))
    return Output(text)


def show_prefix_list(session: Session, found: Found) -> Output:
    """Prefix lists, entry by entry."""
    wanted = found.match.values.get("name")
    lists: dict[str, list[tuple[int, str]]] = {}
    for node in session.device.root.begin("ip prefix-list"):
        if "seq" in node.values and wanted in (None, node.values["name"]):
            rule = node.line.partition(f" seq {node.values['seq']} ")[2]
            lists.setdefault(node.values["name"], []).append((int(node.values["seq"]), rule))
    text = ""
    for name, entries in sorted(lists.items()):
        text += f"ip prefix-list {name}: {len(entries)} entries\n"
        text += "".join(f"   seq {number} {rule}\n" for number, rule in sorted(entries))
    return Output(text)


def show_static(session: Session, found: Found) -> Output:
    """Static routes that stand."""
    text = ""
    for number, vrf in meant(session.device, found):
        text += f'Static-route for VRF "{vrf}"({number})\nIPv4 Unicast Static Routes:\n\n'
        for route in standing(session.device, vrf):
            text += f"  {route.prefix}, configured nh: {route.hop or route.port}/32\n    (installed in urib)\n"
        text += "\n"
    return Output(text)


def show_nothing(_: Session, __: Found) -> Output:
    """What is listed here cannot be configured in the lab: the list is empty."""
    return Output("")


SHOWS: dict[str, Callable[[Session, Found], Output]] = {
    f.__name__: f for f in (show_route_map, show_prefix_list, show_static, show_nothing)
}
