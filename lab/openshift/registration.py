"""A kubelet starts: what it registers its node with, from hardware, BIOS and the configuration on its host's disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift import heartbeats, nodes
from podwright.lab.openshift.api import Api
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.install.hosts import Member
from podwright.lab.openshift.kinds import MACHINE_CONFIG_POOLS, MACHINE_CONFIGS
from podwright.lab.openshift.kubelet_configs import settings
from podwright.lab.world.model import World


def register(
    api: Api, world: World, member: Member, schedulable_masters: bool, memory: Mapping[str, HostMemory]
) -> None:
    """Make the node, or find it and say that it is not ready. Raises ApiError."""
    server, host = world.servers[member.server], world.host(member.server)
    arguments = heartbeats.kernel_arguments(api, member.hostname)
    booted = nodes.Boot(host.boots, world.bios(member.server), arguments, world.system_uuid(member.server))
    first = nodes.status(server, member.hostname, member.address, booted)
    node = nodes.node(member.hostname, member.role, schedulable_masters, first)
    known = memory.get(member.hostname)
    config = known.running(first["nodeInfo"]["bootID"]) if known else None
    # kubelet looks at `registerWithTaints` when it makes its node, never at one that is there.
    if taints := settings(config or _served(api, member.role)).get("registerWithTaints"):
        node["spec"]["taints"] = [*node["spec"].get("taints", []), *taints]
    heartbeats.register(api, node)


def _served(api: Api, role: str) -> dict[str, Any] | None:
    """What the machine config server hands a host at its first boot: the latest where one node runs it already."""
    pool = api.get(MACHINE_CONFIG_POOLS.path(None, role)) or {}
    status = pool.get("status") or {}
    part = pool.get("spec") if status.get("updatedMachineCount") else status
    name = ((part or {}).get("configuration") or {}).get("name")
    found = api.get(MACHINE_CONFIGS.path(None, name)) if name else None
    return dict(found["spec"]) if found else None
