"""The platform example with a JobSet, and with its queues enforced or not."""

from podwright.components.model import Cluster, load
from tools.generated import ROOT


def with_set(enforce: bool = True) -> Cluster:
    """Its job of team vision is a set."""
    cluster = load(ROOT / "tests/examples/platform/Pulumi.sets.yaml")
    assert cluster.openshift is not None and cluster.openshift.queues is not None
    queues = cluster.openshift.queues.model_copy(update={"enforce": enforce})
    return cluster.model_copy(update={"openshift": cluster.openshift.model_copy(update={"queues": queues})})
