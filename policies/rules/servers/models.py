"""What single models of servers need: a C845A its own family, a rack server with GPUs its fans."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from ..resource import Resource
from ..rule import Finding, StackRule, nothing
from .asked import all_of, asked, sifted
from .inventory import MACHINES, POLICY, PROFILE, Objects, attached, machines, objects, of, properties, spec
from .profiles import server_profiles

_FAMILY_GUIDE: Final = "https://www.cisco.com/c/en/us/products/collateral/servers-unified-computing/ucs-c-series-rack-servers/ucs-c845a-m8-rack-server-ds.html"
_THERMAL: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/thermal/"
_OWN_TOKENS: Final = "845A"
_FAMILY: Final = "UCSC845A"
"""Model with BIOS tokens of its own, and its name in server.Profile.ServerFamily and bios.Policy.Model."""
_COLD: Final = ("HighPower", "MaximumPower", "MaximumCooling")


def _family(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    own = sifted(lambda each: _OWN_TOKENS in str(spec(each).get("model")), server_profiles(resources))
    parts = asked(lambda each: (partial(_of_profile, each), partial(_of_policy, each, known)), own, "no C845A")
    yield from all_of(parts)


def _of_profile(profile: Resource) -> Iterator[Finding]:
    family = spec(profile).get("server_family")
    if family != _FAMILY:
        yield Finding(f"{profile.name} has the server family {family or 'unset'}", profile.urn)


def _of_policy(profile: Resource, known: Objects) -> Iterator[Finding]:
    policy = attached(profile, known).get("bios.Policy")
    if policy is not None and properties(policy).get("Model") != _FAMILY:
        yield Finding(f"{policy.name} has the model {properties(policy).get('Model') or 'unset'}", policy.urn)


def _fans(resources: Sequence[Resource]) -> Iterator[Finding]:
    known, about = objects(resources), machines(resources)

    def hot(profile: Resource) -> bool:
        rack = spec(profile).get("target_platform") == "Standalone"
        return rack and bool(about.get(str(spec(profile).get("name")), {}).get("gpus"))

    profiles = (each for each in resources if each.type == PROFILE)
    yield from asked(lambda each: _mode(each, known), sifted(hot, profiles), "no rack server with GPUs")


def _mode(profile: Resource, known: Objects) -> Iterator[Finding]:
    policy = attached(profile, known).get("thermal.Policy")
    mode = properties(policy).get("FanControlMode") if policy is not None else None
    if mode not in _COLD:
        text = f"{profile.name} carries GPUs and cools them in mode {mode or 'unset'}"
        yield Finding(text, (policy or profile).urn)


MODELS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-c845a-family",
        title="A C845A has its own family in profile and BIOS policy",
        why="It has BIOS tokens of its own: a profile or policy of another family is refused, or sets none of them.",
        fix="Set server_family of the profile and Model of its BIOS policy to UCSC845A.",
        reference=_FAMILY_GUIDE,
        severity="high",
        excused_by=nothing,
        types=of(PROFILE, POLICY),
        compare=_family,
    ),
    StackRule(
        id="compute-gpu-fans",
        title="A rack server with GPUs blows more than its sensors ask for",
        why="Passive GPUs are cooled by the chassis: at balanced fans they throttle before any sensor is hot.",
        fix="Set FanControlMode to HighPower, MaximumPower or MaximumCooling.",
        reference=_THERMAL,
        severity="medium",
        excused_by=of(POLICY),
        types=of(PROFILE, POLICY, *MACHINES),
        compare=_fans,
    ),
)
