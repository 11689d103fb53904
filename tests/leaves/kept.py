"""What keeps pods off training pools: the admission policies are whole, and know pools and nodes of the plan.

What they decide is tried on a real API server (`tests/training_pools`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.leaves.reading import at, entries, labels, title
from tests.platforms.planned import Object, of_kind

_PODS: Final = "podwright-training-pools"
_GPUS: Final = "podwright-gpus-by-resource"
_POOL: Final = "podwright.io/pool"
_USES: Final = re.compile(r"variables\.(\w+)")
_RULES: Final = {
    _PODS: ([""], ["v1"], ["CREATE", "UPDATE"], ["pods"]),
    f"{_PODS}-bindings": ([""], ["v1"], ["CREATE"], ["pods/binding", "bindings"]),
    _GPUS: ([""], ["v1"], ["CREATE"], ["pods"]),
}
_KEYS: Final = ("apiGroups", "apiVersions", "operations", "resources")
_REFUSALS: Final = {_PODS: 3, f"{_PODS}-bindings": 1, _GPUS: 1}


def kept(found: list[Object]) -> Iterator[str]:
    """A policy without one of its parts lets pods pass, or refuses all of them.

    https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
    """
    for each in of_kind(found, "ValidatingAdmissionPolicy"):
        if (name := str(at(each, "metadata", "name"))) not in _RULES:
            continue
        rule: dict[str, Any] = next(iter(entries(each, "spec", "matchConstraints", "resourceRules")), {})
        if tuple(list(entries(rule, key)) for key in _KEYS) != _RULES[name]:
            yield f"{title(each)} is not asked about everything that can bring a pod to a node"
        refusals = [row for row in entries(each, "spec", "validations") if row.get("expression")]
        if len(refusals) != _REFUSALS[name] or not all(row.get("messageExpression") for row in refusals):
            yield f"{title(each)} refuses without a reason, or not at all"
        if not all(row.get("name") and row.get("expression") for row in entries(each, "spec", "matchConditions")):
            yield f"{title(each)} has a condition of no meaning"
        variables = {str(row.get("name")): str(row.get("expression")) for row in entries(each, "spec", "variables")}
        if missing := set(_USES.findall(json.dumps(each["spec"]))) - variables.keys():
            yield f"{title(each)} names what it does not have: {', '.join(sorted(missing))}"
        if "None" in (*variables, *variables.values()):
            yield f"{title(each)} has a variable without a name or a value"
        elif name == _PODS:
            yield from _facts(each, variables, found)


def _facts(policy: Object, variables: dict[str, str], found: list[Object]) -> Iterator[str]:
    known: dict[str, Any] = {key: json.loads(variables[key]) for key in ("pools", "nodes", "teams") if key in variables}
    nodes: dict[str, list[str]] = {pool: [] for pool in known.get("pools", {}).get("training", ())}
    for node in of_kind(found, "Node"):
        if (pool := labels(node).get(_POOL)) in nodes:
            nodes[pool].append(str(at(node, "metadata", "name")))
    if {pool: sorted(names) for pool, names in nodes.items() if names} != known.get("nodes"):
        yield f"{title(policy)} does not know the nodes of training pools"
