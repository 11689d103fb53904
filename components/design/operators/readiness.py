"""When a rail pool is ready to be measured: every node offers its GPUs and rails, and nothing is about to restart it.

Operators report ready before nodes are: SR-IOV and machine configuration drain and restart nodes one by one, after the
objects that ask for it were taken.
"""

from typing import Any

from podwright.components.design import hardware
from podwright.components.design.compute import digest
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators.network import resource
from podwright.components.design.platform import pools
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Cluster, Server


def ready(cluster: Cluster, settings: tuple[Manifest, ...]) -> dict[str, dict[str, Any]]:
    """Spec of `podwright:openshift:PoolReady` by rail pool; what the operators were told (`settings`) triggers it anew.

    `resources` is what each node must at least offer: the poorest node of a mixed pool says how much.
    """
    return {
        name: {
            "schema": SCHEMA,
            "pool": name,
            "nodes": sorted(members),
            "resources": _offered(list(members.values()), whole=pool.mig is None),
            "trigger": digest(list(settings)),
            **({} if pool.stall_minutes is None else {"stalled_seconds": pool.stall_minutes * 60}),
        }
        for name, pool in cluster.pools.items()
        if pool.rails and (members := pools.servers(cluster, name))
    }


def _offered(servers: list[Server], *, whole: bool) -> dict[str, int]:
    gpus = min(hardware.gpu_count(server) for server in servers)
    rails = set.intersection(*({nic.rail for nic in hardware.rails(server)} for server in servers))
    return {**({"nvidia.com/gpu": gpus} if whole and gpus else {}), **{resource(rail): 1 for rail in sorted(rails)}}
