"""Server profiles: whole, bound to the server that is installed, and activated by nobody but its pool's roll-out."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, nothing
from .asked import Some, all_of, any_of, asked, each_of, holds, joined, members, sifted, some
from .installed import INSTALLED
from .inventory import (
    CHASSIS,
    DOMAIN,
    POLICY,
    POOL,
    PROFILE,
    Key,
    Object,
    Objects,
    attached,
    key,
    objects,
    of,
    of_type,
    spec,
    target,
)
from .services import SERVICES

_POLICIES: Final = (
    "https://www.cisco.com/c/en/us/products/collateral/cloud-systems-management/intersight/intersight-policies-so.html"
)
_NEEDED: Final = (
    "kvm.Policy",
    "vmedia.Policy",
    "power.Policy",
    "storage.StoragePolicy",
    "bios.Policy",
    "boot.PrecisionPolicy",
)
_BY_PLATFORM: Final = {"FIAttached": ("vnic.LanConnectivityPolicy",), "Standalone": ("ntp.Policy",)}
"""A server behind Fabric Interconnects has their time: its profile takes no ntp.Policy."""

_BUILT_IN: Final = ("iam.EndPointRole",)
"""Types whose objects every account has from the start."""


def server_profiles(resources: Sequence[Resource]) -> list[Resource]:
    """Server profiles. Raises NotApplicable where there is none."""
    found = [each for each in resources if each.type == PROFILE]
    if not found:
        raise NotApplicable("no server profile")
    return found


def _whole(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    profiles = server_profiles(resources)

    @cache
    def logs() -> bool:
        attach = (lambda: holds(lambda each: "syslog.Policy" in attached(each, known), profiles),
                  lambda: holds(lambda _: True, of_type(resources, "syslog.Policy")))  # fmt: skip
        return any_of(attach)

    def needed(profile: Resource) -> Iterator[str]:
        yield from _NEEDED
        of_some = (lambda: ("syslog.Policy",) if logs() else (),
                   lambda: _BY_PLATFORM.get(str(spec(profile).get("target_platform")), ()))  # fmt: skip
        yield from all_of(of_some)

    def lacks(profile: Resource) -> Iterator[Finding]:
        own = attached(profile, known)
        kinds = sifted(lambda kind: kind not in own, needed(profile))
        return joined(kinds, lambda those: Finding(f"{profile.name} has no {', '.join(those)}", profile.urn))

    yield from asked(lacks, profiles)


def _organization(resource: Resource) -> str:
    return str(spec(resource).get("organization"))


def _exist(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    owners = [each for each in resources if each.type in (POLICY, POOL, PROFILE, DOMAIN, CHASSIS)]
    if not owners:
        raise NotApplicable("nothing of Intersight's")
    there = [each for each in owners if each.type in (POLICY, POOL)]
    places = some(each_of(lambda each: (_organization(each), key(spec(each))), there))
    used = some(asked(_named_by, owners))
    parts = (
        *(partial(ask, each) for each in owners for ask in (partial(_missing, known), partial(_apart, places, known))),
        *(partial(_unused, used, each) for each in there),
    )
    yield from all_of(parts)


def _missing(known: Objects, owner: Resource) -> Iterator[Finding]:
    needed = each_of(" ".join, sifted(lambda key: key not in known, _needed_by(owner)))
    yield from joined(
        needed,
        lambda those: Finding(f"{owner.name} names {', '.join(sorted({*those}))}, which nobody defines", owner.urn),
    )


def _apart(places: Some[tuple[str, Key]], known: Objects, owner: Resource) -> Iterator[Finding]:
    own = _organization(owner)
    elsewhere = sifted(lambda key: key in known and not places.has((own, key)), _needed_by(owner))
    text = f"{owner.name} is in the organization {own} and names"
    yield from joined(
        each_of(" ".join, elsewhere),
        lambda those: Finding(f"{text} {', '.join(sorted({*those}))} of another", owner.urn),
    )


def _unused(used: Some[Key], each: Resource) -> Iterator[Finding]:
    if not used.has(key(spec(each))):
        yield Finding(f"{each.name} is defined, and no profile or policy names it", each.urn)


def _needed_by(resource: Resource) -> Iterator[Key]:
    return sifted(lambda key: key[0] not in _BUILT_IN, _named_by(resource))


def _named_by(resource: Resource) -> Iterator[Key]:
    about = spec(resource)

    def owners() -> Iterator[Object]:
        yield about
        yield from members(about.get("children"))

    def references() -> Iterator[Key]:
        maps = each_of(lambda each: each.get("references") or {}, owners())
        return asked(target, asked(members, maps))

    def policies() -> Iterator[Key]:
        named: Any = about.get("policies") or ()
        return asked(target, members(named)) if isinstance(named, Mapping) else target(named)

    return all_of((references, lambda: target(about.get("uuid_pool")), policies))


def _staged(resources: Sequence[Resource]) -> Iterator[Finding]:
    return asked(_stages, server_profiles(resources))


def _stages(profile: Resource) -> Iterator[Finding]:
    if spec(profile).get("action") != "stage":
        yield Finding(f"{profile.name} restarts its server as soon as a setting needs it", profile.urn)


PROFILES: tuple[StackRule, ...] = (
    StackRule(
        id="compute-profiles-whole",
        title="A server profile has time, console, media, power, storage, BIOS and boot policies",
        why="What a profile leaves out keeps what the server had before: two servers of one role are then not alike.",
        fix="Attach a policy of each of these types; leave the role's policies as they are made.",
        reference=_POLICIES,
        severity="high",
        excused_by=of(POLICY),
        types=of(PROFILE, POLICY),
        compare=_whole,
    ),
    StackRule(
        id="compute-references-exist",
        title="What a profile or policy names is defined, and what is defined is named",
        why="An unknown name stops an apply half-way; a policy that nobody names reaches no server.",
        fix="Define the object or attach it; keep a cluster's objects in one organization.",
        reference=_POLICIES,
        severity="high",
        types=of(PROFILE, POLICY, POOL, DOMAIN, CHASSIS),
        compare=_exist,
    ),
    *INSTALLED,
    *SERVICES,
    StackRule(
        id="compute-restarts-by-roll-out",
        title="A server profile is staged; its pool's roll-out restarts the server",
        why="A profile that is deployed restarts its server at once, and all servers of a shared policy together.",
        fix="Set action to stage; the roll-out drains one node after another.",
        reference=_POLICIES,
        severity="critical",
        excused_by=nothing,
        types=of(PROFILE),
        compare=_staged,
    ),
)
