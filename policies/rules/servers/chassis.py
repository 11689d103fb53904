"""Chassis: what their profiles leave to the blades when a supply or a feed fails."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule
from .inventory import CHASSIS, POLICY, ROLE, attached, objects, of, properties, spec

_POWER: Final = (
    "https://www.cisco.com/c/en/us/support/docs/servers-unified-computing/unified-computing-system/"
    "223066-configure-power-policy-on-ucs-x9508.html"
)
_SPARE: Final = {"N+1": 1, "N+2": 2}
"""Supplies that a mode keeps back; Grid keeps back those of one of two feeds."""


def _redundant(resources: Sequence[Resource]) -> Iterator[Finding]:
    profiles = [each for each in resources if each.type == CHASSIS]
    if not profiles:
        raise NotApplicable("no chassis profile")
    known, about = objects(resources), _facts(resources)
    for each in profiles:
        box = about.get(str(spec(each).get("name"))) or {}
        policy = attached(each, known).get("power.Policy")
        if policy is None:
            yield Finding(f"{each.name} has no power policy", each.urn)
        elif box.get("blades"):
            yield from (Finding(f"{policy.name} {text}", policy.urn) for text in _left(properties(policy), box))


def _facts(resources: Sequence[Resource]) -> dict[str, Any]:
    """What stands in each chassis and feeds it, by its name."""
    found: dict[str, Any] = {}
    for each in resources:
        if each.type == ROLE:
            found |= (each.props.get("about") or {}).get("chassis") or {}
    return found


def _left(power: Mapping[str, Any], box: Mapping[str, Any]) -> Iterator[str]:
    mode, blades = str(power.get("RedundancyMode") or "Grid"), len(box["blades"])
    if mode == "NotRedundant":
        yield f"keeps no supply back under {blades} blades: the first that fails takes them down"
        return
    if mode == "Grid" and int(box["feeds"]) < 2:
        yield "says Grid in a rack with one feed: when it fails, nothing is left"
    if power.get("ExtendedPowerCapacity", "Enabled") == "Enabled":
        yield f"lends what {mode} keeps back to {blades} blades"
    limit, watts = int(power.get("AllocatedBudget") or 0), int(box["watts"])
    if 0 < limit < watts:
        yield f"allows {limit} W, its blades draw up to {watts} W"
    fitted = int(box["supplies"])
    kept = fitted - fitted // 2 if mode == "Grid" else _SPARE[mode]
    enough = (fitted - kept) * int(box["supply_watts"])
    if enough < watts:
        yield f"leaves {enough} W under {mode}, its blades draw up to {watts} W"


CHASSIS_RULES: tuple[StackRule, ...] = (
    StackRule(
        id="compute-chassis-keeps-redundancy",
        title="A chassis with blades in it keeps supplies back, and lends none of them",
        why="A lost supply or feed then takes every blade of the chassis at once, with all jobs on them.",
        fix="Set RedundancyMode Grid on two feeds, else N+1 or N+2; ExtendedPowerCapacity Disabled; no low limit.",
        reference=_POWER,
        severity="critical",
        excused_by=of(POLICY),
        types=of(CHASSIS, POLICY, ROLE),
        compare=_redundant,
    ),
)
