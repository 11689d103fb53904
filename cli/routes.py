"""Services on the status screen: those alone whose Route no router serves, or that do not scale as they should."""

from collections.abc import Iterator

from podwright.components import model
from podwright.components.providers.status.routes import refused
from podwright.components.providers.status.scaling import stuck
from podwright.components.providers.status.snapshot import Snapshot


def unserved(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each Route of the file that users do not reach, and for each service that is stuck."""
    for name, service in cluster.workloads.inference.items():
        if service.route is not None:
            yield from refused(snapshot, service.team, name)
        if service.scale is not None:
            yield from stuck(snapshot, service.team, name, service.most)
