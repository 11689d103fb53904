"""The NICs' driver, NVIDIA's DOCA-OFED: which one nodes run, and what the roll-out of a pool is told of it.

The network operator writes a driver into a DaemonSet for each kernel and policy, updated `OnDelete`
(Mellanox/network-operator v26.4.1, manifests/state-ofed-driver/0050_ofed-driver-ds.yaml), and reports a policy ready
once every pod is of the newest template (pkg/state/state_skel.go, isDaemonSetReady).
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from podwright.components.design.compute import digest
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators import subscription
from podwright.components.design.platform.names import POOL_LABEL, Manifest, every_node
from podwright.components.model import Operators, RailPool
from podwright.components.model.catalogue import ReleaseSet

API = "mellanox.com/v1alpha1"
CLUSTER = "nic-cluster-policy"
LABEL = "nvidia.com/ofed-driver"
"""Label of the driver's pods and of the DaemonSets' templates."""
_POLICY_NAME, _DIGEST = 32, 8


def section(operators: Operators, release: ReleaseSet) -> dict[str, Any]:
    """`ofedDriver`: the DOCA driver on nodes with an NVIDIA NIC."""
    probes = {
        "startupProbe": {"initialDelaySeconds": 10, "periodSeconds": 20},
        "livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 30},
        "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 30},
    }
    return {
        "image": "doca-driver",
        "repository": "nvcr.io/nvidia/mellanox",
        "version": version(operators, release),
        "forcePrecompiled": False,
        "terminationGracePeriodSeconds": 300,
        # A new driver unloads the NIC under running jobs: roll-outs do that, not the operator on its own.
        "upgradePolicy": {"autoUpgrade": False},
        **probes,
    }


def version(operators: Operators, release: ReleaseSet) -> str:
    """The stack file's driver, or the one of the release set."""
    return operators.doca_driver or release.doca_driver


def policies(
    operators: Operators, release: ReleaseSet, pools: Iterable[RailPool], *, admission: bool = False
) -> Iterator[Manifest]:
    """The driver of each pool that has nodes, where the release set has it by pool.

    None is awaited: it is not ready while a node has an earlier driver, which the roll-out of its pool takes away.
    """
    for pool in pools if release.driver_by_pool else ():
        if pool.nodes:
            yield {
                "apiVersion": API,
                "kind": "NicNodePolicy",
                "metadata": {"name": _policy_name(pool.name)},
                "spec": {
                    "nodeSelector": {POOL_LABEL: pool.name},
                    "ofedDriver": section(operators, release),
                    **tolerated(operators, admission=admission),
                },
            }


def tolerated(operators: Operators, *, admission: bool) -> dict[str, Any]:
    """`tolerations` of a policy; `admission` where some pool checks its nodes before they take workloads."""
    return {"tolerations": every_node(admission=admission)} if operators.gpu_node_tolerations else {}


def beside(operators: Operators, release: ReleaseSet, pool: RailPool, *, admission: bool) -> dict[str, Any]:
    """What a pool's roll-out of GPU drivers is told of the NICs' one: both are replaced by one drain of a node."""
    return {"nic_driver": _looked_at(operators, release, pool), "nic_trigger": _trigger(operators, release, admission)}


def rollout(operators: Operators, release: ReleaseSet, pool: RailPool, *, admission: bool) -> dict[str, Any]:
    """Spec of `podwright:openshift:DriverRollout` of a pool without GPUs."""
    return {
        "schema": SCHEMA,
        "pool": pool.name,
        "nodes": list(pool.nodes),
        "driver": _looked_at(operators, release, pool),
        "trigger": _trigger(operators, release, admission),
        "max_unavailable": pool.max_unavailable,
        "soak_seconds": pool.soak_seconds,
        **({"pause": True} if pool.pause else {}),
        **({"despite": list(pool.despite)} if pool.despite else {}),
    }


def _looked_at(operators: Operators, release: ReleaseSet, pool: RailPool) -> dict[str, str]:
    policy = f"nicnodepolicies/{_policy_name(pool.name)}" if release.driver_by_pool else f"nicclusterpolicies/{CLUSTER}"
    return {
        "namespace": release.network.namespace,
        "label": LABEL,
        "policy": f"/apis/{API}/{policy}",
        "version": version(operators, release),
    }


def _trigger(operators: Operators, release: ReleaseSet, admission: bool) -> str:
    """Digest of what decides which driver runs: the operator's release writes the template."""
    csv = subscription.pinned(operators, release.network).csv
    return digest({"csv": csv, "driver": section(operators, release), **tolerated(operators, admission=admission)})


def _policy_name(pool: str) -> str:
    """Name of a pool's policy: the operator appends it to `mofed-rhcos4.20-<hash>-` for a label of 63 characters."""
    if len(pool) <= _POLICY_NAME:
        return pool
    found = hashlib.sha256(pool.encode()).hexdigest()[:_DIGEST]
    return f"{pool[: _POLICY_NAME - _DIGEST - 1]}-{found}"
