"""The platform example with a job that Kubeflow Trainer makes."""

from podwright.components.model import Cluster, load
from tools.generated import ROOT


def with_train_job() -> Cluster:
    """One that waits in queues."""
    return load(ROOT / "tests/examples/platform/Pulumi.trainjob.yaml")
