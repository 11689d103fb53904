"""Which MachineConfigPool a node belongs to, and whether it is in the middle of an update.

Other operators pause a node's pool while they take the node away, so that only one of them does.
"""

from __future__ import annotations

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import MACHINE_CONFIG_POOLS, MACHINE_CONFIGS
from podwright.lab.openshift.mco import DESIRED


def machine_pool(operator: Controller, node: Object) -> Object | None:
    """The pool whose configuration the node is to run, known by the configuration's owner."""
    notes = node["metadata"].get("annotations") or {}
    config = operator.cache.get(MACHINE_CONFIGS, notes.get(DESIRED, ""))
    owners = (config or {"metadata": {}})["metadata"].get("ownerReferences", [])
    return operator.cache.get(MACHINE_CONFIG_POOLS, owners[0]["name"]) if owners else None


def busy(pool: Object) -> bool:
    """True while nodes of the pool move to another configuration, or nothing is known of it yet."""
    wanted, reached = (pool.get(part, {}).get("configuration", {}).get("name") for part in ("spec", "status"))
    return not wanted or wanted != reached
