"""What the queues of a lossless class must do: mark early, let notifications pass, share out the bandwidth."""

from collections.abc import Iterator, Sequence

from .lossless import carriers, of_ports
from .nexus.device import Device, Lossless
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.qos import Class, Policy, actions
from .rule import Flaw, NotApplicable, apart, known, once

_MARKING = "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
_SHARE = ("bandwidth", "remaining", "percent")
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}


def queue_name(group: int) -> str:
    """The queue of a qos-group on the eight-queue model."""
    return f"c-out-8q-q{group}" if group else "c-out-8q-q-default"


def queues(device: Device, lossless: Lossless) -> Iterator[Policy]:
    """Output queuing policies in force on the ports of the class, each once; the system's where no port is given."""
    if not lossless.ports:
        yield from filter(None, [device.queuing()])
    met: set[str] = set()
    for policy in of_ports(_queuing, device, lossless):
        if policy.name not in met:
            met.add(policy.name)
            yield policy


def _queuing(device: Device, port: Port) -> Iterator[Policy]:
    yield from filter(None, [device.queuing(port)])


def ecn(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The lossless queue marks, between two thresholds that make sense."""
    for device, lossless in carriers(devices):
        yield from apart(
            (
                _unattached(device, lossless),
                apart(_marks(device, lossless, policy) for policy in queues(device, lossless)),
                _unknown(device, lossless),
                _of_speeds(device, lossless),
            )
        )


def _unattached(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    if not any(True for _ in (*queues(device, lossless), *_unknown(device, lossless))):
        attached = device.attached("type", "queuing", "output")
        yield Flaw(
            f"{device.name} attaches no queuing policy under system qos",
            device.name,
            attached[1] if attached else device.system,
            "system qos\n  service-policy type queuing output <a policy-map type queuing>",
        )


def _of_speeds(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    """Thresholds that a plan states for a port speed are those of some port's queue."""
    if not any(name.startswith("ecn ") for name in lossless.stated):
        return
    classes = [device.qos.for_group(policy, lossless.group) for policy in queues(device, lossless)]
    lines = [each.action("random-detect") for each in classes if each is not None]
    known = [_amount(line.words, "maximum-threshold") for line in lines if line and "maximum-threshold" in line.words]
    for name, value in lossless.stated.items():
        if name.startswith("ecn ") and (value * _UNITS["kbytes"], False) not in known:
            yield Flaw(
                f"{device.name} has no queue that marks up to {value} kbytes, as its ports of {name.split()[1]} should",
                device.name,
                device.system,
                f"random-detect … maximum-threshold {value} kbytes …",
            )


def _unknown(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    """Ports whose queues nobody sets: by a policy that is not defined, or by none while other ports have their own.

    The device's own policies begin with `default-`.
    """
    yield from apart((of_ports(_undefined, device, lossless), _unset(device, lossless)))


def _undefined(device: Device, port: Port) -> Iterator[Flaw]:
    own = port.get("queuing")
    if own is None or own.value.startswith("default-") or device.qos.policy("queuing", own.value) is not None:
        return
    yield Flaw(
        f"{device.name} {port.name} attaches the queuing policy {own.value}, which is not defined here",
        device.name,
        own.line,
        f"policy-map type queuing {own.value}",
    )


def _unset(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    if device.attached("type", "queuing", "output") is not None:
        return
    others = {port.value("queuing") for port in lossless.ports} - {""}
    for port in lossless.ports if others else ():
        if port.get("queuing") is None:
            yield Flaw(
                f"{device.name} {port.name} has no queuing policy, and system qos attaches none",
                device.name,
                device.system or port.line,
                f"system qos\n  service-policy type queuing output {min(others)}",
            )


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
    """What is wrong with the thresholds of a random-detect line that ends in `ecn`; empty where they hold.

    Equal thresholds with probability 100 mark every packet from there on, as DCTCP has it: a decision, not a slip.
    """
    words = line.words
    if "minimum-threshold" not in words or "maximum-threshold" not in words:
        return ""
    low, high = (_amount(words, f"{each}-threshold") for each in ("minimum", "maximum"))
    if low is None or high is None or low[1] != high[1]:
        return ""
    chance = words[words.index("drop-probability") + 1] if "drop-probability" in words else ""
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
    named = [(device, lossless, cnp) for device, lossless in carriers(devices) if (cnp := lossless.cnp) is not None]
    if not named:
        raise NotApplicable("nothing names congestion notification packets")
    for device, lossless, dscp in named:
        yield from apart(_notified(device, lossless, policy, dscp) for policy in classifiers(device, lossless))


def classifiers(device: Device, lossless: Lossless) -> Iterator[Policy]:
    """Policies that classify what enters the ports of the class, each once."""
    for name in once(of_ports(_classifier, device, lossless)):
        yield from filter(None, [device.qos.policy("qos", name)])


def _classifier(device: Device, port: Port) -> Iterator[str]:
    if (found := device.classifying(port)) is not None:
        yield found[0]


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
    yield from apart(_hurried(device, queuing, group, taken) for queuing in queues(device, lossless))


def _hurried(device: Device, queuing: Policy, group: int, taken: Class | None) -> Iterator[Flaw]:
    each = device.qos.for_group(queuing, group)
    if each is None or each.action("priority") is None:
        name = each.name if each is not None else queue_name(group)
        yield Flaw(
            f"{device.name} policy-map type queuing {queuing.name} has no 'priority level 1' in {name}, "
            "the queue of congestion notifications",
            device.name,
            each.line if each is not None else (taken.action("set", "qos-group") if taken else queuing.line),
            f"policy-map type queuing {queuing.name}\n  class type queuing {name}\n    priority level 1",
            tuple((device.name, other.line) for other, _ in actions(queuing, "priority")),
        )


def _notified_at(device: Device, policy: Policy, taken: Class | None) -> Line:
    """The class that takes them, or the one that is named for them and does not."""
    for each in policy.classes:
        if "cnp" in each.name.lower():
            matched = device.qos.classes.get(("qos", each.name))
            if matched is None:
                return each.line
            if each is taken:
                return each.action("set", "qos-group") or each.line
            return next(iter(matched.matches), matched.line)
    return taken.line if taken is not None and taken.name != "class-default" else policy.line


def shares(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The queues share out all of the bandwidth, and each that gets packets has a part of it, the fast lane aside."""
    for device, lossless in carriers(devices):
        classifying, unknown = known(classifiers(device, lossless))
        yield from apart(
            part
            for policy in queues(device, lossless)
            for part in (_shared(device, policy), _starved(device, classifying, policy))
        )
        if unknown is not None:
            raise unknown


def _shared(device: Device, policy: Policy) -> Iterator[Flaw]:
    lines = [*actions(policy, *_SHARE), *actions(policy, "bandwidth", "percent")]
    total = sum(int(line.words[-1]) for _, line in lines if line.words[-1].isdigit())
    header = f"{device.name} policy-map type queuing {policy.name}"
    if lines and total != 100:
        yield Flaw(
            f"{header} shares out {total} percent of the bandwidth, not 100",
            device.name,
            policy.line,
            f"policy-map type queuing {policy.name}\n  (bandwidth remaining percent lines that add up to 100)",
            tuple((device.name, line) for _, line in lines),
        )
    for each, line in lines:
        if each.action("priority") is not None:
            yield Flaw(
                f"{header} gives {each.name} strict priority and a share: a fast lane takes no share",
                device.name,
                line,
                f"class type queuing {each.name}\n  priority level 1",
            )


def _starved(device: Device, classifying: Sequence[Policy], queuing: Policy) -> Iterator[Flaw]:
    """Packets that are put into a queue whose share is configured as 0."""
    yield from apart(_put(device, policy, queuing) for policy in classifying)


def _put(device: Device, policy: Policy, queuing: Policy) -> Iterator[Flaw]:
    for each in policy.classes:
        group = each.number("set", "qos-group")
        if group is None:
            continue
        queue = device.qos.for_group(queuing, group)
        if queue is None:
            if device.planned:
                yield _unsaid(device, policy, each, queuing, group)
        elif 0 in (queue.number(*_SHARE), queue.number("bandwidth", "percent")) and not queue.action("priority"):
            yield Flaw(
                f"{device.name} policy-map type qos {policy.name} puts {each.name} into qos-group {group}, "
                f"whose queue {queue.name} has a share of 0",
                device.name,
                each.action("set", "qos-group"),
                f"policy-map type queuing {queuing.name}\n  class type queuing {queue.name}\n"
                "    bandwidth remaining percent <share>",
            )


def _unsaid(device: Device, policy: Policy, taker: Class, queuing: Policy, group: int) -> Flaw:
    return Flaw(
        f"{device.name} policy-map type queuing {queuing.name} says nothing of {queue_name(group)}, "
        f"where policy-map type qos {policy.name} puts {taker.name}",
        device.name,
        queuing.line,
        f"class type queuing {queue_name(group)}\n  bandwidth remaining percent <share>",
    )
