"""Chassis: what their profiles leave to the blades when a supply or a feed fails."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, StackRule
from .asked import asked, each_of, indexed
from .inventory import CHASSIS, POLICY, ROLE, Object, Objects, attached, objects, of, part, properties, spec

_POWER: Final = (
    "https://www.cisco.com/c/en/us/support/docs/servers-unified-computing/unified-computing-system/"
    "223066-configure-power-policy-on-ucs-x9508.html"
)
_SPARE: Final = {"N+1": 1, "N+2": 2}
"""Supplies that a mode keeps back; Grid keeps back those of one of two feeds."""
_NONE: Final = "NotRedundant"


def _redundant(resources: Sequence[Resource]) -> Iterator[Finding]:
    profiles = (each for each in resources if each.type == CHASSIS)
    known, about = objects(resources), _facts(resources)
    yield from asked(lambda each: _kept(each, known, about), profiles, "no chassis profile")


def _kept(profile: Resource, known: Objects, about: Mapping[str, tuple[str, Any]]) -> Iterator[Finding]:
    policy = attached(profile, known).get("power.Policy")
    if policy is None:
        yield Finding(f"{profile.name} has no power policy", profile.urn)
        return
    name, boxes = about.get(str(spec(profile).get("name")), ("", {}))
    box = boxes.get(name) or {}
    if box.get("blades"):
        questions = (_none, _feeds, _lent, _limit, _enough)
        power = properties(policy)
        sentences = asked(lambda ask: ask(power, box), questions)
        yield from (Finding(f"{policy.name} {text}", policy.urn) for text in sentences)


def _facts(resources: Sequence[Resource]) -> Mapping[str, tuple[str, Any]]:
    """The facts of all chassis of a role, by the name of each, which comes with them."""
    roles = (each for each in resources if each.type == ROLE)
    boxes = each_of(lambda each: part(each.props, "about", "chassis"), roles)
    named = asked(lambda each: ((name, each) for name in each), boxes)
    return indexed(named, lambda each: each[0])


def _mode(power: Object) -> str:
    return str(power.get("RedundancyMode") or "Grid")


def _none(power: Object, box: Object) -> Iterator[str]:
    if _mode(power) == _NONE:
        yield f"keeps no supply back under {len(box['blades'])} blades: the first that fails takes them down"


def _feeds(power: Object, box: Object) -> Iterator[str]:
    if _mode(power) == "Grid" and int(box["feeds"]) < 2:
        yield "says Grid in a rack with one feed: when it fails, nothing is left"


def _lent(power: Object, box: Object) -> Iterator[str]:
    if power.get("ExtendedPowerCapacity", "Enabled") == "Enabled" and (mode := _mode(power)) != _NONE:
        yield f"lends what {mode} keeps back to {len(box['blades'])} blades"


def _limit(power: Object, box: Object) -> Iterator[str]:
    limit, watts = int(power.get("AllocatedBudget") or 0), int(box["watts"])
    if 0 < limit < watts and _mode(power) != _NONE:
        yield f"allows {limit} W, its blades draw up to {watts} W"


def _enough(power: Object, box: Object) -> Iterator[str]:
    if (mode := _mode(power)) == _NONE:
        return
    fitted, watts = int(box["supplies"]), int(box["watts"])
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
