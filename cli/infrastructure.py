"""OpenShift's own pods on the status screen: how many are on their pool, and which are not."""

from dataclasses import dataclass

from podwright.components import model
from podwright.components.providers.status.infrastructure import elsewhere, placed
from podwright.components.providers.status.snapshot import OWN_PODS, Snapshot


@dataclass(frozen=True)
class Placement:
    """One sentence, and a phrase for each pod that is not where the file has it."""

    text: str
    off: tuple[str, ...]


def placement(cluster: model.Cluster, snapshot: Snapshot) -> Placement | None:
    """Where they are; None where the file does not define it, or nobody can say."""
    defined = cluster.openshift.infrastructure if cluster.openshift else None
    if defined is None or snapshot.unseen(*OWN_PODS):
        return None
    nodes = {name for name, server in cluster.nodes.items() if server.pool == defined.pool}
    count = placed(snapshot, nodes)
    off = [*elsewhere(snapshot, defined.pool, nodes)]
    if (routers := placed(snapshot, nodes, "RouterPod")) < defined.routers:
        off.insert(0, f"{routers} of {defined.routers} routers are on pool {defined.pool}")
    if not snapshot.of("MonitoringPod"):
        off.append("no pod of OpenShift's monitoring runs")
    text = f"{count} pods of OpenShift's routers, registry and monitoring are on pool {defined.pool}"
    return Placement(text, tuple(off))
