"""Servers as their node pool offers them to jobs."""

from collections.abc import Mapping

from podwright.components.model.compute import Server
from podwright.components.model.platform import Pool


def as_pooled(pool: Pool, servers: Mapping[str, Server]) -> dict[str, Server]:
    """A pool's servers. Where it is off the rails they have no leaf group, whatever they are cabled to: nodes are not
    labelled with it then, and offer no function of their rail NICs.
    """
    return {
        name: server if pool.rails or server.group is None else server.model_copy(update={"group": None})
        for name, server in servers.items()
    }
