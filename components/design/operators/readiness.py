"""When a rail pool is ready to be measured: every node offers its GPUs and rails, and nothing is about to restart it.

Operators report ready before nodes are: SR-IOV and machine configuration drain and restart nodes one by one, after the
objects that ask for it were taken.
"""

from collections.abc import Iterable
from typing import Any

from podwright.components.design.compute import digest
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators import nic_settings
from podwright.components.design.operators.network import VENDOR, resource
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Lossless, RailPool


def ready(pool: RailPool, settings: Iterable[Manifest]) -> dict[str, Any]:
    """Spec of `podwright:openshift:PoolReady`; what operators were configured with (`settings`) triggers it anew.

    `resources` is what each node must at least offer.
    """
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "resources": {
            **({"nvidia.com/gpu": pool.whole_gpus} if pool.whole_gpus else {}),
            **{resource(rail): 1 for rail in pool.shared_rails},
        },
        "trigger": digest(list(settings)),
        **({} if pool.stall_minutes is None else {"stalled_seconds": pool.stall_minutes * 60}),
        **({"pause": True} if pool.pause else {}),
        **({"admission": True} if pool.admission else {}),
    }


def admitted(pool: RailPool) -> dict[str, Any]:
    """Spec of the wait for a pool's checks, which need the GPU operator: every node has passed those of its boot."""
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "resources": {},
        "admission": True,
        "trigger": digest(list(pool.nodes)),
        **({} if pool.stall_minutes is None else {"stalled_seconds": pool.stall_minutes * 60}),
        **({"pause": True} if pool.pause else {}),
    }


def placed(pool: RailPool) -> dict[str, Any]:
    """Spec of the wait before any SR-IOV policy: every node's ports are where rails are expected, or it stops.

    A policy for an address where no port is makes nothing and reports nothing (sriov-network-operator: a selector that
    matches no interface), and one for another port's address would put a pod on the wrong leaf.
    """
    devices = {nics.rail: nics.device for nics in pool.nics}
    alike: dict[str, dict[str, Any]] = {}
    for node, found in pool.addresses.items():
        rails = {str(rail): {"pci": pci, "device": devices[rail]} for rail, pci in sorted(found.items())}
        alike.setdefault(digest(rails), {"nodes": [], "vendor": VENDOR, "rails": rails})["nodes"].append(node)
    ports = list(alike.values())
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "resources": {},
        "ports": ports,
        "trigger": digest(ports),
        **({} if pool.stall_minutes is None else {"stalled_seconds": pool.stall_minutes * 60}),
        **({"pause": True} if pool.pause else {}),
    }


def booted(pool: RailPool, configuration: Manifest) -> dict[str, Any]:
    """Spec of the wait until the Machine Config Operator has taken a pool's nodes through a configuration."""
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "resources": {},
        "trigger": digest(configuration),
        **({} if pool.stall_minutes is None else {"stalled_seconds": pool.stall_minutes * 60}),
        **({"pause": True} if pool.pause else {}),
    }


def configured(pool: RailPool, fabric: Lossless) -> dict[str, Any]:
    """Spec of the wait for a pool's NICs: nothing makes functions of them before they are in the class.

    The operator restarts nodes for it; one that makes functions meanwhile would wait for the first one, and that for
    the second.
    """
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "resources": {},
        "nics": nic_settings.expected(pool, fabric),
        "trigger": digest(nic_settings.expected(pool, fabric)),
        **({} if pool.stall_minutes is None else {"stalled_seconds": pool.stall_minutes * 60}),
        **({"pause": True} if pool.pause else {}),
    }
