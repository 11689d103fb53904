"""Rules about volumes in memory: what is written into one is memory of the container that wrote it.

A volume is filled by all containers that may write it, each up to its own limit, and by none beyond the pod's. kubelet
makes the volume as large as its size limit or the pod's memory limit, whichever is less (kubernetes,
pkg/volume/emptydir, calculateEmptyDirMemorySize), so that one without a size limit is no larger than the pod may fill.
Where a container has no limit the node's memory is what bounds it, and nothing is found.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Final

from .kubernetes import SERVICE, called, kind
from .quantity import quantity
from .resource import Resource
from .rule import Finding, Props, StackRule, apart, items, known, nothing, spoken
from .templates import makes_pods, templates
from .train_jobs import runtime_of

_TRAINER: Final = "node"
"""Container of a runtime over whose resources a TrainJob's are laid, one by one (kubeflow/trainer v2.3.0,
pkg/constants, Node, and pkg/runtime/core/trainingruntime.go, MergeResourceRequirements)."""


@dataclass(frozen=True)
class _Pod:
    """A pod that an object makes."""

    spec: Props
    over: Sequence[Props] = ()
    """What a TrainJob lays over the pod of its runtime."""
    given: Props = field(default_factory=dict)
    """Resources that a TrainJob gives the container that trains, each over its own of the same name."""
    served: bool = False
    """It is one of KServe's, whose container of the model stands beside the others."""

    def volumes(self) -> Iterator[Callable[[], Props]]:
        """Each volume, read when it is asked for: nothing in place of one that a TrainJob has another one for."""
        own = [each.get("volumes") or () for each in self.over]
        names = {each.get("name") for volumes in own for each in volumes}
        below = self.spec.get("volumes") or ()
        for at in range(len(below)):
            yield partial(_one_of, below, at, names)
        for volumes in own:
            yield from (partial(_one_of, volumes, at) for at in range(len(volumes)))

    def regular(self) -> Iterator[Props]:
        """Containers that run together."""
        yield from items(self.spec.get("containers"))
        if self.served and self.spec.get("model"):
            yield self.spec["model"]

    def starting(self) -> Iterator[Props]:
        """Init containers, sidecars among them."""
        yield from items(self.spec.get("initContainers"))

    def mounts(self, box: Props) -> Iterator[Props]:
        """Of a container, those that a TrainJob adds too."""
        yield from items(box.get("volumeMounts"))
        for patch in self.over:
            for part in ("initContainers", "containers"):
                for each in items(patch.get(part)):
                    if each.get("name") == box.get("name"):
                        yield from items(each.get("volumeMounts"))

    def limit(self, box: Props) -> Decimal:
        """Bytes of memory that a container may use; 0 where it has no limit."""
        given = _limit(self.given) if box.get("name") == _TRAINER else Decimal(0)
        return given or _limit(box.get("resources"))

    def most(self) -> Decimal:
        """Bytes that all of it may use; 0 where nothing bounds it. The same as kubelet's sum, or more where a sidecar
        starts behind another init container."""
        if own := _limit(self.spec.get("resources")):
            return own
        together, before = [self.limit(box) for box in self.regular()], [*self.starting()]
        beside = [self.limit(box) for box in before if box.get("restartPolicy") == "Always"]
        alone = [self.limit(box) for box in before if box.get("restartPolicy") != "Always"]
        bounded = all([*together, *beside, *alone])
        return Decimal(sum(beside)) + max([Decimal(sum(together)), *alone]) if bounded else Decimal(0)


def _one_of(volumes: Sequence[Props], at: int, away: Collection[Any] = ()) -> Props:
    return {} if volumes[at].get("name") in away else volumes[at]


def _limit(resources: Any) -> Decimal:
    return quantity(((resources or {}).get("limits") or {}).get("memory"))


def _pods(resource: Resource, resources: Sequence[Resource]) -> Iterator[_Pod]:
    """Those of a TrainJob are its runtime's, with what it lays over them, where that is known."""
    own = [each.spec for each in templates(resource)]
    runtime = runtime_of(resource, resources)
    if runtime is None:
        yield from (_Pod(each, served=kind(resource) == SERVICE) for each in own)
        return
    trainer = (resource.props.get("spec") or {}).get("trainer") or {}
    for each in templates(runtime):
        yield _Pod(each.spec, own, trainer.get("resourcesPerNode") or {})


def _fit(resources: Sequence[Resource]) -> Iterator[Finding]:
    looked = apart(
        _filled(pod, volume, f"{kind(each)} {called(each)}", each.urn)
        for each in resources
        for pod in _pods(each, resources)
        for volume in pod.volumes()
    )
    yield from spoken(looked, "no pod has a volume in memory that has a size")


def _filled(pod: _Pod, asked: Callable[[], Props], owner: str, urn: str) -> Iterator[Finding | None]:
    """One volume: None where it is in memory and has a size, then what is wrong with it."""
    volume = asked()
    empty = volume.get("emptyDir") or {}
    size = quantity(empty.get("sizeLimit")) if empty.get("medium") == "Memory" else 0
    if not size:
        return
    yield None
    name = str(volume.get("name"))
    writers = [box for box in (*pod.starting(), *pod.regular()) if _writes(pod, box, name)]

    def by_writers() -> Iterator[str]:
        limits = [pod.limit(box) for box in writers]
        if all(limits) and size > sum(limits):
            those = " and ".join(str(box.get("name") or "kserve-container") for box in writers)
            one = len(writers) == 1
            yield (
                f"container{'' if one else 's'} {those}, which write{'s' if one else ''} it, "
                f"may use {_shown(sum(limits))}{'' if one else ' together'}"
            )

    def by_pod() -> Iterator[str]:
        most = pod.most()
        if most and most < size and not known(by_writers())[0]:
            yield f"the pod may use {_shown(most)}"

    if writers:
        for which in apart((by_writers(), by_pod())):
            yield Finding(f"{owner}: volume {name} takes {_shown(size)} of memory, and {which}", urn)


def _writes(pod: _Pod, box: Props, volume: str) -> bool:
    return any(each.get("name") == volume and not each.get("readOnly") for each in pod.mounts(box))


def _shown(amount: Decimal | int) -> str:
    """An amount as people read it, in GiB."""
    return f"{float(amount) / 2**30:g} GiB"


MEMORY: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-memory-volumes-fit",
        title="A volume in memory is no larger than the memory of those that write it",
        why="What is written into an emptyDir of medium Memory, shared memory at /dev/shm for one, counts against the "
        "memory limit of the container that wrote it: with a volume larger than the limit the kernel kills the "
        "container before the volume is full, and a gang has lost a member.",
        fix="Write a sizeLimit below the memory limit, with room for the program itself, or a larger limit; a job of "
        "workloads.training has shm_gib below memory_gib.",
        reference="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir",
        severity="medium",
        excused_by=nothing,
        types=makes_pods,
        compare=_fit,
    ),
)
