"""What every hop of a lossless class must have: a no-drop class with the right packets in it, pauses, a watchdog."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from .nexus.device import Device, Lossless
from .nexus.lines import Line
from .nexus.port import Port
from .nexus.qos import Policy, actions
from .rule import Flaw, Found, NotApplicable, apart, once

_WATCHDOG = "priority-flow-control watch-dog-interval on"


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


def pfc(devices: Sequence[Device]) -> Iterator[Flaw]:
    """PFC on every port, one no-drop class, and RoCE packets in it."""
    for device, lossless in carriers(devices):
        yield from apart(
            (
                of_ports(_paused, device, lossless),
                _no_drop(device, lossless),
                of_ports(partial(_classified, lossless), device, lossless),
                _headroom(device, lossless),
            )
        )


def of_ports(ask: Callable[[Device, Port], Iterable[Found]], device: Device, lossless: Lossless) -> Iterator[Found]:
    """What is asked of each port of the class by itself."""
    yield from apart(ask(device, port) for port in lossless.ports)


def _paused(device: Device, port: Port) -> Iterator[Flaw]:
    if port.value("pfc") != "on":
        yield Flaw(
            f"{device.name} {port.name}{facing(device, port)} does not have priority-flow-control mode on",
            device.name,
            port.at("pfc"),
            f"interface {port.name}\n  priority-flow-control mode on",
        )


def _headroom(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    """Buffer for what is on a long cable when the pause is sent: of the paused queue, and on every port of a plan."""
    stated = lossless.stated.get("pause buffer-size")
    yield from apart(
        _sized(device, lossless, name, stated) for name in once(of_ports(_headroom_policy, device, lossless))
    )
    if stated is not None:
        yield from of_ports(partial(_unsized, stated), device, lossless)


def _headroom_policy(_: Device, port: Port) -> Iterator[str]:
    yield from filter(None, [port.value("headroom")])


def _sized(device: Device, lossless: Lossless, name: str, stated: int | None) -> Iterator[Flaw]:
    policy = device.qos.policy("queuing", name)
    if policy is None:
        return
    sized = {device.qos.group("queuing", each): line for each, line in actions(policy, "pause", "buffer-size")}
    line = sized.get(lossless.group)
    if (sized and line is None) or (stated is not None and (line is None or line.words[2:3] != (str(stated),))):
        yield Flaw(
            f"{device.name} policy-map type queuing {policy.name} does not give its headroom to the paused queue",
            device.name,
            line or next(iter(sized.values()), policy.line),
            f"class type queuing c-in-q{lossless.group}\n  pause buffer-size {stated or '<bytes>'} …",
        )


def _unsized(stated: int, device: Device, port: Port) -> Iterator[Flaw]:
    if not port.value("headroom"):
        yield Flaw(
            f"{device.name} {port.name}{facing(device, port)} has no headroom for its cable",
            device.name,
            port.line,
            f"interface {port.name}\n  service-policy type queuing input <policy of {stated} bytes>",
        )


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


def _classified(lossless: Lossless, device: Device, port: Port) -> Iterator[Flaw]:
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
    """The classifying policy that most ports of the switch have; of several alike the first port's."""
    names = [port.value("qos") for port in device.ports.values() if port.value("qos")]
    return max(dict.fromkeys(names), key=names.count, default="")


def _sorts(device: Device, lossless: Lossless, policy: Policy) -> bool:
    """The DSCP of a plan, any of the DSCPs that a found configuration uses somewhere, or what cannot be known."""
    if any(device.qos.group_of(policy, dscp) == lossless.group for dscp in lossless.dscps):
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
        yield from apart((_watching(device), of_ports(_watched, device, lossless), _timers(device, lossless)))


def _watching(device: Device) -> Iterator[Flaw]:
    if device.top(*_WATCHDOG.split()) is None:
        off = device.top(*_WATCHDOG.split()[:-1], "off")
        yield Flaw(f"{device.name} does not have '{_WATCHDOG}' globally", device.name, off, _WATCHDOG)


def _watched(device: Device, port: Port) -> Iterator[Flaw]:
    if port.value("watchdog") != "on":
        yield Flaw(
            f"{device.name} {port.name}{facing(device, port)} does not have '{_WATCHDOG}'",
            device.name,
            port.at("watchdog"),
            f"interface {port.name}\n  {_WATCHDOG}",
        )


def _timers(device: Device, lossless: Lossless) -> Iterator[Flaw]:
    for command, value in lossless.stated.items():
        line = device.top(*command.split()) if command.startswith("priority-flow-control ") else None
        if command.startswith("priority-flow-control ") and (line is None or line.words[-1] != str(value)):
            yield Flaw(f"{device.name} does not have '{command} {value}'", device.name, line, f"{command} {value}")


def marking_of_nics(devices: Sequence[Device]) -> Iterator[Flaw]:
    """The pause priority is the one that NICs give to the class's DSCP unless configured otherwise: DSCP / 8."""
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
