"""What single models of servers need: a C845A its own family, a rack server with GPUs its fans."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, nothing
from .inventory import MACHINES, POLICY, PROFILE, attached, machines, objects, of, properties, spec
from .profiles import server_profiles

_FAMILY_GUIDE: Final = "https://www.cisco.com/c/en/us/products/collateral/servers-unified-computing/ucs-c-series-rack-servers/ucs-c845a-m8-rack-server-ds.html"
_THERMAL: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/thermal/"
_OWN_TOKENS: Final = "845A"
_FAMILY: Final = "UCSC845A"
"""Model with BIOS tokens of its own, and its name in server.Profile.ServerFamily and bios.Policy.Model."""
_COLD: Final = ("HighPower", "MaximumPower", "MaximumCooling")


def _family(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    own = [each for each in server_profiles(resources) if _OWN_TOKENS in str(spec(each).get("model"))]
    if not own:
        raise NotApplicable("no C845A")
    for each in own:
        policy = attached(each, known).get("bios.Policy")
        if spec(each).get("server_family") != _FAMILY:
            yield Finding(f"{each.name} has the server family {spec(each).get('server_family') or 'unset'}", each.urn)
        if policy is not None and properties(policy).get("Model") != _FAMILY:
            yield Finding(f"{policy.name} has the model {properties(policy).get('Model') or 'unset'}", policy.urn)


def _fans(resources: Sequence[Resource]) -> Iterator[Finding]:
    known, about = objects(resources), machines(resources)
    hot = [each for each in resources if each.type == PROFILE and spec(each).get("target_platform") == "Standalone"
           and about.get(str(spec(each).get("name")), {}).get("gpus")]  # fmt: skip
    if not hot:
        raise NotApplicable("no rack server with GPUs")
    for each in hot:
        policy = attached(each, known).get("thermal.Policy")
        mode = properties(policy).get("FanControlMode") if policy is not None else None
        if mode not in _COLD:
            yield Finding(f"{each.name} carries GPUs and cools them in mode {mode or 'unset'}", (policy or each).urn)


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
