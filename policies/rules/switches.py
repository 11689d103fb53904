"""Switch resources as switches, and rules about switches as rules about resources."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

from .grouping import grouped
from .nexus.device import Device, End, Lossless, device
from .nexus.lines import planned
from .resource import Resource
from .rule import Finding, Flaw, NexusRule, NotApplicable, Rule, RuleText, StackRule

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
    found = device(str(spec["hostname"]), planned({str(line): str(text) for line, text in spec["config"].items()}))
    found.planned = True
    found.role = str(spec.get("role") or "")
    found.management = str(spec.get("management") or "")
    found.links = {
        str(port): End(str(link["device"]), str(link["port"]), str(link["role"]))
        for port, link in (spec.get("links") or {}).items()
    }
    lossless = spec.get("lossless")
    if lossless:
        # A cabled port that no block configures is a hop like any other, with the device's defaults.
        known = {port: found.port(port) for port in found.links}
        priority, cnp = int(lossless["priority"]), lossless.get("cnp_dscp")
        found.lossless = Lossless(
            priority,
            priority,
            frozenset({int(lossless["dscp"])}),
            int(cnp) if cnp is not None else None,
            tuple(known.values()),
            {str(name): int(value) for name, value in lossless.items() if " " in str(name)},
        )
    return found


def switches(resources: Sequence[Resource]) -> dict[str, tuple[Device, str]]:
    """Every switch of a stack with its URN, by hostname."""
    found = ((switch(each), each.urn) for each in resources if each.type == SWITCH)
    return {each.name: (each, urn) for each, urn in found}


def compared(judge: Callable[[Sequence[Device]], Iterable[Flaw]], resources: Sequence[Resource]) -> Iterator[Finding]:
    """What a rule about switches finds among those of a stack: one finding a cause, on the first of its resources."""
    known = switches(resources)
    for flaw in grouped(judge([each for each, _ in known.values()]), known):
        yield Finding(flaw.message, known[flaw.device][1])


def as_policy(rule: NexusRule) -> Rule | StackRule:
    """The rule as the engine runs it: on each switch where it checks switches alone, else on those of a cluster."""
    text: dict[str, Any] = {each.name: getattr(rule, each.name) for each in fields(RuleText)}

    def alone(resource: Resource) -> Iterable[str]:
        found = switch(resource)
        return [flaw.message for flaw in grouped(rule.judge([found]), [found.name])]

    if rule.alone:
        return Rule(**text, types=is_switch, check=alone)
    return StackRule(**text, types=is_switch, compare=partial(compared, rule.judge))
