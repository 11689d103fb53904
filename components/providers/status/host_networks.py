"""Networks of nodes, as NMState's handlers report them, compared with the plan."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.node_network import Row, UnresolvedError, behind, resolutions, shown
from podwright.components.providers.status.snapshot import Snapshot

ANEW = "what is under br-ex changes when its host is installed anew"


def off_plan(
    snapshot: Snapshot, node: str, wanted: Sequence[Row], macs: Mapping[str, str], installed: Sequence[Row]
) -> Iterator[str]:
    """A phrase for each interface of a node that is not as planned: `wanted` ones, and the frontend's bond of
    `installed`, which is everything that its host would be installed with today."""
    live = shown(snapshot.named("NodeNetworkState", node) or {})
    if not live:
        if not snapshot.unseen("NodeNetworkState"):
            yield f"{node} reports no network: NMState's handler does not run there"
        return
    ours: set[str] = set()
    problems: dict[str, None] = {}
    for _, real in resolutions(node, wanted, macs, live):
        if isinstance(real, UnresolvedError):
            problems[str(real)] = None
            continue
        ours.add(str(real["name"]))
        problems |= dict.fromkeys(f"{node}: {phrase}" for phrase in behind([real], live))
    yield from problems
    brought = {str(row["name"]) for row in wanted}
    bond = next((row for row in installed if row["type"] == "bond" and row["name"] not in brought), None)
    vlans = [row for row in wanted if row["type"] == "vlan" and bond and row["vlan"]["base-iface"] == bond["name"]]
    if bond is not None and not vlans and bond["name"] not in live:
        yield f"{node} has no {bond['name']}; {ANEW}"
    yield from _bundle(node, bond, live)
    planned = {str(row["name"]) for row in installed} | ours
    bases = {str(row["vlan"]["base-iface"]) for row in installed if row["type"] == "vlan"}
    bases |= {str(row["name"]) for row in installed if row["type"] == "bond"}
    for name, each in live.items():
        base = str((each.get("vlan") or {}).get("base-iface", ""))
        if each.get("type") == "vlan" and base in bases and name not in planned:
            yield f"{node} has {name} besides, which the file does not bring it"


def _bundle(node: str, bond: Row | None, live: Mapping[str, Row]) -> Iterator[str]:
    found: Mapping[str, Any] = live.get(str(bond["name"]), {}) if bond is not None else {}
    if bond is None or not found:
        return
    mode, planned = (each.get("link-aggregation", {}).get("mode") for each in (found, bond))
    if mode != planned:
        yield f"{node}: {bond['name']} is {mode}, not {planned}; {ANEW}"
    if found.get("mtu") != bond.get("mtu"):
        yield f"{node}: {bond['name']} has an MTU of {found.get('mtu')}, not {bond.get('mtu')}; {ANEW}"
