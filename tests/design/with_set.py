"""The platform example with a JobSet. It has none itself: each of its pools has a taint, and JobSet tolerates none."""

from podwright.components.model import Cluster, load
from tools.goldens import stack_file


def with_set(enforce: bool = True) -> Cluster:
    """Its job of team vision is a set."""
    cluster = load(stack_file("platform"))
    jobs = dict(cluster.workloads.training)
    jobs["finetune"] = jobs["finetune"].model_copy(update={"kind": "jobset"})
    work = cluster.workloads.model_copy(update={"training": jobs})
    assert cluster.openshift is not None and cluster.openshift.queues is not None
    queues = cluster.openshift.queues.model_copy(update={"enforce": enforce})
    shift = cluster.openshift.model_copy(update={"queues": queues})
    return cluster.model_copy(update={"workloads": work, "openshift": shift})
