"""Rules about who runs on training pools, by where the scheduler would put a pod, however it is spelled."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from .kubernetes import containers, kind, namespace, selected_labels
from .law import (
    CLASSES,
    INFERENCE,
    POOL,
    PURPOSE,
    ROLE,
    TRAINING,
    Law,
    allows_daemons,
    is_law,
    law,
    name_of,
    of_purpose,
)
from .resource import Resource
from .rule import Finding, NotApplicable, Props, StackRule, items, strings
from .scheduling import asked, selects, tolerates
from .templates import Template, makes_pods, of_another_project, templates
from .train_jobs import made, names_runtime

_WORKLOAD: Final = "podwright.io/workload"
_SERVES: Final = (
    "ClusterServingRuntime", "Deployment", "DeploymentConfig", "InferenceService", "LLMInferenceService",
    "LeaderWorkerSet", "NIMPipeline", "NIMService", "RayService", "ReplicaSet", "ReplicationController", "Rollout",
    "Service", "ServingRuntime", "StatefulSet",
)  # fmt: skip
"""Kinds whose pods run until somebody stops them."""
_TRAINS: Final = (
    "ClusterTrainingRuntime", "CronJob", "JAXJob", "Job", "JobSet", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob",
    "TrainJob", "TrainingRuntime", "XGBoostJob",
)  # fmt: skip
"""Kinds whose pods end; the admission policy knows them by who makes the pod."""
_FACTS: Final = ("MachineConfigPool", "Namespace", "Node", "ValidatingAdmissionPolicy")


def _concerned(token: str) -> bool:
    if makes_pods(token):
        return True
    return token.startswith("kubernetes:") and token.rsplit(":", 1)[-1].removesuffix("Patch") in _FACTS


def _name(resource: Resource) -> str:
    return f"{kind(resource)} {resource.name}"


def _no_inference(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = law(resources)
    pods = [(each, pod) for each in resources if makes_pods(each.type) for pod in made(each, resources)]
    if not known.training and TRAINING not in (pod.labels.get(PURPOSE) for _, pod in pods):
        raise NotApplicable("the stack has no training pool")
    found: dict[str, Finding] = {}
    for resource, pod in pods:
        why = _unlawful(resource, pod, known)
        for pool in _reached(pod, known) if why else ():
            where = "serves requests from" if why == _REQUESTS else "may run on"
            message = f"{_name(resource)} {where} training pool {pool}" + ("" if why == _REQUESTS else f": {why}")
            finding = Finding(message, resource.urn, (_lawful(resource, pod, pool, known),))
            found.setdefault(f"{resource.urn} {message}", finding)
    yield from found.values()


def _lawful(resource: Resource, pod: Template, pool: str, known: Law) -> Callable[[Resource], bool]:
    """The test of another resource for what may keep a pod off a training pool, or let it be there."""
    changed = known.changed_by(pod.spec, pool)
    daemon = kind(resource) == "DaemonSet" and not _takes_gpus(pod.spec)

    def may(one: Resource) -> bool:
        if kind(one) == "Namespace":
            return daemon and name_of(one) == namespace(resource) and allows_daemons(one)
        return changed(one) or names_runtime(resource, one)

    return may


_REQUESTS: Final = "serves requests"


def _unlawful(resource: Resource, pod: Template, known: Law) -> str:
    """Why a pod may not be on a training pool's nodes; empty where it may."""
    what, space = kind(resource), namespace(resource)
    serves = what in _SERVES or pod.labels.get(_WORKLOAD) == INFERENCE
    if known.in_system(space):
        ends = what in (*_TRAINS, "DaemonSet", "Pod") and not serves
        return _REQUESTS if _takes_gpus(pod.spec) and not ends else ""
    if serves:
        return _REQUESTS
    if what == "DaemonSet":
        return "" if known.has_daemons(space) and not _takes_gpus(pod.spec) else "it is no operator's daemon"
    if of_another_project(resource.type):
        return f"a {what} of {resource.type.split(':')[1].partition('/')[0]} is no job of Kubernetes"
    if what not in _TRAINS:
        return f"a {what} is no job"
    if what != "ClusterTrainingRuntime" and not known.in_team(space):
        return f"namespace {space} is no team's"
    if what == "ClusterTrainingRuntime" or (what == "TrainJob" and "priorityClassName" not in pod.spec):
        return ""  # Its namespace, or its class, is another object's.
    named = str(pod.spec.get("priorityClassName") or "")
    return "" if CLASSES.get(named) == TRAINING else "it has no priority class podwright-training or podwright-batch"


def _takes_gpus(pod: Props) -> bool:
    asked = [(box.get("resources") or {}).get(part) for box in containers(pod) for part in ("limits", "requests")]
    asked += [
        (pod.get("resources") or {}).get("limits"),
        ((pod.get("model") or {}).get("resources") or {}).get("limits"),
    ]
    return any(key.startswith("nvidia.com/") for each in asked for key in strings(each))


def _reached(pod: Template, known: Law) -> list[str]:
    """Training pools that a pod is put on, or that it asks for alone, by what the scheduler does with it."""
    node = str(pod.spec.get("nodeName") or "")
    if node:
        return [pool for pool in known.training if node in known.nodes.get(pool, ())]
    matched = [pool for pool in known.training if selects(pod.spec, known.known(pool))]
    alone = not any(selects(pod.spec, each) for each in known.others())
    found = [pool for pool in matched if alone or tolerates(pod.spec, (POOL, pool))]
    return found or _of_another_stack(pod, known)


def _of_another_stack(pod: Template, known: Law) -> list[str]:
    """A pool that this plan does not make, by what the pod itself says of it."""
    chosen = dict(selected_labels(pod.spec))
    pool, purposes = chosen.get(POOL, ""), (chosen.get(PURPOSE), pod.labels.get(PURPOSE))
    made = {name for names in known.pools.values() for name in names}
    return [pool or "of another stack"] if TRAINING in purposes and not known.training and pool not in made else []


def _astray(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = law(resources)
    found = [
        (each, pod, named)
        for each in resources
        if makes_pods(each.type)
        for pod in templates(each)
        if (named := str(pod.spec.get("priorityClassName") or "")) in CLASSES
    ]
    if not found:
        raise NotApplicable("no pod has one of these classes")
    for resource, pod, named in found:
        space, purpose = namespace(resource), CLASSES[named]
        if kind(resource) != "ClusterTrainingRuntime" and not known.in_team(space):
            message = f"{_name(resource)} has priority class {named}: namespace {space} is no team's"
            yield Finding(message, resource.urn, (is_law,))
        elif any(known.pools.values()) and not _stays(pod.spec, purpose, known.pools.get(purpose, ())):
            message = f"{_name(resource)} has priority class {named} and may run outside pools of purpose {purpose}"
            yield Finding(message, resource.urn, _held(pod.spec, purpose, known))


def _held(pod: Props, purpose: str, known: Law) -> tuple[Callable[[Resource], bool], ...]:
    """Tests of a resource for the law, or for a pool that a pod's selectors hold it on."""
    pools = known.pools.get(purpose, ())
    return (
        lambda one: is_law(one) or (known.planned and kind(one) == "MachineConfigPool"),
        lambda one: is_law(one) or of_purpose(one) == purpose,
        lambda one: is_law(one) or (bool(asked(pod)) and _stays(pod, purpose, (*pools, name_of(one)))),
    )


def _stays(pod: Props, purpose: str, pools: Sequence[str]) -> bool:
    """Whether a selector that no other node matches holds a pod on these pools."""

    def kept(key: str, values: Sequence[str]) -> bool:
        if key in (POOL, PURPOSE):
            return bool(values) and set(values) <= ({purpose} if key == PURPOSE else set(pools))
        return key.removeprefix(ROLE) in pools and key.startswith(ROLE)

    if any(kept(key, [value]) for key, value in strings(pod.get("nodeSelector")).items()):
        return True
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    terms = list(items((affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms")))
    return bool(terms) and all(
        any(
            each.get("operator") in ("In", "Exists")
            and kept(str(each.get("key")), [str(value) for value in items(each.get("values"))])
            for each in items(term.get("matchExpressions"))
        )
        for term in terms
    )


TRAINING_POOLS: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-no-inference-on-training-pool",
        title="No inference on a training pool",
        why="One serving pod on a training node takes GPUs from a gang and holds every other member of it up.",
        fix="Name an inference pool in workloads.inference.<name>.pool; of another object take the toleration or "
        "nodeName away, or select another pool. Training is a Job of a team with priority class podwright-training "
        "or podwright-batch.",
        reference="docs/how-to/keep-training-pools.md",
        severity="high",
        types=_concerned,
        compare=_no_inference,
    ),
    StackRule(
        id="workloads-priority-on-its-pools",
        title="Priority classes of teams stay on their pools",
        why="podwright-inference ends whatever is lower to make room, members of a gang among it: it is for teams' "
        "services on inference pools alone, as podwright-training is for jobs on training pools.",
        fix="Select the pool by nodeSelector podwright.io/pool, in a team's namespace; or leave the class out.",
        reference="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
        severity="high",
        types=_concerned,
        compare=_astray,
    ),
)
