"""Routes of services on the status screen: those alone that no router serves."""

from collections.abc import Iterator

from podwright.components import model
from podwright.components.providers.status.routes import refused
from podwright.components.providers.status.snapshot import Snapshot


def unserved(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each Route of the file that users do not reach."""
    for name, service in cluster.workloads.inference.items():
        if service.route is not None:
            yield from refused(snapshot, service.team, name)
