"""Parts of the service mesh that are not ready, as its operator says, and nodes that its pods are not probed on."""

from collections.abc import Iterator
from typing import Final

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.gateway_mode import mode_of, operators_word
from podwright.components.providers.openshift.waiting import few
from podwright.components.providers.status.reasons import why_not
from podwright.components.providers.status.snapshot import Snapshot

_WITHOUT: Final = {
    "Istio": "pods that start get no certificate",
    "IstioCNI": "pods that start do not come into the mesh",
    "ZTunnel": "pods in the mesh of some node reach nobody",
}
"""What follows while a part is not ready."""


def unready(snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each of the three that is there and not ready, and one for nodes that do not route by the host;
    what is not there is the plan's matter."""
    yield from _elsewhere(snapshot)
    for kind, follows in _WITHOUT.items():
        if why := why_not(snapshot, (kind, None, "default"), "Ready"):
            yield f"{kind} default is not ready, so that {follows}: {why}"


def _elsewhere(snapshot: Snapshot) -> Iterator[str]:
    """Nodes in OVN-Kubernetes' other gateway mode, where that is asked for or pods of a mesh may be."""
    if snapshot.unseen("Network", "ClusterOperator"):
        return
    network = snapshot.named("Network", "cluster") or {}
    config = ((network.get("spec") or {}).get("defaultNetwork") or {}).get("ovnKubernetesConfig") or {}
    asked = bool((config.get("gatewayConfig") or {}).get("routingViaHost"))
    if not asked and snapshot.named("ZTunnel", "default") is None:
        return
    nodes = [each for each in snapshot.of("Node") if conditions(each).get("Ready", {}).get("status") != "Unknown"]
    behind = [str(each["metadata"]["name"]) for each in nodes if mode_of(each) != "local"]
    if not behind:
        return
    operator = operators_word(snapshot.named("ClusterOperator", "network"))
    silent = "ClusterOperator network says nothing of it" if asked else "Network cluster does not ask for it"
    yield (
        f"OVN-Kubernetes does not route by the host on {len(behind)} of {len(nodes)} nodes ({few(behind)}), so that "
        f"probes of pods in the mesh fail there: {operator or silent}"
    )
