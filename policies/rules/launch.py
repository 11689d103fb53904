"""Rules about launchers of training processes: members of one job learn of each other, and of how many there are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from .kubernetes import job_specs, kind, of_kind, pod_spec, pod_specs
from .resource import Resource
from .rule import NotApplicable, Props, Rule, items, strings

_KINDS: Final = ("Job", "JobSet", "TrainingRuntime", "ClusterTrainingRuntime")
_MODULES: Final = ("torch.distributed.run", "torch.distributed.launch")
_IN_TEXT: Final = re.compile(r"(?<![\w.-])torchrun(?![\w.-])|torch\.distributed\.(run|launch)\b")
_GIVEN: Final = re.compile(r"nnodes|standalone|PET_", re.IGNORECASE)
"""What gives a launcher its peers, or says that it has none: an option or a variable of a shell's text."""


def _launches(words: Sequence[str]) -> bool:
    """Whether a command starts torch's launcher, itself or in the text that a shell is given."""
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name in ("bash", "sh"):
        return any(_IN_TEXT.search(word) for word in words)
    return name == "torchrun" or any(option == "-m" and word in _MODULES for option, word in pairwise(words))


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
    # Members that find each other by name are no independent tasks; those of a set always do.
    gangs = [
        (spec["parallelism"], pod)
        for spec, pod in zip(job_specs(resource), pod_specs(resource), strict=True)
        if (pod.get("subdomain") or kind(resource) != "Job") and spec.get("parallelism") not in (None, 0, 1)
    ]
    if not gangs:
        raise NotApplicable("no members that need each other")
    for members, pod in gangs:
        for box in filter(_alone, items(pod.get("containers"))):
            which = f"{kind(resource)} {resource.name}: {members:g} members run torchrun in container"
            yield f"{which} {box.get('name')}, and none learns of the others"


_FEWER: Final = "kueue.x-k8s.io/job-min-parallelism"
_EQUAL: Final = "kueue.x-k8s.io/job-completions-equal-parallelism"
_COUNT: Final = re.compile(r"--(?:nnodes|num[_-]machines)(?:=|\s+)(\S+)")


def _notes(resource: Resource) -> Mapping[str, str]:
    return strings((resource.props.get("metadata") or {}).get("annotations"))


def _fewer(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Job" or (least := _notes(resource).get(_FEWER)) is None:
        raise NotApplicable("nobody starts it with fewer members")
    spec, pod = resource.props.get("spec") or {}, pod_spec(resource)
    which = f"Job {resource.name} may be started with {least} of its members"
    if spec.get("completions") and _notes(resource).get(_EQUAL) != "true":
        yield f"{which}, and the others would start once these have ended ({_EQUAL} is not true)"
    for box in items(pod.get("containers")):
        fixed = _fixed(box)
        if fixed:
            yield f"{which}, and container {box.get('name')} waits for {fixed}"


def _fixed(box: Props) -> str:
    """How many members a launcher waits for, where that is one number and not from one to another."""
    words = " ".join(str(word) for word in (*items(box.get("command")), *items(box.get("args"))))
    # A PET_NNODES of another object is not known here, and WORLD_SIZE beside it is overwritten by torchrun.
    given = {str(row.get("name")): str(row.get("value")) for row in items(box.get("env"))}
    found = _COUNT.search(words)
    count = found[1].strip("\"'") if found else given.get("PET_NNODES", given.get("WORLD_SIZE", ""))
    return count if count.isdecimal() else ""


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
    Rule(
        id="workloads-fewer-members-known",
        title="The program of a job that may start with fewer members takes fewer",
        why="Kueue starts fewer pods than the job has, and a launcher that was given the number of all of them "
        "waits until it gives up, on GPUs that are held all the while.",
        fix="Give torchrun --nnodes=2:4 (least and most), and the Job "
        'kueue.x-k8s.io/job-completions-equal-parallelism: "true", or remove kueue.x-k8s.io/job-min-parallelism. A job '
        "of workloads.training with min_nodes has them.",
        reference="https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission",
        severity="high",
        types=of_kind("Job"),
        check=_fewer,
    ),
)
