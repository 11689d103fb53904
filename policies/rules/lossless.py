"""What every hop of a lossless class must have: a no-drop class, pauses, a watchdog, early marking, a fast lane."""

from collections.abc import Iterator, Sequence

from .nexus.device import Device, Lossless
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.qos import Class, Policy, actions
from .rule import Flaw, NotApplicable

_WATCHDOG = "priority-flow-control watch-dog-interval on"
_MARKING = "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}


def carriers(devices: Sequence[Device]) -> Iterator[tuple[Device, Lossless]]:
    """Switches with their lossless class. Raises NotApplicable where none carries one."""
    found = [(each, each.lossless) for each in devices if each.lossless is not None]
    if not found:
        raise NotApplicable("the switch carries no lossless class")
    return iter(found)


def facing(device: Device, port: Port) -> str:
    """What a port faces, in brackets, where it is known."""
    end = device.links.get(port.name)
    return f" (to {end.device})" if end is not None else ""


def queue_name(group: int) -> str:
    """The queue of a qos-group on the eight-queue model."""
    return f"c-out-8q-q{group}" if group else "c-out-8q-q-default"


def pfc(devices: Sequence[Device]) -> Iterator[Flaw]:
    """PFC on every port, one no-drop class, and RoCE packets in it."""
    for device, lossless in carriers(devices):
        for port in lossless.ports:
            if port.value("pfc") != "on":
                yield Flaw(
                    f"{device.name} {port.name}{facing(device, port)} does not have priority-flow-control mode on",
                    device.name,
                    port.at("pfc"),
                    f"interface {port.name}\n  priority-flow-control mode on",
                )
        yield from _no_drop(device, lossless)
        for port in lossless.ports:
            yield from _classified(device, lossless, port)


def _no_drop(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    attached = device.attached("type", "network-qos")
    pause, name = f"pause pfc-cos {lossless.priority}", f"c-8q-nq{lossless.group}"
    instead = f"  class type network-qos {name}\n    {pause}"
    policy = device.network
    if attached is None:
        own = next(
            (each.name for (kind, _), each in device.qos.policies.items() if kind == "network-qos"), "qos_network"
        )
        yield Flaw(
            f"{device.name} attaches no network-qos policy under system qos: no class is no-drop",
            device.name,
            device.system,
            f"system qos\n  service-policy type network-qos {own}",
        )
    elif policy is None:
        yield Flaw(
            f"{device.name} attaches the network-qos policy {attached[0]}, which this configuration does not define: "
            "no class is no-drop",
            device.name,
            attached[1],
            f"policy-map type network-qos {attached[0]}\n{instead}",
        )
    else:
        each = device.qos.for_group(policy, lossless.group)
        line = each.action("pause") if each is not None else None
        if line is None or not _pauses(line, lossless.priority):
            header = f"policy-map type network-qos {policy.name}"
            yield Flaw(
                f"{device.name} {header} has no '{pause}' in class {name if each is None else each.name}",
                device.name,
                line or (each.line if each is not None else policy.line),
                f"{header}\n{instead}",
            )


def _pauses(line: Line, priority: int) -> bool:
    """`pause no-drop` of older releases names no priority: it is the class's own."""
    if line.words[1:2] == ("no-drop",):
        return True
    return "pfc-cos" in line.words[:-1] and line.words[line.words.index("pfc-cos") + 1] == str(priority)


def _classified(device: Device, lossless: Lossless, port: Port) -> Iterator[Flaw]:
    found = device.classifying(port)
    if found is None:
        yield Flaw(
            f"{device.name} {port.name} classifies nothing: RoCE packets arrive in the default class",
            device.name,
            port.at("qos"),
            f"interface {port.name}\n  service-policy type qos input {_usual(device) or 'QOS_CLASSIFICATION'}",
        )
        return
    name, attachment = found
    policy = device.qos.policy("qos", name)
    if policy is not None and _sorts(device, lossless, policy):
        return
    wanted = ",".join(map(str, sorted(lossless.dscps)))
    what = f"DSCP {wanted}" if wanted else "RoCE packets"
    yield Flaw(
        f"{device.name} {port.name}: {name} does not put {what} into qos-group {lossless.group}",
        device.name,
        _where(device, lossless, policy) if policy is not None else attachment,
        f"policy-map type qos {name}\n  class <the class that matches dscp {wanted or 26}>\n"
        f"    set qos-group {lossless.group}",
    )


def _usual(device: Device) -> str:
    """The classifying policy that most ports of the switch have."""
    names = [port.value("qos") for port in device.ports.values() if port.value("qos")]
    return max(set(names), key=names.count, default="")


def _sorts(device: Device, lossless: Lossless, policy: Policy) -> bool:
    """Every DSCP of a plan, any of the DSCPs that a found configuration uses somewhere, or what cannot be told."""
    hits = [device.qos.group_of(policy, dscp) == lossless.group for dscp in sorted(lossless.dscps)]
    if hits and (all(hits) if device.planned else any(hits)):
        return True
    for each in policy.classes:
        matched = device.qos.classes.get(("qos", each.name))
        if each.number("set", "qos-group") == lossless.group and matched is not None and matched.opaque:
            return True
    return False


def _where(device: Device, lossless: Lossless, policy: Policy) -> Line:
    """The line that sends RoCE packets elsewhere."""
    for dscp in sorted(lossless.dscps):
        taken = device.qos.takes(policy, dscp)
        if taken is not None and taken.name != "class-default":
            return taken.action("set", "qos-group") or taken.line
    for each in policy.classes:
        matched = device.qos.classes.get(("qos", each.name))
        if each.number("set", "qos-group") == lossless.group:
            return each.line if matched is None else next(iter(matched.matches), matched.line)
    return policy.line


def watchdog(devices: Sequence[Device]) -> Iterator[Flaw]:
    """On for the whole switch and on every port: each alone does nothing."""
    for device, lossless in carriers(devices):
        if device.top(*_WATCHDOG.split()) is None:
            off = device.top(*_WATCHDOG.split()[:-1], "off")
            yield Flaw(f"{device.name} does not have '{_WATCHDOG}' globally", device.name, off, _WATCHDOG)
        for port in lossless.ports:
            if port.value("watchdog") != "on":
                yield Flaw(
                    f"{device.name} {port.name}{facing(device, port)} does not have '{_WATCHDOG}'",
                    device.name,
                    port.at("watchdog"),
                    f"interface {port.name}\n  {_WATCHDOG}",
                )


def queues(device: Device, lossless: Lossless) -> list[Policy]:
    """Output queuing policies in force on the ports of the class, each once; the system's where no port is given."""
    meant = [device.queuing(port) for port in lossless.ports] or [device.queuing()]
    found = {policy.name: policy for policy in meant if policy is not None}
    return list(found.values())


def ecn(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The lossless queue marks, between two thresholds that make sense."""
    for device, lossless in carriers(devices):
        policies = queues(device, lossless)
        if not policies:
            attached = device.attached("type", "queuing", "output")
            yield Flaw(
                f"{device.name} attaches no queuing policy under system qos",
                device.name,
                attached[1] if attached else device.system,
                "system qos\n  service-policy type queuing output <a policy-map type queuing>",
            )
        for policy in policies:
            yield from _marks(device, lossless, policy)


def _marks(device: Device, lossless: Lossless, policy: Policy) -> Iterator[Flaw]:
    each = device.qos.for_group(policy, lossless.group)
    header, name = f"policy-map type queuing {policy.name}", each.name if each else queue_name(lossless.group)
    line = each.action("random-detect") if each is not None else None
    instead = f"{header}\n  class type queuing {name}\n    {_MARKING}"
    if line is None:
        where = each.line if each is not None else policy.line
        yield Flaw(f"{device.name} {header} has no random-detect line in {name}", device.name, where, instead)
    elif line.words[-1] != "ecn":
        yield Flaw(
            f"{device.name} {header} drops early instead of marking: '{line.command}' lacks the ecn keyword",
            device.name,
            line,
            instead,
        )
    elif wrong := _thresholds(line):
        yield Flaw(f"{device.name} {header}: '{line.command}' {wrong}", device.name, line, instead)


def _thresholds(line: Line) -> str:
    """What is wrong with the thresholds of a random-detect line; empty where they hold.

    Equal thresholds with probability 100 mark every packet from there on, as DCTCP has it: a decision, not a slip.
    """
    words = line.words
    if "minimum-threshold" not in words or "maximum-threshold" not in words:
        return ""
    low, high = (_amount(words, f"{each}-threshold") for each in ("minimum", "maximum"))
    if low is None or high is None or low[1] != high[1]:
        return ""
    chance = words[words.index("drop-probability") + 1] if "drop-probability" in words[:-1] else ""
    if low[0] == 0:
        return "marks from an empty queue on: the minimum threshold must be above 0"
    if low[0] > high[0] or (low[0] == high[0] and chance != "100"):
        return "never marks in between: the minimum threshold must be below the maximum"
    return ""


def _amount(words: Sequence[str], keyword: str) -> tuple[int, bool] | None:
    """A threshold, and whether it is counted in packets; None where it is no number."""
    number, unit = (*words[words.index(keyword) + 1 :], "", "")[:2]
    if not number.isdigit():
        return None
    return int(number) * _UNITS.get(unit, 1), unit == "packets"


def cnp(devices: Sequence[Device]) -> Iterator[Flaw]:
    """Congestion notification packets leave by a strict-priority queue of their own."""
    named = [(device, lossless) for device, lossless in carriers(devices) if lossless.cnp is not None]
    if not named:
        raise NotApplicable("nothing names congestion notification packets")
    for device, lossless in named:
        judged: set[str] = set()
        for port in lossless.ports:
            found = device.classifying(port)
            policy = device.qos.policy("qos", found[0]) if found else None
            if policy is not None and policy.name not in judged and lossless.cnp is not None:
                judged.add(policy.name)
                yield from _notified(device, lossless, policy, lossless.cnp)


def _notified(device: Device, lossless: Lossless, policy: Policy, dscp: int) -> Iterator[Flaw]:
    taken = device.qos.takes(policy, dscp)
    group = device.qos.group_of(policy, dscp)
    header = f"policy-map type qos {policy.name}"
    if group in (0, lossless.group):
        where = "the default class" if group == 0 else "the lossless class"
        yield Flaw(
            f"{device.name} {header} leaves congestion notifications (DSCP {dscp}) in {where}",
            device.name,
            _notified_at(device, policy, taken),
            f"class-map type qos match-any CNP\n  match dscp {dscp}\n{header}\n  class CNP\n    set qos-group 7",
        )
        return
    for queuing in queues(device, lossless):
        each = device.qos.for_group(queuing, group)
        if each is None or each.action("priority") is None:
            name = each.name if each is not None else queue_name(group)
            yield Flaw(
                f"{device.name} policy-map type queuing {queuing.name} has no 'priority level 1' in {name}, "
                "the queue of congestion notifications",
                device.name,
                each.line if each is not None else queuing.line,
                f"policy-map type queuing {queuing.name}\n  class type queuing {name}\n    priority level 1",
            )


def _notified_at(device: Device, policy: Policy, taken: Class | None) -> Line:
    """The class that takes them, or the one that is named for them and does not."""
    for each in policy.classes:
        if "cnp" in each.name.lower():
            matched = device.qos.classes.get(("qos", each.name))
            if each is taken or matched is None:
                return each.line
            return next(iter(matched.matches), matched.line)
    return taken.line if taken is not None and taken.name != "class-default" else policy.line


def shares(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The queues share out all of the bandwidth, and no more."""
    for device, lossless in carriers(devices):
        for policy in queues(device, lossless):
            lines = [*actions(policy, "bandwidth", "remaining", "percent"), *actions(policy, "bandwidth", "percent")]
            total = sum(int(line.words[-1]) for _, line in lines if line.words[-1].isdigit())
            if lines and total != 100:
                yield Flaw(
                    f"{device.name} policy-map type queuing {policy.name} shares out {total} percent of the bandwidth, "
                    "not 100",
                    device.name,
                    policy.line,
                    f"policy-map type queuing {policy.name}\n  (bandwidth remaining percent lines that add up to 100)",
                    tuple((device.name, line) for _, line in lines),
                )


def marking_of_nics(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The pause priority is the one that NICs give to the class's DSCP unless told otherwise: DSCP / 8."""
    for device, lossless in carriers(devices):
        if lossless.dscps and lossless.priority not in {dscp >> 3 for dscp in lossless.dscps}:
            stop = next((line for _, line in actions(device.network, "pause")), None)
            wanted = min(lossless.dscps) >> 3
            yield Flaw(
                f"{device.name} pauses priority {lossless.priority}; NICs send DSCP "
                f"{','.join(map(str, sorted(lossless.dscps)))} on priority {wanted}",
                device.name,
                stop,
                f"pause pfc-cos {wanted}, or a DSCP from {lossless.priority * 8} to {lossless.priority * 8 + 7}",
            )
