"""Rules about claims that pods mount, whoever wrote the pods."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .kubernetes import (
    SERVICE,
    SETS,
    TRAIN_JOB,
    called,
    containers,
    job_specs,
    kind,
    namespace,
    of_kind,
    pod_spec,
    pod_specs,
    predictor,
    replicated_jobs,
    runs_pods,
)
from .overlays import TRAINER, own_jobs
from .resource import Resource
from .rule import Finding, NotApplicable, Props, Rule, StackRule, items

_CLAIM: Final = of_kind("PersistentVolumeClaim")
_MANY: Final = {"ReadWriteMany", "ReadOnlyMany"}
_SERVES: Final = ("Deployment", "StatefulSet", "ReplicaSet", SERVICE)
_SEVERAL: Final = 2


def _claim_or_pods(token: str) -> bool:
    return _CLAIM(token) or runs_pods(token)


def _name(resource: Resource) -> tuple[str, str]:
    return namespace(resource), str((resource.props.get("metadata") or {}).get("name") or resource.name)


def _mounting(resource: Resource) -> dict[str, int]:
    """How many pods of an object mount each claim at the same time."""
    found: dict[str, int] = {}
    for size, pod in zip(_sizes(resource), pod_specs(resource), strict=True):
        for claim in dict.fromkeys(_mounted(resource, pod).values()):
            found[claim] = found.get(claim, 0) + size
    return found


def _sizes(resource: Resource) -> Iterator[int]:
    """How many there are of each pod of an object at the same time; a DaemonSet has one on each of many nodes."""
    if kind(resource) == "DaemonSet":
        yield 2
    elif kind(resource) == SERVICE:
        yield _count(predictor(resource).get("minReplicas"))
    elif kind(resource) == TRAIN_JOB:
        spec = resource.props.get("spec") or {}
        members = _count((spec.get("trainer") or {}).get("numNodes"))
        yield from (members if job["name"] == TRAINER else 1 for job in own_jobs(spec))
    elif kind(resource) in SETS:
        for times, job in zip(replicated_jobs(resource), job_specs(resource), strict=True):
            yield _count(times.get("replicas")) * _count(job.get("parallelism"))
    else:
        amount = "parallelism" if kind(resource) in ("Job", "CronJob") else "replicas"
        yield from (_count(each.get(amount)) for each in job_specs(resource))


def _count(amount: Any) -> int:
    return 1 if amount is None else int(amount)


def _mounted(resource: Resource, pod: Props) -> dict[str, str]:
    """Claims by the name of the pod's volume. A StatefulSet puts each pod's own claim in place of a volume that is
    named as its template (kubernetes, pkg/controller/statefulset/stateful_set_utils.go, updateStorage).
    """
    templates = items((resource.props.get("spec") or {}).get("volumeClaimTemplates"))
    own = {str((each.get("metadata") or {}).get("name")) for each in templates}
    found = {}
    for volume in items(pod.get("volumes")):
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
    mounting = [(each, *one) for each in resources if runs_pods(each.type) for one in _mounting(each).items()]
    if not mounting:
        raise NotApplicable("no pod mounts a claim")
    for resource, claim, size in mounting:
        space, name = namespace(resource), called(resource)
        if (space, claim) in single and size > 1:
            message = f"{kind(resource)} {name} has {size} pods or more that mount claim {claim}"
            excused = (lambda one: _CLAIM(one.type), lambda one, at=(space, claim): _name(one) == at)
            yield Finding(f"{message}, which one node at a time can have", resource.urn, excused)


def _writers(resource: Resource) -> Iterator[str]:
    pod = pod_spec(resource)
    claims = _mounted(resource, pod)
    replicas = max(_mounting(resource).values(), default=0)
    if kind(resource) not in _SERVES or replicas < _SEVERAL:
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
                yield f"{what}: {replicas} replicas may write claim {claims[name]}"


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
