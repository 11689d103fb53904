"""The rule about launchers of training processes: members of one job learn of each other."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .kubernetes import job_spec, kind, of_kind, pod_spec
from .resource import Resource
from .rule import NotApplicable, Props, Rule, items

_KINDS: Final = ("Job", "JobSet", "TrainingRuntime", "ClusterTrainingRuntime")
_MODULES: Final = ("torch.distributed.run", "torch.distributed.launch")
_IN_TEXT: Final = re.compile(r"(?<![\w.-])torchrun(?![\w.-])|torch\.distributed\.(run|launch)\b")
_GIVEN: Final = re.compile(r"nnodes|standalone|PET_", re.IGNORECASE)
"""What gives a launcher its peers, or says that it has none: an option or a variable of a shell's text."""


def _launches(words: Sequence[str]) -> bool:
    """Whether a command starts torch's launcher, itself or in the text that a shell is given."""
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name in ("bash", "sh"):
        return any(_IN_TEXT.search(word) for word in words[1:])
    return name == "torchrun" or (name.startswith("python") and any(word in _MODULES for word in words[1:4]))


def _alone(box: Props) -> bool:
    words = [str(word) for word in (*items(box.get("command")), *items(box.get("args")))]
    named = {str(row.get("name")) for row in items(box.get("env"))}
    # What envFrom brings is in another object.
    known = "PET_NNODES" in named or bool(box.get("envFrom")) or any(_GIVEN.search(word) for word in words)
    return bool(box.get("command")) and _launches(words) and not known


def _meets(resource: Resource) -> Iterator[str]:
    if kind(resource) not in _KINDS:
        raise NotApplicable("not a Job")
    if "torch" in ((resource.props.get("spec") or {}).get("mlPolicy") or {}):
        raise NotApplicable("Kubeflow Trainer tells the members")
    spec, pod = job_spec(resource), pod_spec(resource)
    # Members that find each other by name are no independent tasks; those of a set always do.
    if not (pod.get("subdomain") or kind(resource) != "Job") or spec.get("parallelism") in (None, 0, 1):
        raise NotApplicable("no members that need each other")
    for box in items(pod.get("containers")):
        if _alone(box):
            which = f"{kind(resource)} {resource.name}: {spec['parallelism']:g} members run torchrun in container"
            yield f"{which} {box.get('name')}, and none learns of the others"


LAUNCH: tuple[Rule, ...] = (
    Rule(
        id="workloads-members-meet",
        title="Members of a job that run torchrun learn of each other",
        why="Without --nnodes torchrun trains with one member: each of them trains alone on the same data, and nothing "
        "reports it.",
        fix="Give torchrun --nnodes, --rdzv-backend and --rdzv-endpoint, or the container PET_NNODES, PET_RDZV_BACKEND "
        "and PET_RDZV_ENDPOINT. A job of workloads.training has them.",
        reference="https://docs.pytorch.org/docs/stable/elastic/run.html",
        severity="high",
        types=of_kind(*_KINDS),
        check=_meets,
    ),
)
