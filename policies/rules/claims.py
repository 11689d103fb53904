"""Rules about claims that pods mount, whoever wrote the pods."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .kubernetes import SERVICE, called, containers, kind, of_kind, pod_spec, predictor, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, items

_CLAIM: Final = of_kind("PersistentVolumeClaim")
_MANY: Final = {"ReadWriteMany", "ReadOnlyMany"}
_SERVES: Final = ("Deployment", "StatefulSet", "ReplicaSet", SERVICE)


def _claim_or_pods(token: str) -> bool:
    return _CLAIM(token) or runs_pods(token)


def _space(resource: Resource) -> str:
    return str((resource.props.get("metadata") or {}).get("namespace") or "default")


def _name(resource: Resource) -> tuple[str, str]:
    return _space(resource), str((resource.props.get("metadata") or {}).get("name") or resource.name)


def _pods(resource: Resource) -> int:
    """Pods of an object at the same time; a DaemonSet has one on each of many nodes."""
    spec: Any = resource.props.get("spec") or {}
    if kind(resource) == "CronJob":
        spec = (spec.get("jobTemplate") or {}).get("spec") or {}
    if kind(resource) == "DaemonSet":
        return 2
    if kind(resource) == SERVICE:
        spec = {"replicas": predictor(resource).get("minReplicas")}
    count = spec.get("parallelism") if kind(resource) in ("Job", "CronJob") else spec.get("replicas")
    return 1 if count is None else int(count)


def _mounted(resource: Resource) -> dict[str, str]:
    """Claims by the name of the pod's volume. A StatefulSet puts each pod's own claim in place of a volume that is
    named as its template (kubernetes, pkg/controller/statefulset/stateful_set_utils.go, updateStorage).
    """
    templates = items((resource.props.get("spec") or {}).get("volumeClaimTemplates"))
    own = {str((each.get("metadata") or {}).get("name")) for each in templates}
    found = {}
    for volume in items(pod_spec(resource).get("volumes")):
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim and str(volume.get("name")) not in own:
            found[str(volume.get("name"))] = str(claim)
    return found


def _reach(resources: Sequence[Resource]) -> Iterator[Finding]:
    claims = {_name(each): each for each in resources if _CLAIM(each.type)}
    single = {
        place
        for place, each in claims.items()
        if not _MANY & {str(mode) for mode in items((each.props.get("spec") or {}).get("accessModes"))}
    }
    mounting = [(each, claim) for each in resources if runs_pods(each.type) for claim in _mounted(each).values()]
    if not mounting:
        raise NotApplicable("no pod mounts a claim")
    for resource, claim in mounting:
        space, name = _space(resource), called(resource)
        if (space, claim) in single and _pods(resource) > 1:
            message = f"{kind(resource)} {name} has {_pods(resource)} pods or more that mount claim {claim}"
            excused = (lambda one: _CLAIM(one.type), lambda one, at=(space, claim): _name(one) == at)
            yield Finding(f"{message}, which one node at a time can have", resource.urn, excused)


def _writers(resource: Resource) -> Iterator[str]:
    pod, claims = pod_spec(resource), _mounted(resource)
    if kind(resource) not in _SERVES or not claims or _pods(resource) < 2:
        raise NotApplicable("no replicas mount a claim")
    volumes = {
        str(each.get("name")) for each in items(pod.get("volumes"))
        if (each.get("persistentVolumeClaim") or {}).get("readOnly")
    }  # fmt: skip
    for box in containers(pod):
        # A NIM's replicas share one cache by design (NVIDIA/nim-deploy, helm/nim-llm/values.yaml: existingClaim).
        caches = [each.get("value") for each in items(box.get("env")) if each.get("name") == "NIM_CACHE_PATH"]
        for mount in items(box.get("volumeMounts")):
            name = str(mount.get("name"))
            if mount.get("mountPath") in caches:
                continue
            if name in claims and name not in volumes and not mount.get("readOnly"):
                what = f"{kind(resource)} {_name(resource)[1]}"
                yield f"{what}: {_pods(resource)} replicas may write claim {claims[name]}"


CLAIMS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="workloads-claims-reach-every-pod",
        title="A claim of one node is mounted by one pod",
        why="A ReadWriteOnce volume is attached to one node at a time: pods on any other node stay in "
        "ContainerCreating, and a gang that needs all of its members never begins.",
        fix="Take a claim of a class with `shared: true` (ReadWriteMany), or one pod.",
        reference="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
        severity="high",
        types=_claim_or_pods,
        compare=_reach,
    ),
    Rule(
        id="workloads-replicas-read-claims",
        title="Replicas of a service read their claims",
        why="Two replicas that write one file of a shared volume overwrite each other, and nothing reports it.",
        fix="Set read_only: true at workloads.inference.<name>.volumes.<claim>; caches belong into HOME.",
        reference="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
        severity="low",
        types=runs_pods,
        check=_writers,
        mandatory=False,
    ),
)
