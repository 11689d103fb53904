"""A training job as a JobSet: one Job of all members, and what makes all of them again when one is gone.

Sources: kubernetes-sigs/jobset v0.12.0, api/jobset/v1alpha2/jobset_types.go, pkg/controllers/failure_policy.go; every
field is in 0.11 too, which Red Hat's operator runs. Names: pkg/util/placement and pkg/controllers (a member's host name
is its Job's name with its index).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from podwright.components.design.platform.names import Manifest
from podwright.components.model.workloads import SETS

API: Final = "jobset.x-k8s.io/v1alpha2"
MEMBERS: Final = SETS["jobset"]
"""Name of the one replicated Job of a set."""
DISRUPTED: Final = {"type": "DisruptionTarget", "status": "True"}
"""Condition of a pod that was drained, preempted, or lost with its node."""
_BY_POLICY: Final = ["PodFailurePolicy"]


def member(name: str, number: int, job: str = MEMBERS) -> str:
    """Host name of a member of a set; `job` is the name of its replicated Job."""
    return f"{name}-{job}-0-{number}"


def job_set(meta: Mapping[str, Any], labels: Mapping[str, str], job: Mapping[str, Any], restarts: int) -> Manifest:
    """The set of one Job. `labels` and `job` are that Job's labels and spec; a queue's label is the set's alone.
    `restarts`: how often all members are made again for an error."""
    own = spec(str(meta["name"]), MEMBERS, labels, job, restarts)
    return {"apiVersion": API, "kind": "JobSet", "metadata": meta, "spec": own}


def spec(name: str, members: str, labels: Mapping[str, str], job: Mapping[str, Any], restarts: int) -> dict[str, Any]:
    """What a set of that name is, whoever makes it; `members` is the name of its one replicated Job.

    The first rule that fits counts: a drain, a preemption or a lost node is nobody's failure, and only the words of the
    Job's condition tell it from an exit code that ends the job (kubernetes, pkg/controller/job/pod_failure_policy.go).
    Whatever fits none makes all members again, and counts. Suspension is Kueue's field alone.
    """
    again = "RestartJobSetAndIgnoreMaxRestarts"
    rules = [
        {
            "name": "disrupted",
            "action": again,
            "onJobFailureReasons": _BY_POLICY,
            "onJobFailureMessagePatterns": ["has condition DisruptionTarget"],
        },
        {"name": "givenUp", "action": "FailJobSet", "onJobFailureReasons": _BY_POLICY},
    ]
    return {
        # The controller makes the headless service of that name. The first member answers before it is ready.
        "network": {"enableDNSHostnames": True, "subdomain": name, "publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All"},
        "failurePolicy": {"maxRestarts": restarts, "restartStrategy": "Recreate", "rules": rules},
        "replicatedJobs": [{"name": members, "replicas": 1, "template": {"metadata": {"labels": labels}, "spec": job}}],
    }


def ends(give_up: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What ends the Job of a set: any member that is gone, so that the set decides. `give_up` are a Job's rules about
    exit codes that end it for good."""
    rules = [{"action": "FailJob", "onPodConditions": [DISRUPTED]}, *give_up]
    return {"backoffLimit": 0, "podReplacementPolicy": "Failed", "podFailurePolicy": {"rules": rules}}
