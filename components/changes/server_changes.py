"""Each change of a plan that servers take, with the servers that take it, in the order of their roll-out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.property_changes import attached, property_changes

Spec = Mapping[str, Any]
Step = tuple[str, Spec | None, Spec | None]
"""Token of a resource, its spec before (None: it is made), its spec afterwards (None: it goes)."""
Key = tuple[str, str]
"""Type and name of a policy."""
_POLICIES: Final = ("podwright:intersight:Policy", "podwright:intersight:Pool")
_PROFILE, _REDFISH, _ROLLOUT = (
    "podwright:intersight:ServerProfile", "podwright:redfish:Server", "podwright:openshift:Rollout",
)  # fmt: skip


@dataclass(frozen=True)
class ServerChange:
    """One change of one policy, or of the settings that several machines have alike."""

    what: str
    """`bios.Policy lab-bios`, `BIOS over Redfish`."""
    properties: tuple[str, ...]
    disruption: Disruption
    servers: tuple[str, ...]
    """In the order in which their pools take them through."""
    at_a_time: Mapping[str, int]
    """Servers that may be away at once, by pool."""


@dataclass(frozen=True)
class _Orders:
    """Place of a server in the roll-outs of a plan, by serial number."""

    place: Mapping[str, tuple[str, int]]
    width: Mapping[str, int]


def server_changes(steps: Iterable[Step]) -> tuple[ServerChange, ...]:
    """Of all steps of a plan, unchanged ones too: by policy, the worst first, then by name."""
    listed = list(steps)
    orders = _orders(new for token, _, new in listed if token == _ROLLOUT and new is not None)
    before, after = (_policies(listed, side) for side in (1, 2))
    groups: dict[tuple[str, tuple[str, ...], Disruption], dict[str, str]] = {}
    for token, old, new in listed:
        if old is None or new is None:
            continue
        found = _of_profile(old, new, before, after) if token == _PROFILE else _of_machine(token, old, new)
        for what, properties, disruption in found:
            groups.setdefault((what, properties, disruption), {})[str(new["name"])] = str(new.get("serial") or "")
    made = [_change(*key, servers, orders) for key, servers in groups.items()]
    return tuple(sorted(made, key=lambda each: (-each.disruption, each.what, each.properties)))


def _change(
    what: str, properties: tuple[str, ...], disruption: Disruption, servers: Mapping[str, str], orders: _Orders
) -> ServerChange:
    last = ("~", 0)
    order = sorted(servers, key=lambda name: (orders.place.get(servers[name], last), name))
    pools = {orders.place[serial][0] for serial in servers.values() if serial in orders.place}
    return ServerChange(
        what, properties, disruption, tuple(order), {pool: orders.width[pool] for pool in sorted(pools)}
    )


def _of_machine(token: str, old: Spec, new: Spec) -> Iterator[tuple[str, tuple[str, ...], Disruption]]:
    if token == _REDFISH:
        before, after = (each.get("bios") or {} for each in (old, new))
        if names := tuple(sorted(name for name in {**before, **after} if before.get(name) != after.get(name))):
            yield "BIOS over Redfish", names, Disruption.REBOOT
        had, has = (_brought(each) for each in (old, new))
        if parts := tuple(sorted(name for name in has if had.get(name) != has[name])):
            yield "firmware over Redfish", parts, Disruption.REBOOT


def _brought(machine: Spec) -> Mapping[str, Any]:
    """Versions that a roll-out brings; none where they are compared only."""
    firmware = machine.get("firmware") or {}
    return firmware["components"] if firmware.get("images") else {}


def _of_profile(
    old: Spec, new: Spec, before: Mapping[Key, Spec], after: Mapping[Key, Spec]
) -> Iterator[tuple[str, tuple[str, ...], Disruption]]:
    """What a server takes: of each policy that its profile names, and of those that these name."""
    had, has = _reached(old, before), _reached(new, after)
    swapped = {kind: name for kind, name in had - has}
    for kind, name in sorted(has | had):
        if (kind, name) in had and (kind, name) not in has:
            if kind not in {other for other, _ in has}:
                yield f"{kind} {name}", ("removed",), attached(kind).disruption
            continue
        source = (kind, name) if (kind, name) in had else (kind, swapped.get(kind, ""))
        if source not in had:
            yield f"{kind} {name}", ("added",), attached(kind).disruption
            continue
        costs: dict[Disruption, list[str]] = {}
        for each in property_changes(before.get(source, {}), after.get((kind, name), {})):
            if each.row.felt_by == "server":
                costs.setdefault(each.row.disruption, []).append(each.name)
        yield from ((f"{kind} {name}", tuple(names), cost) for cost, names in costs.items())


def _reached(profile: Spec, policies: Mapping[Key, Spec]) -> set[Key]:
    found: set[Key] = set()
    waiting = [_key(each) for each in profile.get("policies") or ()]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += _references(policies.get(key, {}))
    return found


def _references(policy: Spec) -> Iterator[Key]:
    for each in (policy, *(policy.get("children") or ())):
        for value in (each.get("references") or {}).values():
            yield from map(_key, value if isinstance(value, list) else [value])


def _key(target: Mapping[str, Any]) -> Key:
    return str(target["object_type"]), str(target["name"])


def _policies(steps: Iterable[Step], side: int) -> dict[Key, Spec]:
    specs = (step[side] for step in steps if step[0] in _POLICIES)
    return {_key(spec): spec for spec in specs if isinstance(spec, Mapping)}


def _orders(rollouts: Iterable[Spec]) -> _Orders:
    place, width = {}, {}
    for spec in rollouts:
        pool = str(spec["pool"])
        width[pool] = int(spec.get("max_unavailable", 1))
        for number, node in enumerate(spec.get("nodes") or ()):
            if isinstance(node, Mapping) and node.get("serial"):
                place[str(node["serial"])] = (pool, number)
    return _Orders(place, width)


_HAPPENS: Final[Mapping[Disruption, tuple[str, str]]] = {
    Disruption.NONE: ("server takes it while it runs", "servers take it while they run"),
    Disruption.FLAP: ("server loses a link for a moment", "servers lose a link for a moment"),
    Disruption.REBOOT: ("server reboots", "servers reboot"),
    Disruption.WIPE: ("server loses data", "servers lose data"),
}


def sentence(change: ServerChange, gpus_of: Mapping[str, int]) -> str:
    """`bios.Policy lab-bios: SrIov: 6 servers reboot, 12 GPUs, 2 at a time in training: gpu-01, gpu-02, …`: each name
    where servers notice."""
    count = len(change.servers)
    gpus = sum(gpus_of.get(server, 0) for server in change.servers)
    widths = ", ".join(f"{width} at a time in {pool}" for pool, width in change.at_a_time.items())
    noticed = change.disruption is not Disruption.NONE
    parts = [
        f"{count} {_HAPPENS[change.disruption][count != 1]}",
        f"{gpus} GPU{'s' * (gpus != 1)}" if gpus and noticed else "",
        widths if change.disruption is Disruption.REBOOT else "",
    ]
    names = f": {', '.join(change.servers)}" if noticed else ""
    return f"{change.what}: {', '.join(change.properties)}: {', '.join(part for part in parts if part)}{names}"


def as_data(change: ServerChange, gpus_of: Mapping[str, int]) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "what": change.what,
        "properties": list(change.properties),
        "disruption": change.disruption.word,
        "servers": list(change.servers),
        "gpus": sum(gpus_of.get(server, 0) for server in change.servers),
        "at_a_time": dict(change.at_a_time),
    }
