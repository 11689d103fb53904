"""Node pools: one MachineConfigPool each, what its nodes boot with, and the labels and taints of each node."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from podwright.components.design import hardware
from podwright.components.design.platform import admission, block_storage, containers, numa, processors, tuned
from podwright.components.design.platform.names import (
    GROUP_LABEL,
    MIG_OFF,
    PLUGIN_LABEL,
    POOL_LABEL,
    PURPOSE_LABEL,
    SHARED_LABEL,
    WHOLE_GPU,
    Manifest,
    mig_resource,
    plugin_config,
    share,
)
from podwright.components.model import Pool, RailNics, RailPool, Roles, Server, effective, layout_config, layout_name

FIELD_MANAGER = "podwright"
"""Owner of the fields on nodes; fixed, so that a repeated attempt finds its own."""
NOTHING: Mapping[str, str] = {}
_MEMLOCK = '[crio.runtime]\ndefault_ulimits = ["memlock=-1:-1"]\n'


def members(servers: Mapping[str, Server], pool: str) -> dict[str, Server]:
    """Servers of a pool, in the order of the file."""
    return {name: server for name, server in servers.items() if server.pool == pool}


def rail_pool(name: str, pool: Pool, servers: Mapping[str, Server]) -> RailPool:
    """What a pool's servers offer to jobs: the poorest server of a mixed pool says how many GPUs and which rails."""
    nics: dict[int, list[hardware.Nic]] = {}
    for server in servers.values() if pool.rails else ():
        for nic in hardware.rails(server):
            found = nics.setdefault(nic.rail, [])
            if nic not in found:
                found.append(nic)
    everywhere = [{nic.rail for nic in hardware.rails(server)} for server in servers.values()] if pool.rails else []
    return RailPool(
        name=name,
        nodes=tuple(sorted(servers)),
        groups=tuple(sorted({server.group for server in servers.values() if server.group is not None})),
        whole_gpus=0
        if pool.sharing
        else min((hardware.mig_parts(server, pool).whole for server in servers.values()), default=0),
        products=tuple(sorted({server.gpus for server in servers.values() if server.gpus})),
        shared_rails=tuple(sorted(set.intersection(*everywhere))) if everywhere else (),
        nics=tuple(
            RailNics(rail=rail, device=alike[0].device, pci=tuple(nic.pci for nic in alike))
            for rail, alike in sorted(nics.items())
        ),
        addresses={
            name: {nic.rail: nic.pci for nic in hardware.rails(server)}
            for name, server in sorted(servers.items())
            if pool.rails and hardware.rails(server)
        },
        max_unavailable=pool.max_unavailable,
        pause=pool.rollout.pause,
        soak_seconds=pool.rollout.soak_seconds,
        gpu_driver=pool.gpu_driver,
        despite=pool.rollout.despite,
        stall_minutes=pool.stall_minutes,
        admission=pool.admission is not None,
    )


def offered(pools: Mapping[str, Pool], servers: Mapping[str, Server]) -> list[RailPool]:
    """What every pool of a cluster offers to jobs."""
    return [rail_pool(name, pool, members(servers, name)) for name, pool in pools.items()]


def role(pool: str) -> str:
    """The node label that puts a node into a MachineConfigPool."""
    return f"node-role.kubernetes.io/{pool}"


def machine_config_pool(name: str, pool: Pool) -> Manifest:
    """A custom pool: workers that take the workers' configuration and their own on top."""
    selector = {"key": "machineconfiguration.openshift.io/role", "operator": "In", "values": ["worker", name]}
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfigPool",
        "metadata": {
            "name": name,
            # Performance profiles find their pool by the last label.
            "labels": {
                POOL_LABEL: name,
                PURPOSE_LABEL: pool.purpose,
                f"pools.operator.machineconfiguration.openshift.io/{name}": "",
                "machineconfiguration.openshift.io/role": name,
            },
            **({"annotations": {SHARED_LABEL: pool.sharing.reason}} if pool.sharing and pool.sharing.reason else {}),
        },
        "spec": {
            "machineConfigSelector": {"matchExpressions": [selector]},
            "nodeSelector": {"matchLabels": {role(name): ""}},
            "maxUnavailable": pool.max_unavailable,
            "paused": pool.rollout.pause,
        },
    }


def node_configuration(name: str, pool: Pool, servers: Mapping[str, Server], roles: Roles) -> Iterator[Manifest]:
    """What the pool's nodes boot with beyond a plain worker."""
    if pool.rails:
        yield _memlock(name)
    if stored := block_storage.machine_config(name, pool.block_storage):
        yield stored
    if pool.hugepages_gib:
        yield _performance_profile(name, pool, servers, roles)
    elif kubelet := {
        **_registration(name, pool),
        **_managers(pool, servers, roles),
        **containers.kubelet(pool.containers),
    }:
        yield _kubelet_config(name, kubelet)
    if runtime := containers.runtime_config(name, pool.containers):
        yield runtime
    if made := tuned.tuned(name, pool, servers):
        yield made


def node(name: str, server: Server, pool: Pool, extra: Mapping[str, str] = NOTHING) -> Manifest:
    """Labels of one node, `extra` ones too, as fields on an object its kubelet made."""
    labels = {role(server.pool): "", POOL_LABEL: server.pool, PURPOSE_LABEL: pool.purpose, **extra}
    if server.group is not None and pool.rails:
        labels[GROUP_LABEL] = str(server.group)
    if pool.sharing and server.gpus:
        labels[PLUGIN_LABEL] = plugin_config(pool.sharing)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels,
            # kubelet and the node controller write beside us; these few fields are ours by name.
            "annotations": {"pulumi.com/patchForce": "true", "pulumi.com/patchFieldManager": FIELD_MANAGER},
        },
    }


def layout(server: Server, pool: Pool) -> dict[str, Any] | None:
    """MIG layout of one server's GPUs and the resources that pods find there then; None where GPUs stay undivided.

    It is no label of `node`: only GPUs that nobody uses take another one, so it moves inside the pool's roll-out.
    """
    gpu = hardware.gpu(server)
    if gpu is None or not gpu.mig:
        return None
    parts = hardware.mig_parts(server, pool)
    found = sorted(map(mig_resource, parts.slices)) + ([WHOLE_GPU] if parts.whole else [])
    config = layout_config(pool)
    return {
        "layout": layout_name(pool) or MIG_OFF,
        "resources": [share(each) for each in found] if pool.sharing else found,
        # The map of layouts is the operators', which come after the nodes: the roll-out adds it there first.
        **({"config": config} if config else {}),
    }


def taint(name: str, pool: Pool) -> dict[str, str] | None:
    """What keeps pods off the pool that do not name it. None: a pool for plain CPU work takes what has no better place.

    NoSchedule: the GPU operator's daemon sets tolerate no NoExecute taint, which would evict the driver.
    """
    return None if pool.purpose == "cpu" else {"key": POOL_LABEL, "value": name, "effect": "NoSchedule"}


def _taints(name: str, pool: Pool) -> list[dict[str, str]]:
    """What a node of the pool has from its first moment."""
    own = taint(name, pool)
    return [*([own] if own else []), *([admission.TAINT] if pool.admission else [])]


def first_taints(pools: Mapping[str, Pool]) -> dict[str, Any]:
    """What the installation knows of taints: by pool, those of hosts that join. Nothing where no pool has one."""
    wanted = {name: _taints(name, pool) for name, pool in pools.items()}
    # A list only where there are several: a pool of one taint keeps the shape that it had.
    found = {name: each if each[1:] else each[0] for name, each in wanted.items() if each}
    return {"taints": found} if found else {}


def _registration(name: str, pool: Pool) -> dict[str, Any]:
    """Fields of kubelet's configuration by which a node of the pool registers with its taint; empty where it has none.

    kubelet applies them only when it makes its Node object: one that was deleted is back without a moment in which
    pods that the pool is not for find room there.
    """
    registered = _taints(name, pool)
    return {"registerWithTaints": registered} if registered else {}


def _managers(pool: Pool, servers: Mapping[str, Server], roles: Roles) -> dict[str, Any]:
    """Fields of kubelet's configuration by which it aligns pods with NUMA nodes; empty where it does not."""
    return numa.managers(pool.numa, _processors(servers, roles)["reserved"]) if pool.numa and servers else {}


def _processors(servers: Mapping[str, Server], roles: Roles) -> dict[str, str]:
    """One list for the whole pool: servers whose processors are not alike are refused (`threads_problems`)."""
    host, server = next(iter(servers.items()))
    return processors.sets(server, effective(host, server, roles).settings)


def _kubelet_config(name: str, settings: Mapping[str, Any]) -> Manifest:
    """MCO writes it as the pool's kubelet.conf; `registerWithTaints` is none of the fields that it refuses
    (machine-config-operator, pkg/controller/kubelet-config/helpers.go, validateUserKubeletConfig).

    One per pool: each is the whole file, and the second one of a pool would hide the first.
    """
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "KubeletConfig",
        "metadata": {"name": name},
        "spec": {"machineConfigPoolSelector": {"matchLabels": {POOL_LABEL: name}}, "kubeletConfig": dict(settings)},
    }


def _memlock(pool: str) -> Manifest:
    """RDMA registers memory by locking it; without this every container is held to 8 MiB (CRI-O default_ulimits)."""
    file = {
        "path": "/etc/crio/crio.conf.d/50-podwright-memlock",
        "mode": 0o644,
        "overwrite": True,
        "contents": {"source": f"data:,{quote(_MEMLOCK)}"},
    }
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {
            "name": f"50-{pool}-memlock",
            "labels": {"machineconfiguration.openshift.io/role": pool},
        },
        "spec": {"config": {"ignition": {"version": "3.4.0"}, "storage": {"files": [file]}}},
    }


def _performance_profile(name: str, pool: Pool, servers: Mapping[str, Server], roles: Roles) -> Manifest:
    """Huge pages, and whole cores kept apart: their threads are those that the BIOS makes of them.

    `best-effort` unless defined: a pod with all GPUs spans both sockets by nature. The operator makes the pool's only
    KubeletConfig of it, so what else kubelet should read is in its annotation.
    """
    scope = numa.scope(pool.numa) if pool.numa else {}
    kubelet = {**_registration(name, pool), **scope, **containers.kubelet(pool.containers)}
    notes = {"annotations": {"kubeletconfig.experimental": json.dumps(kubelet)}} if kubelet else {}
    return {
        "apiVersion": "performance.openshift.io/v2",
        "kind": "PerformanceProfile",
        "metadata": {"name": name, **notes},
        "spec": {
            "cpu": _processors(servers, roles),
            "hugepages": {"defaultHugepagesSize": "1G", "pages": [{"size": "1G", "count": pool.hugepages_gib}]},
            "numa": {"topologyPolicy": pool.numa.policy if pool.numa else "best-effort"},
            "machineConfigPoolSelector": {"machineconfiguration.openshift.io/role": name},
            "nodeSelector": {role(name): ""},
        },
    }
