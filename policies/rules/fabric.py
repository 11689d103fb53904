"""Rules of the lossless class: what every hop must have so that RoCE does not lose packets."""

from collections.abc import Iterator, Mapping, Sequence

from .nexus import SWITCH, Port, SwitchText, switch
from .rule import Finding, NotApplicable, Resource, Rule, StackRule

_SOURCE = "https://www.cisco.com/c/en/us/td/docs/dcn/whitepapers/cisco-data-center-networking-blueprint-for-ai-ml-applications.html"


def _pfc(resource: Resource) -> Iterator[str]:
    box = switch(resource)
    for port in box.ports:
        if "priority-flow-control mode on" not in port.lines:
            yield f"{box.hostname} {port.name} (to {port.device}) does not have priority-flow-control mode on"
    nqos = box.attached("network-qos")
    pause = f"pause pfc-cos {box.priority}"
    if nqos is None:
        yield f"{box.hostname} attaches no network-qos policy under system qos: no class is no-drop"
    elif pause not in box.subclass(nqos, f"c-8q-nq{box.priority}"):
        yield f"{box.hostname} {nqos} has no '{pause}' in class c-8q-nq{box.priority}"
    good: dict[str, bool] = {}
    for port in box.ports:
        policy = port.value("service-policy type qos input")
        if policy is not None and policy not in good:
            good[policy] = _classifies(box, policy)
        if policy is None:
            yield f"{box.hostname} {port.name} classifies nothing: RoCE packets arrive in the default class"
        elif not good[policy]:
            yield f"{box.hostname} {port.name}: {policy} does not put DSCP {box.dscp} into qos-group {box.priority}"


def _classifies(box: SwitchText, policy: str) -> bool:
    name = None
    for raw in box.config.get(f"policy-map type qos {policy}", "").splitlines():
        line = raw.strip()
        if line.startswith("class "):
            name = line.split()[1]
        elif line == f"set qos-group {box.priority}" and name and _matches(box.config, name, box.dscp):
            return True
    return False


def _matches(config: Mapping[str, str], name: str, dscp: int) -> bool:
    for line, text in config.items():
        if line.startswith("class-map type qos") and line.split()[-1] == name:
            for child in text.splitlines():
                words = child.split()
                if words[:2] == ["match", "dscp"] and any(_within(part, dscp) for part in words[2].split(",")):
                    return True
    return False


def _within(part: str, dscp: int) -> bool:
    low, _, high = part.partition("-")
    return int(low) <= dscp <= int(high or low)


def _watchdog(resource: Resource) -> Iterator[str]:
    box = switch(resource)
    line = "priority-flow-control watch-dog-interval on"
    if line not in box.config:
        yield f"{box.hostname} does not have '{line}' globally"
    for port in box.ports:
        if not any(own == line or own.startswith(f"{line} ") for own in port.lines):
            yield f"{box.hostname} {port.name} (to {port.device}) does not have '{line}'"


def _ecn(resource: Resource) -> Iterator[str]:
    box = switch(resource)
    queuing = box.attached("queuing")
    if queuing is None:
        yield f"{box.hostname} attaches no queuing policy under system qos"
    own = {port.value("service-policy type queuing output") for port in box.ports} - {None}
    used = [*([queuing] if queuing else []), *(f"policy-map type queuing {name}" for name in sorted(map(str, own)))]
    for policy in used:
        marks = [line for line in box.subclass(policy, f"c-out-8q-q{box.priority}") if line.startswith("random-detect")]
        if not marks:
            yield f"{box.hostname} {policy} has no random-detect line in c-out-8q-q{box.priority}"
        elif not marks[0].endswith(" ecn"):
            yield f"{box.hostname} {policy} drops early instead of marking: '{marks[0]}' lacks the ecn keyword"


def _mtu(resources: Sequence[Resource]) -> Iterator[Finding]:
    ends: dict[tuple[str, str], tuple[Port, str, str]] = {}
    for resource in (each for each in resources if each.type == SWITCH):
        try:
            box = switch(resource)
        except NotApplicable:
            continue
        for port in box.ports:
            ends[box.hostname, port.name] = (port, port.value("mtu") or "1500", resource.urn)
    if not ends:
        raise NotApplicable("no switch carries a lossless class")
    for (hostname, name), (port, mtu, urn) in ends.items():
        other = ends.get((port.device, port.peer))
        if other and other[1] != mtu and (hostname, name) < (port.device, port.peer):
            yield Finding(f"{hostname} {name} has mtu {mtu}, {port.device} {port.peer} has mtu {other[1]}", urn)
    yield from _host_mtu(resources, min(int(mtu) for _, mtu, _ in ends.values()))


def _host_mtu(resources: Sequence[Resource], lowest: int) -> Iterator[Finding]:
    for resource in resources:
        if not resource.type.endswith(":SriovNetworkNodePolicy"):
            continue
        mtu = int((resource.props.get("spec") or {}).get("mtu") or 1500)
        if mtu > lowest:
            yield Finding(
                f"{resource.name} gives server NICs mtu {mtu}; a switch on the path has {lowest}", resource.urn
            )


FABRIC: tuple[Rule | StackRule, ...] = (
    Rule(
        id="fabric-pfc-on-every-hop",
        title="PFC is on at every hop of a lossless class",
        why="RoCE throughput collapses when one hop drops; a pause must work at both ends of each link.",
        fix='Set fabric.lossless.pfc: "on" and remove lines in fabric.extra that undo it.',
        reference=_SOURCE,
        severity="critical",
        check=_pfc,
    ),
    Rule(
        id="fabric-pfc-watchdog",
        title="The PFC watchdog is on",
        why="Without it one stuck receiver pauses every sender back to the source, and the storm does not end.",
        fix='Set fabric.lossless.watchdog: "on".',
        reference=_SOURCE,
        severity="high",
        check=_watchdog,
    ),
    Rule(
        id="fabric-ecn-on-lossless-queue",
        title="The lossless queue marks ECN",
        why="ECN slows senders before PFC has to stop them; without it every congestion becomes a pause that spreads.",
        fix="Give fabric.lossless.ecn thresholds (min_kbytes, max_kbytes) instead of null.",
        reference=_SOURCE,
        severity="high",
        check=_ecn,
    ),
    StackRule(
        id="fabric-mtu-agrees-on-path",
        title="MTU agrees along the path",
        why="A routed hop with a smaller MTU drops full-size RDMA packets, and RDMA does not fragment.",
        fix="Use one fabric.lossless.mtu for all switches and a host_mtu below it; remove mtu lines from fabric.extra.",
        reference=_SOURCE,
        severity="critical",
        check=_mtu,
    ),
)
