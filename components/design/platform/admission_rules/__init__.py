"""Rules of the policy pack that the API server evaluates too, for objects of teams that nobody planned.

Each is an admission policy of its own, so that a site can take another action for it. It is asked about objects in the
namespaces of teams alone: those of the system and of operators are their administrators'. What the pack finds and what
the API server refuses is the same by the pack's own cases (tests/admission_rules).
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from podwright.components.design.platform.admission_rules import objects, pods
from podwright.components.design.platform.admission_rules.rule import Kinds, LiveRule
from podwright.components.design.platform.denying import Action, denying
from podwright.components.design.platform.names import NAMESPACE_NAME, Manifest
from podwright.components.model import AdmissionRules

__all__ = ["RULES", "LiveRule", "name", "policies", "policy"]

Pair = tuple[Manifest, Manifest]
"""An admission policy, and the binding that puts it in force."""
RULES: Final = (*pods.RULES, *objects.RULES)
_ACTIONS: Final[Mapping[str, Action]] = {"deny": "Deny", "warn": "Warn", "audit": "Audit"}


def name(rule: str) -> str:
    """Of a rule's admission policy."""
    return f"podwright-{rule}"


def policies(
    section: AdmissionRules | None,
    teams: Collection[str],
    waived: Collection[str],
    *,
    sets: bool = False,
    trainer: bool = False,
) -> Iterator[Pair]:
    """A policy and its binding for each rule, in the order of the table. Nothing without the section or without teams.

    `waived` are rules of which the site accepts a finding for a while: the pods of that one must not be refused.
    `sets`: JobSet is installed, `trainer`: and Kubeflow Trainer.
    """
    own = pods.WITH_TRAINER if trainer else pods.WITH_SETS if sets else pods.RULES
    rules = (*own, *objects.RULES)
    for rule in rules if section is not None and teams else ():
        chosen = section.action(rule.id) if section else "off"
        if chosen == "deny" and (rule.advises or rule.id in waived):
            chosen = "warn"
        if chosen != "off":
            yield policy(rule, teams, _ACTIONS[chosen])


def policy(rule: LiveRule, teams: Collection[str], action: Action) -> Pair:
    """What evaluates one rule in the namespaces of teams, and the binding with what is done then."""
    changes = rule.changed or pods.CHANGED
    changed = {"name": "changes-it", "expression": f"request.operation == 'CREATE' || {changes}"}
    text = rule.message.replace("{}", "' + variables.wrong.join(', ') + '")
    refused = {
        "expression": "variables.wrong.size() == 0",
        "messageExpression": f"'{rule.id}: {text}'",
        "reason": "Invalid",
    }
    of_teams = {"key": NAMESPACE_NAME, "operator": "In", "values": sorted(teams)}
    shared = pods.VARIABLES if rule in (*pods.RULES, *pods.WITH_SETS, *pods.WITH_TRAINER) else {}
    return denying(
        name(rule.id),
        [*_requests(rule.kinds)],
        [changed],
        [refused],
        variables={**shared, **rule.variables, "wrong": rule.wrong},
        selectors={"namespaceSelector": {"matchExpressions": [of_teams]}},
        action=action,
    )


def _requests(kinds: Kinds) -> Iterator[dict[str, Any]]:
    for group, version, resources in kinds:
        yield {
            "apiGroups": [group],
            "apiVersions": [version],
            "operations": ["CREATE", "UPDATE"],
            "resources": [*resources],
        }
