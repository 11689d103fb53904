"""The cluster of the table: what the policy pack is shown of it, and what its API server is given."""

from __future__ import annotations

from functools import cache
from typing import Final

from podwright.components import model
from podwright.components.design.platform import priorities
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from tests.platforms.planned import Object, objects
from tools import goldens

RULE_IDS: Final = (
    "workloads-no-inference-on-training-pool", "workloads-priority-on-its-pools", "workloads-gpus-by-resource",
)  # fmt: skip
_RULES: Final = [each for each in RULES if each.id in RULE_IDS]
LOGS: Final[Object] = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "logs", "labels": {"podwright.io/daemons-on-training-pools": "allowed"}},
}
"""A namespace whose daemons an administrator lets onto training pools."""
REQUESTED: Final[list[Object]] = [
    {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "annotations": {"openshift.io/requester": "somebody"}},
    }
    for name in ("elsewhere", "nvidia-mine", "notebooks")
]
"""Namespaces that users requested for themselves."""


@cache
def planned() -> tuple[Object, ...]:
    """Objects of the smallest example with a training pool and an inference pool, and the class of jobs that give way,
    which none of its jobs has."""
    *_, batch = priorities(batch=True)
    assert batch["metadata"]["name"] == "podwright-batch"
    return (*objects(model.load(goldens.stack_file("lab"))), batch, LOGS, *REQUESTED)


def of_kinds(*kinds: str) -> list[Object]:
    """Those of some kinds."""
    return [each for each in planned() if each["kind"] in kinds]


def resource(found: Object) -> Resource:
    """An object as the engine shows it to a policy."""
    version = found["apiVersion"] if "/" in found["apiVersion"] else f"core/{found['apiVersion']}"
    name = found["metadata"]["name"]
    return Resource(f"kubernetes:{version}:{found['kind']}", name, f"urn:{found['kind']}:{name}", found)


@cache
def _known() -> tuple[Resource, ...]:
    kinds = ("MachineConfigPool", "Namespace", "Node", "ValidatingAdmissionPolicy")
    return tuple(resource(each) for each in of_kinds(*kinds))


def findings(found: Object, *, with_policy: bool = True) -> list[str]:
    """What the two rules find in an object beside the cluster's own."""
    known = [each for each in _known() if with_policy or not each.type.endswith("Policy")]
    messages: list[str] = []
    for rule in _RULES:
        try:
            if isinstance(rule, Rule):
                messages += rule.check(resource(found))
                continue
            assert isinstance(rule, StackRule)
            messages += [each.message for each in rule.check([*known, resource(found)])]
        except NotApplicable:
            continue
    return messages
