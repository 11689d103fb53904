"""TrainJobs that nobody makes anything of, or that Kueue would place where Trainer does not look."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, put
from tests.model.data_science_cases import tools
from tests.model.queue_cases import QUEUED

JOB = "workloads/training/pretrain/kind"
TRAIN_JOB = put(JOB, "trainjob")
ON = tools(components=["trainer"], teams=["research"], pools=[])
NEWER = {"kueue-operator": {"channel": "stable-v1.4", "csv": "kueue-operator.v1.4.0"}}
_AT = "workloads.training.pretrain.kind"
_OFF = "nobody makes a JobSet of a TrainJob: Kubeflow Trainer is not switched on"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, TRAIN_JOB, _AT, _OFF),
    (LAB, both(tools(), TRAIN_JOB), _AT, _OFF),
    (
        LAB,
        both(ON, QUEUED, TRAIN_JOB, put("operators/pins", NEWER)),
        "operators.pins.kueue-operator.channel",
        "it brings Kueue 0.18, which places TrainJobs by runtimePatches, which Trainer has since 2.2: OpenShift AI 3.4 "
        "brings Trainer 2.1",
    ),
]
"""Stack, change, where, what is said."""
