"""Fabric Interconnect pairs: alike on both fabrics, cabled as planned, with classes and VLANs that servers need."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from ..nexus.port import Port
from ..resource import Resource, UnknownValueError
from ..rule import Finding, NotApplicable, StackRule, apart, known
from ..switches import SWITCH, switch
from .asked import all_of, any_of, asked, differ, each_of, holds, joined, members, sifted, some
from .inventory import (
    DOMAIN,
    PAIR,
    POLICY,
    Object,
    Objects,
    children,
    domain_name,
    named,
    objects,
    of,
    pairs,
    part,
    properties,
    shown,
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
Role = tuple[str, int, int]
"""What a port is for, its slot and its number."""
Sides = Mapping[str, Callable[[], Mapping[str, Resource]]]


def sides(domain: Resource, known: Objects) -> dict[str, Callable[[], Mapping[str, Resource]]]:
    """Policies of each interconnect by type, by fabric; each is read when it is asked for."""
    policies = part(spec(domain), "policies")
    return {str(side): lambda side=side: named(policies[side], known) for side in policies}  # type: ignore[misc]


def vlans(policies: Mapping[str, Resource]) -> Iterator[int]:
    """VLANs that an interconnect creates."""
    policy = policies.get("fabric.EthNetworkPolicy")
    found = children(policy, "fabric.Vlan") if policy is not None else iter(())
    return each_of(lambda each: int(part(each, "properties").get("VlanId") or 0), found)


def uplinks(policies: Mapping[str, Resource]) -> Iterator[Object]:
    """Uplink port channels of an interconnect."""
    policy = policies.get("fabric.PortPolicy")
    return children(policy, "fabric.UplinkPcRole") if policy is not None else iter(())


def roles(policies: Mapping[str, Resource]) -> Iterator[Role]:
    """Role, slot and number of each port; a mode (Fibre Channel, broken out) is one of each port that it names."""
    policy = policies.get("fabric.PortPolicy")
    return asked(_ports_of, members(spec(policy).get("children"))) if policy is not None else iter(())


def _ports_of(child: Object) -> Iterator[Role]:
    about, what = part(child, "properties"), str(child.get("object_type"))
    ports = members(about.get("Ports")) if "Ports" in about else iter([about])
    slots = each_of(lambda port: (int(port.get("SlotId") or 0), _numbers(port)), ports)
    return asked(lambda each: ((what, each[0], number) for number in each[1]), slots)


def _numbers(port: Object) -> range:
    """The port, or the ports from the first to the last one of a mode."""
    first = int(port.get("PortIdStart") or port.get("PortId") or 0)
    return range(first, int(port.get("PortIdEnd") or first) + 1)


def faced(resources: Sequence[Resource], device: str) -> Iterator[tuple[Resource, Port]]:
    """Ports of the frontend's switches that face a device."""

    def of_switch(resource: Resource) -> Iterator[tuple[Resource, Port]]:
        one = switch(resource)
        facing = sifted(lambda port: one.links[port].device == device, one.links)
        return each_of(lambda port: (resource, one.port(port)), facing)

    return asked(of_switch, (each for each in resources if each.type == SWITCH))


def both(domain: Resource, found: Mapping[str, Iterable[str]]) -> Iterator[Finding]:
    """Sentences about both interconnects, by fabric; what is so on both of them is one finding."""
    where: dict[str, list[str]] = {}
    unsure: UnknownValueError | None = None
    for side, sentences in sorted(found.items()):
        those, unknown = known(sentences)
        unsure = unsure or unknown
        for sentence in those:
            where.setdefault(sentence, []).append(side)
    for sentence, on in where.items():
        yield Finding(f"{_subject(domain)} {' and '.join(on)}: {sentence}", domain.urn)
    if unsure is not None:
        raise unsure


def _subject(domain: Resource) -> str:
    """Name of a pair as a sentence has it: that of its resource, where it is not known."""
    try:
        return domain_name(domain)
    except UnknownValueError:
        return domain.name


def domains(resources: Sequence[Resource]) -> list[Resource]:
    """Domain profiles. Raises NotApplicable where there is none."""
    found = [each for each in resources if each.type == DOMAIN]
    if not found:
        raise NotApplicable("no Fabric Interconnects")
    return found


def _alike(resources: Sequence[Resource]) -> Iterator[Finding]:
    there, about = objects(resources), pairs(resources)

    def compared(domain: Resource) -> Iterator[Finding]:
        found = sides(domain, there)
        parts = (partial(_bound, domain, about), partial(_lacking, found), partial(_different, found))
        sentences = all_of(parts)
        return each_of(lambda each: Finding(f"{_subject(domain)} {each}", domain.urn), sentences)

    yield from asked(compared, domains(resources))


def _bound(domain: Resource, about: Mapping[str, Object]) -> Iterator[str]:
    return asked(lambda ask: ask(domain, about), (_is_pair, _serials, _deployed))


def _is_pair(domain: Resource, about: Mapping[str, Object]) -> Iterator[str]:
    if holds(lambda _: True, about) and about.get(domain_name(domain), {}).get("serials") is None:
        yield "is no pair of interconnects that is defined"


def _serials(domain: Resource, about: Mapping[str, Object]) -> Iterator[str]:
    serials = part(spec(domain), "serials")

    def one() -> bool:
        return len({serials[side] for side in serials}) < 2

    def other() -> bool:
        wanted = about.get(domain_name(domain), {}).get("serials")
        return bool(wanted) and differ(serials, wanted)

    if any_of((one, other)):
        yield f"is bound to {shown(serials, 'A')} and {shown(serials, 'B')}, which is not this pair"


def _deployed(domain: Resource, _: Mapping[str, Object]) -> Iterator[str]:
    if spec(domain).get("action") != "deploy":
        yield "is not deployed: no server behind it is ever found"


def _side(found: Sides, side: str) -> Mapping[str, Resource]:
    return found[side]() if side in found else {}


def _lacking(found: Sides) -> Iterator[str]:
    return asked(lambda side: _lacks(side, _side(found, side)), ("A", "B"))


def _lacks(side: str, own: Mapping[str, Resource]) -> Iterator[str]:
    kinds = sifted(lambda kind: kind not in own, _NEEDED)
    return joined(kinds, lambda those: f"{side} has no {', '.join(those)}")


def _different(found: Sides) -> Iterator[str]:
    one, two = _side(found, "A"), _side(found, "B")
    kinds = ("fabric.SystemQosPolicy", "fabric.SwitchControlPolicy")
    policies = (partial(_policy, each, one, two) for each in kinds)
    return all_of((partial(_vlans, one, two), partial(_roles, one, two), *policies))


def _vlans(one: Mapping[str, Resource], two: Mapping[str, Resource]) -> Iterator[str]:
    ours, theirs = some(vlans(one)), some(vlans(two))
    odd = apart((ours.without(theirs), theirs.without(ours)))
    return joined(odd, lambda those: f"has VLAN {','.join(map(str, sorted(those)))} on one interconnect only")


def _roles(one: Mapping[str, Resource], two: Mapping[str, Resource]) -> Iterator[str]:
    if Counter(role for role, _, _ in roles(one)) != Counter(role for role, _, _ in roles(two)):
        yield "has other uplinks or server ports on A than on B"


def _policy(kind: str, one: Mapping[str, Resource], two: Mapping[str, Resource]) -> Iterator[str]:
    if kind in one and kind in two and differ(properties(one[kind]), properties(two[kind])):
        yield f"has another {kind} on A than on B"


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
)
