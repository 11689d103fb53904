"""What a vNIC names: an address, and all policies of its platform."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, apart, known, once
from .asked import all_of, asked, each_of, joined, sifted
from .inventory import (
    POLICY,
    PROFILE,
    Object,
    Objects,
    attached,
    called,
    children,
    objects,
    of,
    part,
    properties,
    spec,
    target,
)

_LAN: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/lan_connectivity/"
_ALWAYS: Final = ("EthQosPolicy", "EthAdapterPolicy")
_ATTACHED: Final = (*_ALWAYS, "FabricEthNetworkGroupPolicy", "FabricEthNetworkControlPolicy")
_STANDALONE: Final = (*_ALWAYS, "EthNetworkPolicy")
_TEMPLATE: Final = "SrcTemplate"
"""A vNIC of a template has its policies there."""


def _whole(resources: Sequence[Resource]) -> Iterator[Finding]:
    known_objects = objects(resources)
    profiles = (each for each in resources if each.type == PROFILE)
    found, unknown = known(asked(lambda each: _lan(each, known_objects), profiles, "no profile has vNICs"))
    if not found and unknown is None:
        raise NotApplicable("no profile has vNICs")
    users: dict[tuple[str, str], tuple[Resource, Resource, str]] = {}
    for each, lan, platform in found:
        users.setdefault((lan.urn, platform), (each, lan, platform))
    parts = (partial(ask, *each) for each in users.values() for ask in (_platform, partial(_each_vnic, known_objects)))
    yield from once(all_of(parts))
    if unknown is not None:
        raise unknown


def _lan(profile: Resource, known_objects: Objects) -> Iterator[tuple[Resource, Resource, str]]:
    lan = attached(profile, known_objects).get("vnic.LanConnectivityPolicy")
    if lan is not None:
        yield profile, lan, str(spec(profile).get("target_platform"))


def _platform(profile: Resource, lan: Resource, platform: str) -> Iterator[Finding]:
    if (of_lan := properties(lan).get("TargetPlatform")) != platform:
        yield Finding(f"{lan.name} is for {of_lan} servers, {profile.name} is {platform}", lan.urn)


def _each_vnic(known_objects: Objects, _: Resource, lan: Resource, platform: str) -> Iterator[Finding]:
    def network(vnic: Object) -> Iterator[Finding]:
        named = target(part(vnic, "references").get("EthNetworkPolicy"))
        there = each_of(known_objects.__getitem__, sifted(known_objects.__contains__, named))
        for each in sifted(lambda each: properties(each).get("TargetPlatform") != platform, there):
            yield Finding(f"{each.name} is not for {platform} servers, and {lan.name} names it", lan.urn)

    def lacking(vnic: Object) -> Iterator[Finding]:
        text = f"{lan.name} {called(vnic)} has no"
        return joined(_lacks(vnic, platform), lambda those: Finding(f"{text} {', '.join(those)}", lan.urn))

    vnics = children(lan, "vnic.EthIf")
    parts = asked(lambda vnic: (partial(ask, vnic) for ask in (network, lacking)), vnics)
    return all_of(parts)


def _lacks(vnic: Object, platform: str) -> Iterator[str]:
    references = part(vnic, "references")
    if references.get(_TEMPLATE):
        return
    behind = platform == "FIAttached"
    policies = sifted(lambda name: not references.get(name), _ATTACHED if behind else _STANDALONE)
    yield from apart((policies, _no_address(vnic, references) if behind else ()))


def _no_address(vnic: Object, references: Object) -> Iterator[str]:
    about = part(vnic, "properties")
    kind_of = about.get("MacAddressType")
    if kind_of == "STATIC" and not about.get("StaticMacAddress"):
        yield "StaticMacAddress"
    if kind_of != "STATIC" and not (kind_of == "POOL" and references.get("MacPool")):
        yield "MacPool"


VNIC_POLICIES: tuple[StackRule, ...] = (
    StackRule(
        id="compute-vnic-complete",
        title="A vNIC has an address and all policies of its platform",
        why="Intersight validates a vNIC when its profile is deployed: what is missing stops a roll-out half-way.",
        fix="Give each vNIC QoS, adapter and network policies, and behind interconnects a MAC pool or static address.",
        reference=_LAN,
        severity="high",
        excused_by=of(PROFILE),
        types=of(POLICY, PROFILE),
        compare=_whole,
    ),
)
