"""Rules about whose rails a pod uses: a VRF of the fabric is the only wall between RDMA of two teams."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from .kubernetes import RUNTIMES, containers, kind, namespace, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, Props, StackRule, items, strings
from .templates import makes_pods
from .train_jobs import names_runtime, started

_POLICY: Final = "podwright-rail-tenants"
"""Admission policy of the same plan, whose variables are the facts."""
_TENANT: Final = "podwright.io/tenant"
_GROUP: Final = "podwright.io/leaf-group"
_HOST: Final = "kubernetes.io/hostname"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_SHARED: Final = "podwright.io/shared-by-teams"
_MEASURED: Final = "podwright-acceptance"
_DEFAULT: Final = "default"
"""Tenant of teams, and of leaf groups, without one."""
_RAIL: Final = "openshift.io/rail"


def _concerned(token: str) -> bool:
    return makes_pods(token) or of_kind("ValidatingAdmissionPolicy")(token)


def _within(resources: Sequence[Resource]) -> Iterator[Finding]:
    facts = _facts(resources)
    pods = [
        (each, pod)
        for each in resources
        if makes_pods(each.type) and namespace(each) in facts["teams"]
        for pod in _started(each, resources)
        if _on_rails(pod)
    ]
    if not pods:
        raise NotApplicable("no pod of a tenant's team asks for rails")
    for resource, spec in pods:
        meta = resource.props.get("metadata") or {}
        tenant = str(facts["teams"][namespace(resource)])
        # Kueue writes the tenant into what it admits, as its ResourceFlavor has it.
        if _QUEUE not in strings(meta.get("labels")) and not _stays(spec, tenant, facts):
            message = (
                f"{kind(resource)} {resource.name} asks for rails and may run on nodes of another tenant than "
                f"{tenant}, which team {namespace(resource)} is of"
            )
            excused = (lambda one, job=resource: _is_policy(one) or names_runtime(job, one),)
            yield Finding(message, resource.urn, excused)


def _started(resource: Resource, resources: Sequence[Resource]) -> Iterable[Props]:
    """Pods that an object starts: a runtime of TrainJobs starts none, and who makes one of it names the queue."""
    if kind(resource) in RUNTIMES:
        return ()
    return started(resource, resources)


class _Facts(dict[str, Any]):
    """Variables of the policy that are JSON, each read when it is asked for; empty where no team names a tenant."""

    def __init__(self, rows: Iterable[Props]) -> None:
        super().__init__()
        self._rows = {str(row.get("name")): row for row in rows}

    def __missing__(self, name: str) -> Any:
        text = str(self._rows.get(name, {}).get("expression"))
        self[name] = json.loads(text) if text.startswith("{") else {}
        return self[name]


def _facts(resources: Sequence[Resource]) -> _Facts:
    policies = [each.props.get("spec") or {} for each in resources if _is_policy(each)]
    return _Facts(row for spec in policies for row in items(spec.get("variables")))


def _is_policy(resource: Resource) -> bool:
    named = (resource.props.get("metadata") or {}).get("name") if kind(resource) == "ValidatingAdmissionPolicy" else ""
    return named == _POLICY


def _on_rails(spec: Props) -> bool:
    asked = [(box.get("resources") or {}).get(part) for box in containers(spec) for part in ("limits", "requests")]
    return any(key.startswith(_RAIL) for each in asked for key in strings(each))


def _stays(spec: Props, tenant: str, facts: _Facts) -> bool:
    """Whether the scheduler can put a pod on nodes of one tenant alone."""
    if node := str(spec.get("nodeName") or ""):
        return node in facts["nodes"].get(tenant, ())

    def kept(key: str, values: Sequence[str]) -> bool:
        may: Any = ()
        if key == _TENANT:
            may = (tenant,)
        elif fact := {_GROUP: "groups", _HOST: "nodes", "metadata.name": "nodes"}.get(key):
            may = facts[fact].get(tenant, ())
        return bool(values) and all(value in may for value in values)

    if any(kept(key, [value]) for key, value in strings(spec.get("nodeSelector")).items()):
        return True
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms = list(items((affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms")))
    return bool(terms) and all(
        any(
            row.get("operator") == "In"
            and kept(str(row.get("key")), [str(value) for value in items(row.get("values"))])
            for row in (*items(term.get("matchExpressions")), *items(term.get("matchFields")))
        )
        for term in terms
    )


def _shared(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Networks of rails by team, those of a tenant left out: teams of one tenant share its rails by that."""
    found: dict[str, Resource] = {}
    declared = False
    for each in resources:
        meta, spec = each.props.get("metadata") or {}, each.props.get("spec") or {}
        team = str(spec.get("networkNamespace") or "")
        if not str(spec.get("resourceName")).startswith("rail") or team in ("", _MEASURED):
            continue
        if strings(meta.get("labels")).get(_TENANT, _DEFAULT) == _DEFAULT:
            found[team] = min(found.get(team, each), each, key=lambda one: one.name)
            declared = declared or bool(strings(meta.get("annotations")).get(_SHARED))
    if len(found) < 2:
        raise NotApplicable("no two teams without a tenant have networks of rails")
    if not declared:
        names = ", ".join(sorted(found))
        message = f"teams {names} have networks of the same rails, and no reason why they may is declared"
        first = min(found)
        yield Finding(message, found[first].urn, _shares(first, found[first].name))


def _shares(first: str, name: str) -> tuple[Callable[[Resource], bool], ...]:
    """Tests of a network that may change who shares rails on purpose, or which is the first one of the first team."""

    def team(one: Resource) -> str:
        return str((one.props.get("spec") or {}).get("networkNamespace") or "")

    def meta(one: Resource, part: str) -> Mapping[str, str]:
        return strings((one.props.get("metadata") or {}).get(part))

    return (
        lambda one: str((one.props.get("spec") or {}).get("resourceName")).startswith("rail"),
        lambda one: team(one) not in ("", _MEASURED),
        lambda one: meta(one, "labels").get(_TENANT, _DEFAULT) == _DEFAULT,
        lambda one: (team(one), one.name) < (first, name) or bool(meta(one, "annotations").get(_SHARED)),
    )


TENANTS: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-rails-within-tenant",
        title="A pod with rails runs on nodes of its team's tenant",
        why="A leaf port is in its tenant's VRF whoever runs behind it: a pod on another tenant's node reaches that "
        "tenant's servers, and a job that is half there waits for ever in the bring-up of NCCL.",
        fix="Leave jobs to workloads.training, or write nodeSelector podwright.io/tenant with the team's tenant, and "
        "no nodeName.",
        reference="docs/how-to/keep-teams-apart.md",
        severity="high",
        types=_concerned,
        compare=_within,
    ),
    StackRule(
        id="workloads-rails-shared-on-purpose",
        title="Teams share rails only where a reason is declared",
        why="RDMA passes by every network policy: pods of teams on the same rails reach each other's memory keys and "
        "queue pairs, and one team's incast is the other's congestion.",
        fix="Give each team a tenant of the fabric (openshift.teams.<name>.tenant), or write openshift.shared_rails "
        "with the reason.",
        reference="docs/how-to/keep-teams-apart.md",
        severity="medium",
        mandatory=False,
        types=of_kind("SriovNetwork"),
        compare=_shared,
    ),
)
