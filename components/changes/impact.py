"""What lies between two specs of one resource: the rows that apply, with the ports, GPUs and nodes that feel it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from podwright.components.changes.disruption import Disruption, PropertyRow
from podwright.components.changes.platform import LAYOUT
from podwright.components.changes.property_changes import property_changes
from podwright.components.changes.row import ChangeClass, LineRow, Row, Scope
from podwright.components.changes.section import Path, cage_of, in_cage, paths, ports
from podwright.components.changes.table import DELETIONS, line_row, property_row

Spec = Mapping[str, Any]
Gpu = tuple[str, int]
"""A server, and the number of the GPU there."""

_POLICIES: Final = ("podwright:intersight:Policy", "podwright:intersight:Pool")
_ROLLOUT: Final = "podwright:openshift:Rollout"
_PARTS: Final = ("properties", "references", "children")
OF_SERVERS: Final[Mapping[Disruption, tuple[ChangeClass, str]]] = {
    Disruption.NONE: (ChangeClass.LIVE, ""),
    Disruption.FLAP: (ChangeClass.DISRUPTIVE, "lose a link for a moment"),
    # It waits for the roll-out, which is classed by itself.
    Disruption.REBOOT: (ChangeClass.LIVE, "restart in their pool's roll-out"),
    Disruption.WIPE: (ChangeClass.REPLACED, "lose data"),
}
"""Class of a policy's own change, and what its servers do."""
_RESTART: Final = "restart one after the other"
"""What a pair does whose policy needs a restart; what else it feels is the class of its profile's digest."""
_PART: Final = "\0"
_RAIL: Final = re.compile(r"^rail(\d+)$")
_TRIGGERS: Final = ("trigger", "nic_trigger")
NOT_ON: Final = " not on "
"""In a trigger that a refresh read, between what was asked and the nodes that do not have it."""
_NAMES: Final = ("hostname", "name", "pool", "cluster", "subscription", "job")
"""Keys under which a spec holds the name of what it stands for."""


@dataclass(frozen=True)
class Impact:
    """One row of the table that a change of one resource falls under."""

    token: str
    device: str
    """Switch, server, profile, pool or cluster."""
    row: Row
    change_class: ChangeClass
    properties: tuple[str, ...]
    """What changed: keys of the spec, or lines of the configuration, `section / line`."""
    links: Mapping[str, Mapping[str, str]]
    """Cabled ports that feel it, with what each is cabled to."""
    nodes: tuple[str, ...] = ()
    """Nodes or servers that feel it."""

    @property
    def gpus(self) -> frozenset[Gpu]:
        """GPUs whose own NIC is behind the ports: rail n of a server is the NIC of its GPU n."""
        return gpus(self.links)


def gpus(links: Mapping[str, Mapping[str, str]]) -> frozenset[Gpu]:
    """GPUs whose NIC is cabled to one of these ports."""
    ends = ((end["device"], _RAIL.match(end["port"])) for end in links.values() if end["role"] == "host")
    return frozenset((device, int(rail[1])) for device, rail in ends if rail)


def impacts(token: str, old: Spec | None, new: Spec | None) -> tuple[Impact, ...]:
    """Rows between two specs, the worst first. `old` None: it is made, which touches nothing that runs."""
    if old is None or (row := DELETIONS.get(token)) is None:
        return ()
    if new is None:
        return (Impact(token, _name(old), row, row.change, (), _scoped(row, set(), old, {}), _nodes(row, old, {})),)
    found = [*_properties(token, old, new), *(_lines(token, old, new) if "config" in new else ())]
    found += _policy(token, old, new) if token in _POLICIES else ()
    found += _divided(token, old, new) if token == _ROLLOUT else ()
    if any(each.change_class is ChangeClass.REPLACED for each in found):
        # What is made again takes every value.
        found = [each for each in found if each.change_class is not ChangeClass.REFUSED]
    return tuple(sorted(found, key=lambda each: -each.change_class))


def _properties(token: str, old: Spec, new: Spec) -> Iterator[Impact]:
    for name in {**old, **new}:
        row = property_row(token, name)
        if row is None or name == "config" or _same(old.get(name), new.get(name)):
            continue
        if token in _POLICIES and name in _PARTS:
            continue  # property by property below
        if row.beside and old.get(row.beside) == new.get(row.beside):
            continue
        if row.scope == "nodes" and name not in _TRIGGERS:
            before, after = _members(old.get(name), new.get(name)), _members(new.get(name), old.get(name))
            kind = row.of(removed=bool(before - after), added=bool(after - before))
            kind = kind if before != after else ChangeClass.PROGRAM_ONLY
            touched = tuple(sorted({each.partition(_PART)[0] for each in before - after or after - before}))
        else:
            kind, touched = row.of(removed=name in old, added=name in new), _triggered(row, old, new)
        if row.staged and new.get("action") == "stage":
            kind = ChangeClass.LIVE
        yield Impact(token, _name(new), row, kind, (name,), _scoped(row, set(), old, new), touched)


def _divided(token: str, old: Spec, new: Spec) -> Iterator[Impact]:
    """Nodes of a roll-out whose GPUs take another MIG layout."""
    before, after = _layouts(old), _layouts(new)
    moved = tuple(sorted(name for name in before.keys() & after.keys() if before[name] != after[name]))
    if moved:
        yield Impact(token, _name(new), LAYOUT, LAYOUT.change, ("nodes.mig.layout",), {}, moved)


def _layouts(spec: Spec) -> dict[str, str]:
    nodes = (each for each in spec.get("nodes") or () if isinstance(each, Mapping) and each.get("mig"))
    return {str(each["name"]): str(each["mig"]["layout"]) for each in nodes}


def _policy(token: str, old: Spec, new: Spec) -> Iterator[Impact]:
    """One for each row of the table of Intersight properties that lies between two specs of a policy or pool."""
    groups: dict[tuple[str, PropertyRow], list[str]] = {}
    for each in property_changes(old, new):
        groups.setdefault((each.part, replace(each.row, name="", object_type="")), []).append(each.name)
    for (part, found), names in groups.items():
        kind, verb, scope = _felt(found)
        felt = found.disruption if scope == "server" else None
        row = Row(part, kind, found.reason, found.source, scope=scope, verb=verb, disruption=felt)
        yield Impact(token, _name(new), row, kind, tuple(names), {})


def _felt(found: PropertyRow) -> tuple[ChangeClass, str, Scope]:
    if found.felt_by == "interconnects" and found.disruption is Disruption.REBOOT:
        return ChangeClass.DISRUPTIVE, _RESTART, "interconnects"
    kind, verb = OF_SERVERS[found.disruption] if found.felt_by == "server" else (ChangeClass.LIVE, "")
    return kind, verb, "server" if verb else "nothing"


def _triggered(row: Row, old: Spec, new: Spec) -> tuple[str, ...]:
    """Nodes of a row; of a roll-out those that have something to activate, where both specs say it node by node."""
    touched = _nodes(row, old, new)
    if row.name not in _TRIGGERS:
        return touched
    # A refresh found who has yet to be taken to what was asked before: nobody else is, unless more is asked now.
    done, found, behind = str(old.get(row.name)).partition(NOT_ON)
    if found and done == new.get(row.name):
        return tuple(name for name in touched if name in behind.split(", "))
    before, after = _digests(old), _digests(new)
    known = touched and set(touched) <= after.keys() and before
    return tuple(name for name in touched if name in before and before[name] != after[name]) if known else touched


def _digests(spec: Spec) -> dict[str, str]:
    nodes = (each for each in spec.get("nodes") or () if isinstance(each, Mapping) and "digest" in each)
    return {str(each["name"]): str(each["digest"]) for each in nodes}


def _lines(token: str, old: Spec, new: Spec) -> Iterator[Impact]:
    if old.get("config") == new["config"]:
        return
    before, after = paths(old.get("config") or {}), paths(new["config"])
    groups: dict[tuple[LineRow, Path, str], list[Path]] = {}
    reshaped = {cage_of(path[0]) for path in before ^ after if len(path) == 1} - {""}
    for path in sorted(before ^ after):
        if any(in_cage(path[0].removeprefix("interface "), cage) for cage in reshaped):
            continue  # the breakout takes these lines along, and its own row says so
        key = (line_row(path), path[:-1], _setting(path[-1]))
        groups.setdefault(key, []).append(path)
    found: dict[LineRow, Impact] = {}
    for (row, _, _), changed in groups.items():
        kind = row.of(removed=any(path in before for path in changed), added=any(path in after for path in changed))
        if kind is ChangeClass.TWO_ENDED and len(changed[0]) > 1:
            kind = _with_its_parent(kind, changed[0][:-1], before, after)
        links = _scoped(row, {path[0] for path in changed}, old, new)
        properties = tuple(" / ".join(path) for path in changed)
        known = found.get(row)
        if known is None:
            found[row] = Impact(token, _name(new), row, kind, properties, links)
        else:
            found[row] = _joined(known, kind, properties, links)
    yield from found.values()


def _with_its_parent(kind: ChangeClass, parent: Path, before: set[Path], after: set[Path]) -> ChangeClass:
    """A line that comes with what it stands below was not missed before; one that goes with it ends nothing more."""
    if parent not in before:
        return ChangeClass.LIVE
    return kind if parent in after else ChangeClass.DISRUPTIVE


def _setting(line: str) -> str:
    """What a line is a value of; an address of one family takes the place of one of the other."""
    word = line.removeprefix("no ").split(maxsplit=1)[0]
    return "ip" if word == "ipv6" else word


def _joined(known: Impact, kind: ChangeClass, properties: tuple[str, ...], links: Spec) -> Impact:
    """Ports of a group that is milder than the rest of its row are not felt."""
    if kind > known.change_class:
        return replace(known, change_class=kind, properties=properties, links=links)
    if kind < known.change_class:
        return known
    return replace(known, properties=(*known.properties, *properties), links={**known.links, **links})


def _scoped(row: Row, sections: set[str], old: Spec, new: Spec) -> dict[str, Mapping[str, str]]:
    links: dict[str, Mapping[str, str]] = {**(old.get("links") or {}), **(new.get("links") or {})}
    if row.scope == "switch":
        return links
    if row.scope == "cage":
        cages = {cage_of(section) for section in sections}
        return {port: end for port, end in links.items() if any(in_cage(port, cage) for cage in cages)}
    if row.scope != "port":
        return {}
    configs = tuple(spec.get("config") or {} for spec in (old, new))
    touched = {port for section in sections for port in ports(section, configs)}
    return {port: end for port, end in links.items() if port in touched}


def _nodes(row: Row, old: Spec, new: Spec) -> tuple[str, ...]:
    spec = new or old
    if row.scope == "nodes":
        return tuple(sorted(_members(spec.get("nodes"))))
    if row.scope == "cluster":
        return tuple(sorted(_members(spec.get("hosts"))))
    return (_name(spec),) if row.scope == "server" else ()


def _members(listed: Any, beside: Any = None) -> set[str]:
    """Names of a list's entries. Of lists by node, what the nodes that `beside` has too have: a node that joins or goes
    changes nothing of the others.
    """
    if isinstance(listed, Mapping):
        both = listed.keys() & (beside if isinstance(beside, Mapping) else {}).keys()
        return {f"{node}{_PART}{each!r}" for node in both for each in listed[node]}
    entries = listed if isinstance(listed, list) else ()
    return {str(each.get("name", "")) if isinstance(each, Mapping) else str(each) for each in entries}


def _same(one: Any, other: Any) -> bool:
    """Lists are compared as sets: a profile's policies have no order."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(repr, one)) == sorted(map(repr, other))
    return bool(one == other)


def _name(spec: Spec) -> str:
    return next((str(spec[key]) for key in _NAMES if spec.get(key)), "")
