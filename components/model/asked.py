"""What of a cluster has an operator of its own, by all sections that may ask for it."""

from podwright.components.model.platform import OpenShift
from podwright.components.model.workloads import Asked, Workloads


def asked(workloads: Workloads, openshift: OpenShift | None) -> Asked:
    """What runs, and what Kubeflow Trainer, where it is on, makes of users' own TrainJobs: JobSets."""
    found = workloads.asked
    return found._replace(sets=found.sets or trainer(openshift))


def trainer(openshift: OpenShift | None) -> bool:
    """Whether Kubeflow Trainer is installed."""
    tools = openshift.data_science if openshift is not None else None
    return tools is not None and "trainer" in tools.components
