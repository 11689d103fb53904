"""Switch resources as switches, and rules about switches as rules about resources."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

from .grouping import grouped
from .nexus.device import Device, End, Lossless, device
from .nexus.lines import planned
from .nexus.partly import PartlyKnown, PartlyKnownEnd, PartlyKnownLossless, PartlyKnownMap, partly, unlisted
from .resource import Resource, UnknownValueError
from .rule import Finding, Flaw, NexusRule, NotApplicable, Rule, RuleText, StackRule, known, nothing

SWITCH: Final = "podwright:nxos:Switch"
_PARSED: Final[WeakKeyDictionary[Resource, Device]] = WeakKeyDictionary()
"""Two dozen rules look at each switch; its configuration is parsed once for as long as its resource is in use."""


def is_switch(token: str) -> bool:
    """Whether a type token is that of a switch."""
    return token == SWITCH


def switch(resource: Resource) -> Device:
    """The switch behind a resource, as its plan would have it behave.

    Raises NotApplicable for other resources.
    """
    if resource.type != SWITCH:
        raise NotApplicable("only switches are checked")
    found = _PARSED.get(resource)
    if found is None:
        found = _PARSED[resource] = _parse(resource.props.get("spec") or {})
    return found


def _parse(spec: Mapping[str, Any]) -> Device:
    try:
        found = device(str(spec["hostname"]), planned(spec["config"]))
        found.role, found.management = _text(spec, "role"), _text(spec, "management")
        found.links = {str(port): _end(link) for port, link in (spec.get("links") or {}).items()}
        found.lossless = _lossless(spec, found)
    except UnknownValueError:
        found = _in_part(spec)
    found.planned = True
    return found


def _in_part(spec: Mapping[str, Any]) -> PartlyKnown:
    """The same of a switch whose name is known, and something is not."""
    name = str(spec["hostname"])
    try:
        found = partly(name, planned(spec["config"]))
    except UnknownValueError as unknown:
        found = unlisted(name, unknown)
    for key in ("role", "management"):
        with found.reading(key):
            setattr(found, key, _text(spec, key))
    with found.reading("links"):
        found.links = PartlyKnownMap(spec.get("links") or {}, _end)
    with found.reading("lossless"):
        found.lossless = _lossless(spec, found)
    return found


def _text(spec: Mapping[str, Any], key: str) -> str:
    return str(spec.get(key) or "")


def _end(link: Mapping[str, Any]) -> End:
    try:
        return End(str(link["device"]), str(link["port"]), str(link["role"]))
    except UnknownValueError:
        return PartlyKnownEnd.made(**{key: partial(_text, link, key) for key in ("device", "port", "role")})


def _lossless(spec: Mapping[str, Any], found: Device) -> Lossless | None:
    given = spec.get("lossless")
    if not given:
        return None
    # A cabled port that no block configures is a hop like any other, with the device's defaults.
    parts: dict[str, Callable[[], Any]] = {
        "group": lambda: int(given["priority"]),
        "priority": lambda: int(given["priority"]),
        "dscps": lambda: frozenset({int(given["dscp"])}),
        "cnp": lambda: None if given.get("cnp_dscp") is None else int(given["cnp_dscp"]),
        "ports": lambda: tuple(found.port(port) for port in found.links),
        "stated": lambda: {str(name): int(given[name]) for name in given if " " in str(name)},
    }
    if isinstance(found, PartlyKnown):
        return PartlyKnownLossless.made(**parts)
    return Lossless(**{name: of() for name, of in parts.items()})


def switches(resources: Sequence[Resource]) -> dict[str, tuple[Device, str]]:
    """Every switch of a stack with its URN, by hostname."""
    found = ((switch(each), each.urn) for each in resources if each.type == SWITCH)
    return {each.name: (each, urn) for each, urn in found}


def compared(judge: Callable[[Sequence[Device]], Iterable[Flaw]], resources: Sequence[Resource]) -> Iterator[Finding]:
    """What a rule about switches finds among those of a stack."""
    named = switches(resources)
    for flaw in judge([each for each, _ in named.values()]):
        yield _OfSwitch(flaw.message, named[flaw.device][1], _excused_by(flaw), flaw)


def _excused_by(flaw: Flaw) -> Sequence[Callable[[Resource], bool]] | None:
    """The same of resources; `nothing` is asked of none."""
    test = flaw.excused_by
    if test is None or test is nothing:
        return None if test is None else (nothing,)
    return (lambda resource: is_switch(resource.type), lambda resource: test(switch(resource)))


@dataclass(frozen=True)
class _OfSwitch(Finding):
    flaw: Flaw | None = field(default=None, compare=False)


def together(found: Sequence[Finding], resources: Sequence[Resource]) -> Iterator[Finding]:
    """One finding a cause, on the first of its resources; what is about others than switches after these."""
    flaws = [(each.flaw, each.urn) for each in found if isinstance(each, _OfSwitch) and each.flaw is not None]
    urns = {flaw.device: urn for flaw, urn in flaws}
    for each in grouped([flaw for flaw, _ in flaws], _names(resources)):
        yield Finding(each.message, urns[each.device])
    yield from (each for each in found if not isinstance(each, _OfSwitch))


def _names(resources: Sequence[Resource]) -> Iterator[str]:
    for each in resources:
        with suppress(UnknownValueError):
            yield from [switch(each).name] if is_switch(each.type) else []


def as_policy(rule: NexusRule) -> Rule | StackRule:
    """The rule as the engine runs it: on each switch where it checks switches alone, else on those of a cluster."""
    text: dict[str, Any] = {each.name: getattr(rule, each.name) for each in fields(RuleText)}
    if rule.alone:
        return Rule(**text, types=is_switch, check=partial(_alone, rule.judge))
    return StackRule(
        **text, types=is_switch, compare=partial(compared, rule.judge), together=together, excused_by=rule.excused_by
    )


def _alone(judge: Callable[[Sequence[Device]], Iterable[Flaw]], resource: Resource) -> Iterator[str]:
    """One sentence a cause; of a switch that is known in part, what was found before an unknown value was read."""
    found = switch(resource)
    flaws, unknown = known(judge([found]))
    yield from (flaw.message for flaw in grouped(flaws, [found.name]))
    if unknown is not None:
        raise unknown
