"""Two queues of one cohort in one namespace, which lend each other what they leave idle."""

import copy
from collections.abc import Mapping
from typing import Any

OTHER = "vision"
"""The second queue, local and of the cluster."""


def two_queues(
    planned: Mapping[str, Mapping[str, Any]], own: int, others: int, preemption: Mapping[str, str]
) -> tuple[dict[str, Any], ...]:
    """The planned queue with `own` GPUs, and one of `others` GPUs beside it for the same namespace.

    Both stop jobs of each other as `preemption` has it of the first.
    """
    first, second = (copy.deepcopy(dict(planned["ClusterQueue"])) for _ in range(2))
    for queue, gpus in ((first, own), (second, others)):
        queue["spec"] |= {"cohortName": "podwright", "preemption": dict(preemption)}
        rows = queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
        next(row for row in rows if row["name"] == "nvidia.com/gpu")["nominalQuota"] = str(gpus)
    second["metadata"]["name"] = OTHER
    second["spec"]["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": "research"}}
    local = planned["LocalQueue"]
    place = {**local, "metadata": {**local["metadata"], "name": OTHER}, "spec": {"clusterQueue": OTHER}}
    return first, second, place
