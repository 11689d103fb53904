"""Fabric Interconnect pairs: alike on both fabrics, cabled as planned, with classes and VLANs that servers need."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ..nexus.port import Port
from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from ..switches import SWITCH, switch
from .inventory import (
    DOMAIN,
    PAIR,
    POLICY,
    PROFILE,
    Key,
    Object,
    children,
    domain_name,
    named,
    objects,
    of,
    pairs,
    properties,
    spec,
)

DOMAIN_GUIDE: Final = "https://www.cisco.com/c/en/us/td/docs/unified_computing/Intersight/b_Intersight_Managed_Mode_Configuration_Guide/b_intersight_managed_mode_guide_chapter_0101.html"
_NEEDED: Final = (
    "fabric.EthNetworkPolicy",
    "fabric.PortPolicy",
    "fabric.SystemQosPolicy",
    "fabric.SwitchControlPolicy",
    "ntp.Policy",
    "networkconfig.Policy",
)
_UPLINK_REFERENCES: Final = ("EthNetworkGroupPolicy", "FlowControlPolicy", "LinkAggregationPolicy")


def sides(domain: Resource, known: Mapping[Key, Resource]) -> dict[str, dict[str, Resource]]:
    """Policies of each interconnect, by fabric and type."""
    return {str(side): named(items(each), known) for side, each in (spec(domain).get("policies") or {}).items()}


def vlans(policies: Mapping[str, Resource]) -> set[int]:
    """VLANs that an interconnect creates."""
    policy = policies.get("fabric.EthNetworkPolicy")
    found = children(policy, "fabric.Vlan") if policy is not None else []
    return {int((each.get("properties") or {}).get("VlanId") or 0) for each in found}


def uplinks(policies: Mapping[str, Resource]) -> list[Object]:
    """Uplink port channels of an interconnect."""
    policy = policies.get("fabric.PortPolicy")
    return children(policy, "fabric.UplinkPcRole") if policy is not None else []


def roles(policies: Mapping[str, Resource]) -> list[tuple[str, int, int]]:
    """Role, slot and number of each port; a mode (Fibre Channel, broken out) is one of each port that it names."""
    policy = policies.get("fabric.PortPolicy")
    found = []
    for each in items(spec(policy).get("children")) if policy is not None else ():
        about, what = each.get("properties") or {}, str(each.get("object_type"))
        ports = items(about.get("Ports")) if "Ports" in about else [about]
        found += [(what, int(port.get("SlotId") or 0), number) for port in ports for number in _numbers(port)]
    return sorted(found)


def _numbers(port: Object) -> range:
    """The port, or the ports from the first to the last one of a mode."""
    first = int(port.get("PortIdStart") or port.get("PortId") or 0)
    return range(first, int(port.get("PortIdEnd") or first) + 1)


def faced(resources: Sequence[Resource], device: str) -> list[tuple[Resource, Port]]:
    """Ports of the frontend's switches that face a device."""
    found = [(each, switch(each)) for each in resources if each.type == SWITCH]
    return [(each, one.port(port)) for each, one in found for port, end in one.links.items() if end.device == device]


def once(domain: Resource, found: Mapping[str, Iterable[str]]) -> Iterator[Finding]:
    """Sentences about both interconnects, by fabric; what is so on both of them is one finding."""
    where: dict[str, list[str]] = {}
    for side, sentences in sorted(found.items()):
        for sentence in sentences:
            where.setdefault(sentence, []).append(side)
    for sentence, both in where.items():
        yield Finding(f"{domain_name(domain)} {' and '.join(both)}: {sentence}", domain.urn)


def domains(resources: Sequence[Resource]) -> list[Resource]:
    """Domain profiles. Raises NotApplicable where there is none."""
    found = [each for each in resources if each.type == DOMAIN]
    if not found:
        raise NotApplicable("no Fabric Interconnects")
    return found


def _alike(resources: Sequence[Resource]) -> Iterator[Finding]:
    known, about = objects(resources), pairs(resources)
    for domain in domains(resources):
        both = sides(domain, known)
        sentences = [*_bound(domain, about), *_lacking(both), *_different(both.get("A", {}), both.get("B", {}))]
        yield from (Finding(f"{domain_name(domain)} {each}", domain.urn) for each in sentences)


def _bound(domain: Resource, about: Mapping[str, Object]) -> Iterator[str]:
    serials = dict(spec(domain).get("serials") or {})
    wanted = about.get(domain_name(domain), {}).get("serials")
    if about and wanted is None:
        yield "is no pair of interconnects that is defined"
    if len(set(serials.values())) < 2 or (wanted and serials != dict(wanted)):
        yield f"is bound to {serials.get('A')} and {serials.get('B')}, which is not this pair"
    if spec(domain).get("action") != "deploy":
        yield "is not deployed: no server behind it is ever found"


def _lacking(both: Mapping[str, Mapping[str, Resource]]) -> Iterator[str]:
    for side in ("A", "B"):
        lacks = [kind for kind in _NEEDED if kind not in both.get(side, {})]
        if lacks:
            yield f"{side} has no {', '.join(lacks)}"


def _different(one: Mapping[str, Resource], two: Mapping[str, Resource]) -> Iterator[str]:
    if vlans(one) != vlans(two):
        yield f"has VLAN {','.join(map(str, sorted(vlans(one) ^ vlans(two))))} on one interconnect only"
    if Counter(role for role, _, _ in roles(one)) != Counter(role for role, _, _ in roles(two)):
        yield "has other uplinks or server ports on A than on B"
    for kind in ("fabric.SystemQosPolicy", "fabric.SwitchControlPolicy"):
        if kind in one and kind in two and properties(one[kind]) != properties(two[kind]):
            yield f"has another {kind} on A than on B"


def _cabled(resources: Sequence[Resource]) -> Iterator[Finding]:
    known, about = objects(resources), pairs(resources)
    racks = any(not str(spec(each).get("model")).startswith("UCSX") for each in resources if each.type == PROFILE)
    for domain in domains(resources):
        found: dict[str, list[str]] = {}
        for side, own in sides(domain, known).items():
            ports = roles(own)
            cables = len(faced(resources, f"{domain_name(domain)}-{side.lower()}"))
            sentences = [*_ports(ports, cables), *_uplinks(own)]
            if policy := own.get("fabric.PortPolicy"):
                sentences += [*_planned(ports, policy, about.get(domain_name(domain), {}))]
                sentences += [] if racks else [*_devices(policy)]
            found[side] = sentences
        yield from once(domain, found)


def _ports(ports: Sequence[tuple[str, int, int]], cables: int) -> Iterator[str]:
    counts = Counter((slot, number) for _, slot, number in ports)
    twice = sorted(number for (_, number), count in counts.items() if count > 1)
    if twice:
        yield f"gives port {','.join(map(str, twice))} two roles"
    if any(slot != 1 for _, slot, _ in ports):
        yield "names a port outside slot 1, which is the only one of an interconnect"
    if not any(role == "fabric.ServerRole" for role, _, _ in ports):
        yield "has no server port"
    sent = sum(role.startswith("fabric.Uplink") for role, _, _ in ports)
    if not sent or (cables and cables != sent):
        yield f"has {sent} uplink ports for {cables} cables from the frontend"


def _uplinks(own: Mapping[str, Resource]) -> Iterator[str]:
    for each in uplinks(own):
        lacks = [name for name in _UPLINK_REFERENCES if not (each.get("references") or {}).get(name)]
        if lacks:
            yield f"{each.get('name')} has no {', '.join(lacks)}"
        speed = (each.get("properties") or {}).get("AdminSpeed", "Auto")
        if speed != "Auto":
            yield f"{each.get('name')} forces {speed}: its other end negotiates"


def _planned(ports: Sequence[tuple[str, int, int]], policy: Resource, about: Object) -> Iterator[str]:
    """Against the pair itself: its model, and the ports that are cabled."""
    model = properties(policy).get("DeviceModel")
    if about.get("model") and model != about["model"]:
        yield f"has ports of a {model or 'model that is not stated'}, it is a {about['model']}"
    for kind, start, key in (("uplink", "fabric.Uplink", "uplinks"), ("server", "fabric.ServerRole", "server_ports")):
        numbers = {number for role, _, number in ports if role.startswith(start)}
        odd = numbers ^ {int(each) for each in items(about.get(key))}
        if about.get(key) and odd:
            yield f"has other {kind} ports than are cabled: {','.join(map(str, sorted(odd)))}"


def _devices(policy: Resource) -> Iterator[str]:
    for each in children(policy, "fabric.ServerRole"):
        about = each.get("properties") or {}
        if about.get("PreferredDeviceType") == "RackServer":
            yield f"takes only a rack server at port {int(about.get('PortId') or 0)}, and the domain has blades"


INTERCONNECTS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-interconnects-alike",
        title="Both interconnects of a pair have the same VLANs, roles and policies",
        why="A server moves to the other fabric when one fails: what is missing there is missed only then.",
        fix="Give A and B of the domain profile the same policies, each of them complete.",
        reference=DOMAIN_GUIDE,
        severity="critical",
        excused_by=of(POLICY, PAIR),
        types=of(DOMAIN, POLICY, PAIR),
        compare=_alike,
    ),
    StackRule(
        id="compute-uplinks-as-cabled",
        title="Uplinks of an interconnect are those that the frontend is cabled to",
        why="A port with another role than its cable stays down, and the other fabric carries twice its load.",
        fix="Name each port once, in slot 1; domains.<name>.uplinks are as many as the frontend's cables.",
        reference=DOMAIN_GUIDE,
        severity="high",
        types=of(DOMAIN, POLICY, PAIR, PROFILE, SWITCH),
        compare=_cabled,
    ),
)
