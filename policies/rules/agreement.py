"""What the switches of one fabric must have alike, and which of them stands out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .lossless import carriers
from .nexus.device import Device, Lossless
from .nexus.lines import Line
from .nexus.qos import Policy, actions
from .queues import queues
from .rule import Flaw, NotApplicable, apart

_FEW = 3
"""Below this many switches nobody can say which one stands out by a threshold."""


@dataclass(frozen=True)
class Fact:
    """One thing a switch does, in comparable form, and the line that makes it do so."""

    device: Device
    value: frozenset[object]
    words: str
    line: Line | None


def same_class(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Switches of one fabric put the same packets into the same class: values that have nothing in common differ."""
    for fabric in _fabrics(devices):
        yield from apart(
            _classed(fabric, what) for what in ("RoCE packets", "congestion notifications", "PFC priority")
        )


def _classed(fabric: Sequence[tuple[Device, Lossless]], what: str) -> Iterator[Flaw]:
    facts = [fact for device, lossless in fabric for fact in _identity(device, lossless, what)]
    yield from _standing_out(what, facts, 2)


def same_queues(devices: Sequence[Device]) -> Iterator[Flaw]:
    """One switch whose queue for the same packets is set otherwise than that of all others."""
    for fabric in _fabrics(devices):
        known = [_tuning(device) for device, _ in fabric]
        for what in sorted({key for each in known for key in each}):
            facts = [each[what] for each in known if what in each]
            if len({fact.value for fact in facts}) == 2:
                yield from _standing_out(what, facts, _FEW, alone=True)
        yield from _of_pairs([device for device, _ in fabric], known)


def _of_pairs(devices: Sequence[Device], known: Sequence[dict[str, Fact]]) -> Iterator[Flaw]:
    """Two peers of a vPC domain pass the same packets: whatever differs between their queues is reported."""
    for at, one in enumerate(devices):
        for number, two in enumerate(devices[at + 1 :], at + 1):
            if one.vpc is None or two.vpc is None or one.vpc.words[-1] != two.vpc.words[-1] or len(devices) >= _FEW:
                continue
            for what in sorted(set(known[at]) & set(known[number])):
                yield from _standing_out(what, [known[at][what], known[number][what]], 2)


def _fabrics(devices: Sequence[Device]) -> list[list[tuple[Device, Lossless]]]:
    """Switches with a lossless class, those that cables join together; all of them where no cable is known."""
    known = {device.name: (device, lossless) for device, lossless in carriers(devices)}
    cables = {(name, end.device) for name, (device, _) in known.items() for end in device.links.values()}
    joined = [pair for pair in cables if pair[1] in known]
    if len(known) < 2:
        raise NotApplicable("one switch has nobody to agree with")
    if not joined:
        return [list(known.values())]
    left, found = set(known), []
    while left:
        fabric, todo = set[str](), {min(left)}
        while todo:
            name = todo.pop()
            fabric.add(name)
            todo |= ({two for one, two in joined if one == name} | {one for one, two in joined if two == name}) - fabric
        left -= fabric
        found.append([known[name] for name in sorted(fabric)])
    return found


def _standing_out(what: str, facts: Sequence[Fact], least: int, *, alone: bool = False) -> Iterator[Flaw]:
    """Facts that have nothing in common with the one that most switches share."""
    if len(facts) < least:
        return
    common = max(facts, key=lambda fact: sum(bool(fact.value & other.value) for other in facts))
    odd = [fact for fact in facts if not fact.value & common.value]
    if alone and len(odd) != 1:
        return
    for fact in odd:
        yield Flaw(
            f"{fact.device.name}: {what}: {fact.words}; {common.device.name}: {common.words}",
            fact.device.name,
            fact.line,
            common.line.command if common.line is not None else "",
            ((common.device.name, common.line),) if common.line is not None else (),
        )


def _identity(device: Device, lossless: Lossless, what: str) -> Iterator[Fact]:
    if what == "PFC priority":
        network = device.network
        for each, line in actions(network, "pause"):
            if device.qos.group("network-qos", each) == lossless.group:
                yield Fact(device, frozenset({lossless.priority}), line.command, line)
        return
    wanted = lossless.group if what == "RoCE packets" else _notified(device, lossless)
    policies = {found[0] for port in lossless.ports if (found := device.classifying(port)) is not None}
    for name in sorted(policies):
        policy = device.qos.policy("qos", name)
        if policy is not None and wanted:
            yield from _sorted_into(device, policy, wanted)


def _notified(device: Device, lossless: Lossless) -> int:
    """The qos-group of the strict-priority queue."""
    for queuing in queues(device, lossless):
        for each, _ in actions(queuing, "priority"):
            return device.qos.group("queuing", each) or 0
    return 0


def _sorted_into(device: Device, policy: Policy, group: int) -> Iterator[Fact]:
    for each in policy.classes:
        matched = device.qos.classes.get(("qos", each.name))
        if matched is not None and matched.dscps and each.number("set", "qos-group") == group:
            words = f"dscp {','.join(map(str, sorted(matched.dscps)))} to qos-group {group}"
            line = next((line for line in matched.matches), matched.line)
            yield Fact(device, frozenset(matched.dscps), words, line)


_TIMERS = (
    "watch-dog interval",
    "watch-dog shutdown-multiplier",
    "auto-restore multiplier",
    "fixed-restore multiplier",
)


def _tuning(device: Device) -> dict[str, Fact]:
    """Thresholds, shares, buffers, sizes, timers: of the policy that the system attaches, and of others by name."""
    found: dict[str, Fact] = {}
    system = device.queuing()
    for (kind, name), policy in device.qos.policies.items():
        if kind == "queuing":
            found |= _queues_of(device, policy, "" if policy is system else f" of {name}")
    network = device.network
    for each in network.classes if network is not None else ():
        size = each.action("mtu")
        text = size.command if size is not None else "mtu 1500"
        where = device.qos.group("network-qos", each)
        found[f"mtu of class {where}"] = Fact(device, frozenset({text}), text, size or each.line)
    for timer in _TIMERS:
        line = device.top("priority-flow-control", *timer.split())
        words = line.command if line is not None else "none"
        found[timer] = Fact(device, frozenset({words}), words, line)
    tunnel = device.ports.get("nve1")
    if tunnel is not None:
        sorted_by = tunnel.get("qos")
        words = "classified" if sorted_by is not None else "none"
        found["packets behind the tunnel"] = Fact(device, frozenset({words}), words, tunnel.at("qos"))
    return found


def _queues_of(device: Device, policy: Policy, suffix: str) -> dict[str, Fact]:
    """What each queue of a policy does; a share that is not configured is 0."""
    found: dict[str, Fact] = {}
    for each in policy.classes:
        group = device.qos.group("queuing", each)
        share = each.action("bandwidth", "remaining", "percent") or each.action("bandwidth", "percent")
        lines = {"marking": each.action("random-detect"), "priority": each.action("priority"), "share": share}
        lines["buffer"] = each.action("pause")
        for what, line in lines.items():
            text = line.command if line is not None else "none"
            value = "none" if text.endswith("percent 0") else text
            found[f"{what} of queue {group}{suffix}"] = Fact(device, frozenset({value}), text, line or each.line)
    return found
