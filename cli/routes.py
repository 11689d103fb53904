"""Services on the status screen: those alone that users do not reach, or that do not scale as they should; and what
stands between pods, where it does not work."""

from collections.abc import Iterator

from podwright.components import model
from podwright.components.model.gateway import KEYS_NAMESPACE, NAME, NAMESPACE
from podwright.components.providers.status import gateway, mesh
from podwright.components.providers.status.routes import refused
from podwright.components.providers.status.scaling import stuck
from podwright.components.providers.status.snapshot import Snapshot


def unserved(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each Route of the file that users do not reach, and for each service that is stuck."""
    if cluster.openshift is not None and cluster.openshift.inference_gateway is not None:
        yield from gateway.closed(snapshot, NAMESPACE, NAME)
        if cluster.openshift.inference_gateway.keys is not None:
            yield from gateway.unasked(snapshot, KEYS_NAMESPACE, "kuadrant")
    if cluster.openshift is not None and cluster.openshift.service_mesh is not None:
        yield from mesh.unready(snapshot)
    for name, service in cluster.workloads.inference.items():
        if service.route is not None:
            yield from refused(snapshot, service.team, name)
        if service.gateway is not None:
            yield from gateway.refused(snapshot, service.team, name)
            yield from gateway.unkept(snapshot, service.team, name)
        if service.scale is not None:
            yield from stuck(snapshot, service.team, name, service.most)
