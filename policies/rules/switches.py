"""Switch resources as switches, and rules about switches as rules about resources."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from .nexus.device import Device, End, Lossless, device
from .nexus.lines import planned
from .rule import Finding, NexusRule, NotApplicable, Resource, Rule, StackRule, Told

SWITCH = "podwright:nxos:Switch"


def switch(resource: Resource) -> Device:
    """The switch behind a resource, as its plan would have it behave.

    Raises NotApplicable for other resources.
    """
    if resource.type != SWITCH:
        raise NotApplicable("only switches are judged")
    spec = resource.props.get("spec") or {}
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


def as_policy(rule: NexusRule) -> Rule | StackRule:
    """The rule as the engine runs it: on each switch where it judges switches alone, else on the whole stack."""
    told: dict[str, Any] = {each.name: getattr(rule, each.name) for each in fields(Told)}

    def alone(resource: Resource) -> Iterable[str]:
        return [flaw.message for flaw in rule.judge([switch(resource)])]

    def together(resources: Sequence[Resource]) -> Iterator[Finding]:
        known = switches(resources)
        for flaw in rule.judge([each for each, _ in known.values()]):
            yield Finding(flaw.message, known[flaw.device][1])

    return Rule(**told, check=alone) if rule.alone else StackRule(**told, check=together)
