"""How replicas of a service stand apart, and how long they stay on a node that is lost."""

from typing import Any, Final

from podwright.components.design.platform.names import RACK_LABEL
from podwright.components.design.platform.topology import HOST_LABEL
from podwright.components.model import Inference

LOST: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Taints of a node whose kubelet is not ready, and of one that says nothing. For either of them that a pod does not
tolerate by itself, the API server writes 300 s in (DefaultTolerationSeconds)."""


def constraints(inference: Inference, labels: dict[str, str]) -> list[dict[str, Any]]:
    """Over racks where the service says so, which holds; over servers as far as there is room.

    A rack whose servers are all cordoned, lost or not admitted yet counts no more (`nodeTaintsPolicy: Honor`):
    otherwise the rack that is gone would have fewest replicas for ever, and the one to be made anew would wait for it.
    Replicas of the form before are counted too: a new one takes the place of an old one (`kserve.strategy`), in the
    rack that has fewer by that. Counted apart (`matchLabelKeys`), it might have to go where the old ones fill the rack.
    """
    same = {"labelSelector": {"matchLabels": labels}}
    hosts = {"maxSkew": 1, "topologyKey": HOST_LABEL, "whenUnsatisfiable": "ScheduleAnyway", **same}
    if inference.spread == "hosts":
        return [hosts]
    racks = {"maxSkew": 1, "topologyKey": RACK_LABEL, "whenUnsatisfiable": "DoNotSchedule", **same}
    return [{**racks, "nodeTaintsPolicy": "Honor"}, hosts]


def tolerations(inference: Inference) -> list[dict[str, Any]]:
    """How long a replica stays on a lost node; nothing where the API server says it."""
    seconds = inference.lost_node_seconds
    if seconds is None:
        return []
    return [{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds} for key in LOST]
