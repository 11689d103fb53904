"""Rails of a tenant are its teams' alone, as the API server enforces it for pods that nobody planned.

A leaf port is in its tenant's VRF whoever runs behind it: what a pod reaches over its rails follows from its node. So a
pod of a team that asks for rails has to be one that the scheduler can put on nodes of the team's own tenant alone.
Attachments do not decide it: where host ports route, one serves every node, and a function is a plain resource.

Kueue writes the tenant into each job that it admits, as a ResourceFlavor of the pool and the tenant has it.
"""

import json
from collections.abc import Iterator
from typing import Final

from podwright.components.design.platform.denying import denying
from podwright.components.design.platform.names import GROUP_LABEL, TENANT_LABEL, Manifest
from podwright.components.design.platform.training_pools import expressions
from podwright.components.model import Tenants

PODS: Final = "podwright-rail-tenants"
BINDINGS: Final = "podwright-rail-tenants-bindings"
_NETWORKS: Final = "object.metadata.?annotations[?'k8s.v1.cni.cncf.io/networks'].orValue('')"
_HOST: Final = "kubernetes.io/hostname"


def policies(tenants: Tenants | None) -> Iterator[tuple[Manifest, Manifest]]:
    """A policy of pods and one of bindings, each with what puts it in force; none where no team names a tenant."""
    if tenants is None:
        return
    teams = sorted(tenants.teams)
    of_a_team = {"name": "of-a-team", "expression": f"request.namespace in {json.dumps(teams)}"}
    pods = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}
    facts = _facts(tenants)
    # Selectors of a pod that exists can only be made narrower; its annotations can change.
    attached = {"name": "is-attached", "expression": f"request.operation == 'CREATE' || {_NETWORKS} != {_before()}"}
    yield denying(PODS, pods, [of_a_team, attached], [_within()], variables={**facts, **_variables()})
    bindings = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
    bindings |= {"resources": ["pods/binding", "bindings"]}
    yield denying(BINDINGS, bindings, [of_a_team, expressions.SCHEDULED], [_bound()], variables=facts)


def _before() -> str:
    return _NETWORKS.replace("object.", "oldObject.")


def _facts(tenants: Tenants) -> dict[str, str]:
    """Tenant of each team, nodes and leaf groups of each tenant: JSON, which CEL reads as literals."""
    names = sorted({*tenants.teams.values(), *tenants.nodes.values(), *tenants.groups})
    nodes = {name: sorted(node for node, of in tenants.nodes.items() if of == name) for name in names}
    groups = {name: [str(group) for group in tenants.groups.get(name, ())] for name in names}
    return {
        "teams": json.dumps(tenants.teams, sort_keys=True),
        "nodes": json.dumps(nodes, sort_keys=True),
        "groups": json.dumps(groups, sort_keys=True),
        "tenant": "variables.teams[request.namespace]",
    }


def _variables() -> dict[str, str]:
    """What a pod asks for, and whether its own selectors keep it on the tenant's nodes."""
    boxes = ("containers", "initContainers")
    asks = "each.?resources.?{0}.orValue({{}}).exists(key, key.startsWith('openshift.io/rail'))"
    any_of = " || ".join(asks.format(part) for part in ("limits", "requests"))
    asked = " || ".join(f"object.spec.?{each}.orValue([]).exists(each, {any_of})" for each in boxes)
    required = "object.spec.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution"
    chosen = f"each.operator == 'In' && {_kept('each.key', 'each.?values.orValue([])')}"
    field = (
        "each.operator == 'In' && each.key == 'metadata.name' && each.?values.orValue([]).size() > 0 && "
        "each.values.all(value, value in variables.own)"
    )
    return {
        "own": "variables.nodes[variables.tenant]",
        "rails": f"{asked} || {_NETWORKS}.contains('-rail')",
        "node": "object.spec.?nodeName.orValue('')",
        "terms": f"{required}.?nodeSelectorTerms.orValue([])",
        "selected": "object.spec.?nodeSelector.orValue({}).exists(key, "
        f"{_kept('key', '[object.spec.nodeSelector[key]]')})",
        "affine": "variables.terms.size() > 0 && variables.terms.all(term, "
        f"term.?matchExpressions.orValue([]).exists(each, {chosen}) || "
        f"term.?matchFields.orValue([]).exists(each, {field}))",
        "stays": "variables.node != '' ? variables.node in variables.own : variables.selected || variables.affine",
    }


def _kept(key: str, values: str) -> str:
    """Whether a node with one of these values of a label, of which there are some, is the tenant's."""
    return (
        f"({values}.size() > 0 && ("
        f"{key} == '{TENANT_LABEL}' ? {values}.all(value, value == variables.tenant) : "
        f"{key} == '{GROUP_LABEL}' ? {values}.all(value, value in variables.groups[variables.tenant]) : "
        f"{key} == '{_HOST}' && {values}.all(value, value in variables.own)))"
    )


def _within() -> dict[str, str]:
    message = (
        "'this pod asks for rails and may run ' + (variables.node != '' ? 'on node ' + variables.node : "
        "'on nodes of other tenants') + ': namespace ' + request.namespace + ' is of tenant ' + variables.tenant + "
        f"', which reaches its own nodes alone. Write nodeSelector {TENANT_LABEL}: ' + variables.tenant + "
        "', and no nodeName'"
    )
    return {
        "expression": "!variables.rails || variables.stays",
        "messageExpression": message,
        "reason": "Forbidden",
    }


def _bound() -> dict[str, str]:
    """A node without rails is nobody's matter here."""
    target = "object.?target.?name.orValue('')"
    other = f"variables.nodes.exists(of, of != variables.tenant && {target} in variables.nodes[of])"
    message = (
        "'node ' + object.target.name + ' is of another tenant than namespace ' + request.namespace + ', which is of ' "
        "+ variables.tenant + ': leave schedulerName out'"
    )
    return {"expression": f"!{other}", "messageExpression": message, "reason": "Forbidden"}
