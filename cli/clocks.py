"""Pools of a cluster whose nodes do not take their time from the site's servers, as they show it."""

from collections.abc import Iterator

from podwright.components.design.platform import chrony
from podwright.components.providers.status.snapshot import Snapshot


def clocks(snapshot: Snapshot) -> Iterator[str]:
    """One sentence for each pool whose configuration in force was rendered without the site's time servers.

    A pool that has not rendered anything yet has no nodes to speak of.
    """
    for pool in snapshot.of("MachineConfigPool"):
        name = pool["metadata"]["name"]
        wanted = chrony.name("master" if name == "master" else "worker")
        rows = ((pool.get("status") or {}).get("configuration") or {}).get("source") or []
        if rows and wanted not in {row.get("name") for row in rows}:
            yield (
                f"nodes of pool {name} do not have the site's time servers: their configuration was made without "
                f"MachineConfig {wanted}; `oc describe machineconfigpool {name}` what holds the pool up"
            )
