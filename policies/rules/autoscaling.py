"""Rules about what changes the number of replicas: who does, of what, and how far."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .kubernetes import called, kind, namespace, of_kind, pod_labels, pod_spec, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, apart, items, nothing, strings, whole

_SCALERS: Final = ("ScaledObject", "HorizontalPodAutoscaler")
_SERVICES: Final = ("Deployment", "StatefulSet")
_UNBOUND: Final = 100
"""What KEDA takes where a ScaledObject has no maximum (kedacore/keda v2.19.0, apis/keda/v1alpha1,
defaultHPAMaxReplicas)."""
_GPUS: Final = "requests.nvidia.com/"
_JOBS: Final = ("Job", "JobSet", "TrainJob", "PyTorchJob", "MPIJob", "RayJob")
_WORKLOAD: Final = "podwright.io/workload"
Place = tuple[str, str, str]
"""Namespace, kind and name of what is scaled."""


@dataclass(frozen=True)
class _Scaler:
    """One object that changes replicas."""

    resource: Resource
    of: Place

    @property
    def title(self) -> str:
        return f"{kind(self.resource)} {called(self.resource)}"

    @property
    def most(self) -> int:
        spec = self.resource.props.get("spec") or {}
        return int(spec.get("maxReplicas") or spec.get("maxReplicaCount") or _UNBOUND)


def _place(resource: Resource) -> Place:
    meta = resource.props.get("metadata") or {}
    return namespace(resource), kind(resource), str(meta.get("name") or resource.name)


def _scalers(resources: Sequence[Resource]) -> Iterator[_Scaler]:
    """Those that somebody wrote: KEDA makes an autoscaler of each ScaledObject, which owns it."""
    for each in resources:
        meta: Any = each.props.get("metadata") or {}
        owned = any(owner.get("kind") == "ScaledObject" for owner in items(meta.get("ownerReferences")))
        if kind(each) not in _SCALERS or owned:
            continue
        spec: Any = each.props.get("spec") or {}
        target: Any = spec.get("scaleTargetRef") or {}
        yield _Scaler(each, (namespace(each), str(target.get("kind") or "Deployment"), str(target.get("name"))))


def _within(resources: Sequence[Resource]) -> Iterator[Finding]:
    scalers = {each.of: each for each in _scalers(resources)}
    if not scalers:
        raise NotApplicable("nothing scales")
    services = {_place(each): each for each in resources if kind(each) in _SERVICES}
    for quota in (each for each in resources if kind(each) == "ResourceQuota"):
        spec: Any = quota.props.get("spec") or {}
        if not spec.get("scopes") and not spec.get("scopeSelector"):
            keys = sorted(key for key in spec.get("hard") or () if key.startswith(_GPUS))
            yield from apart(_beyond(quota, key, scalers, services) for key in keys)


def _beyond(
    quota: Resource, key: str, scalers: Mapping[Place, _Scaler], services: Mapping[Place, Resource]
) -> Iterator[Finding]:
    """Scalers by which the services of a quota's namespace may ask for more of a device than it admits."""
    space, wanted = namespace(quota), key.removeprefix("requests.")
    hard = strings((quota.props.get("spec") or {}).get("hard")).get(key, "0")
    takes = {at: _asked(each, wanted) for at, each in services.items() if at[0] == space}
    takes = {at: each for at, each in takes.items() if each}
    sizes = {at: scalers[at].most if at in scalers else _replicas(services[at]) for at in takes}
    total = sum(sizes[at] * each for at, each in takes.items())
    excused = (lambda one: kind(one) in _SCALERS, lambda one: namespace(one) == space)
    for at in takes if total > whole(hard) else ():
        if at in scalers:
            message = f"{scalers[at].title} lets {at[1]} {at[2]} have {sizes[at]} replicas, and services of "
            message += f"{space} then ask for {total} x {wanted}: quota {called(quota)} admits {whole(hard)}"
            yield Finding(message, scalers[at].resource.urn, excused)


def _replicas(resource: Resource) -> int:
    count = (resource.props.get("spec") or {}).get("replicas")
    return 1 if count is None else int(count)


def _asked(resource: Resource, wanted: str) -> int:
    """How many of a device one pod takes."""
    boxes = [box.get("resources") or {} for box in items(pod_spec(resource).get("containers"))]
    found = [strings(box.get("limits")).get(wanted) or strings(box.get("requests")).get(wanted) for box in boxes]
    return sum(whole(each) for each in found)


def _alone(resources: Sequence[Resource]) -> Iterator[Finding]:
    found = list(_scalers(resources))
    if not found:
        raise NotApplicable("nothing scales")
    first: dict[Place, _Scaler] = {}
    trains = {_place(each) for each in resources for labels in pod_labels(each) if labels.get(_WORKLOAD) == "training"}
    for each in found:
        before = first.setdefault(each.of, each)
        what = f"{each.of[1]} {each.of[2]}"
        if before is not each:
            yield Finding(f"{each.title} scales {what}, and so does {before.title}", each.resource.urn)
        if each.of[1] in _JOBS or each.of in trains:
            yield Finding(
                f"{each.title} scales {what}, a training job whose members count on each other", each.resource.urn
            )


AUTOSCALING: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-scale-within-quota",
        title="What a service may scale to is within its team's quota",
        why="Replicas beyond the quota are never made: the autoscaler asks for them without end, and an event of "
        "the ReplicaSet alone says why there are fewer. Without a maximum KEDA takes 100.",
        fix="Write workloads.inference.<name>.scale.max (maxReplicaCount, maxReplicas) so that all services of the "
        "team fit at their most, or raise the team's gpus or slices.",
        reference="https://keda.sh/docs/2.19/reference/scaledobject-spec/",
        severity="medium",
        types=of_kind(*_SCALERS, *_SERVICES, "ResourceQuota"),
        compare=_within,
    ),
    StackRule(
        id="workloads-one-scales-a-service",
        title="A service has one autoscaler, and a training job none",
        why="Two autoscalers undo each other's number at every reading. A job that loses a member to one stops all "
        "others, and a member more has no rank.",
        fix="Leave one of them, with both metrics in it; a job has as many members as its file says.",
        reference="https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
        severity="high",
        excused_by=nothing,
        types=lambda token: runs_pods(token) or of_kind(*_SCALERS)(token),
        compare=_alone,
    ),
)
