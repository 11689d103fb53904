"""Two queues of one cohort in one namespace, which lend each other what they leave idle, or nothing."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from tests.lab.openshift.gangs import members, placed
from tests.lab.openshift.rack import Rack

OTHER = "vision"
"""The second queue, local and of the cluster."""


def two_queues(
    planned: Mapping[str, Mapping[str, Any]], own: int, others: int, preemption: Mapping[str, str]
) -> tuple[dict[str, Any], ...]:
    """The planned queue with `own` GPUs, and one of `others` GPUs beside it for the same namespace.

    Both stop jobs of each other as `preemption` has it of the first. Without it both are as planned, and lend nothing.
    """
    first, second = (copy.deepcopy(dict(planned["ClusterQueue"])) for _ in range(2))
    for queue, gpus in ((first, own), (second, others)):
        rows = queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
        row = next(row for row in rows if row["name"] == "nvidia.com/gpu")
        row["nominalQuota"] = str(gpus)
        if preemption:
            queue["spec"]["preemption"] = dict(preemption)
            row.pop("lendingLimit", None)
    second["metadata"]["name"] = OTHER
    second["spec"]["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": "research"}}
    local = planned["LocalQueue"]
    place = {**local, "metadata": {**local["metadata"], "name": OTHER}, "spec": {"clusterQueue": OTHER}}
    return first, second, place


def hands_over(
    queues: Rack, settings: Sequence[Mapping[str, Any]], first: Sequence[Any], second: Sequence[Any]
) -> None:
    """A gang has servers since its queue was of no cohort, as podwright left it once. One of the other queue, which has
    GPUs left, wants them too, and gets them when that one is gone."""
    queues.kubectl("delete", "jobs", "--all", "-n", "research")
    planned = two_queues({each["kind"]: each for each in settings}, 24, 24, {})
    queues.apply(*map(_of_no_cohort, planned))
    (service, job) = copy.deepcopy(first)
    name, later = job["metadata"]["name"], second[1]["metadata"]["name"]
    job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = OTHER
    queues.apply(service, job)
    queues.wait("a gang on three of five servers", lambda: len(placed(queues, name)) == 3)
    before = members(queues, name)
    queues.apply(*planned, *second)
    queues.wait("no room", lambda: "out of 3 pod(s)" in _reason(queues, later))
    assert placed(queues, later) == [] and members(queues, name) == before, "it goes on in a queue of a cohort"
    queues.kubectl("delete", "job", name, "-n", "research")
    queues.wait("the second gang", lambda: len(placed(queues, later)) == 3, 60)


def _of_no_cohort(planned: Mapping[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(dict(planned))
    if found["kind"] == "ClusterQueue":
        del found["spec"]["cohortName"]
        for row in found["spec"]["resourceGroups"][0]["flavors"][0]["resources"]:
            del row["lendingLimit"]
    return found


def _reason(queues: Rack, job: str) -> str:
    """What Kueue says of a job that waits."""
    found = (each for each in queues.items("workloads", "-n", "research") if f"job-{job}-" in each["metadata"]["name"])
    rows = [row for each in found for row in each.get("status", {}).get("conditions", ())]
    return next((str(row["message"]) for row in rows if row["type"] == "QuotaReserved"), "")
