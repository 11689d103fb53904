"""Teams on the status screen that are not kept apart: a policy that a node does not enforce, a pod on others' rails."""

from collections.abc import Iterator

from podwright.components import model
from podwright.components.design.platform import isolation
from podwright.components.providers.status.isolation import astray, unenforced
from podwright.components.providers.status.snapshot import Snapshot


def apart(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each team that is not kept apart from the others as planned."""
    if cluster.openshift is not None:
        for planned in isolation.policies(cluster.openshift.team_isolation, cluster.teams):
            yield from unenforced(snapshot, planned["metadata"]["name"])
    if (tenants := model.joined(cluster)) is not None:
        yield from astray(snapshot, tenants.teams, tenants.nodes, model.NO_TENANT)
