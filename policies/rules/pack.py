"""One adapter from our rules to Pulumi's policy classes; the only module that knows both."""

from collections.abc import Iterable
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from .rule import NotApplicable, Resource, Rule, StackRule, Told


def policies(rules: Iterable[Rule | StackRule]) -> list[Policy]:
    """Every rule as the policy that the engine runs."""
    return [_stack(rule) if isinstance(rule, StackRule) else _resource(rule) for rule in rules]


def _meta(rule: Told) -> dict[str, Any]:
    return {
        "name": rule.id,
        "description": f"{rule.title}. {rule.why}",
        "display_name": rule.title,
        "enforcement_level": EnforcementLevel.MANDATORY if rule.mandatory else EnforcementLevel.ADVISORY,
        "severity": Severity(rule.severity),
        "remediation_steps": rule.fix,
        "url": rule.reference if rule.reference.startswith("http") else None,
    }


def _sentence(rule: Told, finding: str) -> str:
    return f"{finding}\n  why: {rule.why}\n  fix: {rule.fix}"


def _resource(rule: Rule) -> Policy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        try:
            for finding in rule.check(Resource(args.resource_type, args.name, args.urn, args.props)):
                report(_sentence(rule, finding), None)
        except NotApplicable as reason:
            args.not_applicable(str(reason))

    return ResourceValidationPolicy(validate=validate, **_meta(rule))


def _stack(rule: StackRule) -> Policy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        resources = [Resource(r.resource_type, r.name, r.urn, r.props) for r in args.resources]
        try:
            for finding in rule.check(resources):
                report(_sentence(rule, finding.message), finding.urn)
        except NotApplicable as reason:
            args.not_applicable(str(reason))

    return StackValidationPolicy(validate=validate, **_meta(rule))
