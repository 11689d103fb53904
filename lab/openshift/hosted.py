"""Whether a program runs: its pod's status says what was last heard of it, its host whether anything runs there now.

Between the end of a host and the moment at which its node is given up, pods of it are Running and ready, and their
Deployment is available. Nobody answers there.
"""

from __future__ import annotations

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.controlplane import POWERED_LABEL
from podwright.lab.openshift.kinds import NODES, PODS


def answers(node: Object | None) -> bool:
    """Whether a node's kubelet runs and is heard: nobody has taken its heartbeats away."""
    return node is not None and (node["metadata"].get("labels") or {}).get(POWERED_LABEL) == "true"


def runs(known: Cache, deployment: Object | None) -> bool:
    """Whether a Deployment is available, and one of its pods is on a host that answers."""
    if deployment is None or not deployment.get("status", {}).get("availableReplicas"):
        return False
    silent = {node["metadata"]["name"] for node in known.list(NODES) if not answers(node)}
    if not silent:
        return True
    wanted = deployment["spec"]["selector"]["matchLabels"].items()
    pods = (
        pod
        for pod in known.list(PODS, deployment["metadata"]["namespace"])
        if wanted <= (pod["metadata"].get("labels") or {}).items() and pod["status"].get("phase") == "Running"
    )
    return any(pod["spec"].get("nodeName") not in silent for pod in pods)
