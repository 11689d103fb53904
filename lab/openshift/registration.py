"""A kubelet starts: what it registers its node with, from hardware, BIOS and the configuration on its host's disk."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.lab.openshift import heartbeats, kubelet_start, nodes
from podwright.lab.openshift.api import Api, ApiError, Object
from podwright.lab.openshift.certificates import Pair
from podwright.lab.openshift.controller import now
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.install.hosts import Member
from podwright.lab.openshift.kinds import MACHINE_CONFIG_POOLS, MACHINE_CONFIGS, NODES
from podwright.lab.openshift.kubelet_configs import settings
from podwright.lab.world.model import World

TRIES = 40
"""Half seconds until an API server that went away in between is back."""
ROLES = "node-role.kubernetes.io/"
DEFAULT_LABELS = (
    "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
)  # fmt: skip
"""What kubelet writes on a node that it finds (`updateDefaultLabels`); those of clouds are left out."""


@contextlib.contextmanager
def kubelet(plane: ControlPlane, member: Member, own: Pair | None) -> Iterator[Api]:
    """The API server as a host's kubelet sees it, with a node's rights. `own`: the certificate it was given when it
    joined; the installation gives hosts of the first day theirs."""
    host = Api(plane.certified(own) if own else plane.access(f"system:node:{member.hostname}", "system:nodes"))
    try:
        yield host
    finally:
        host.close()


def register(
    api: Api,
    host: Api,
    world: World,
    member: Member,
    schedulable_masters: bool,
    memory: Mapping[str, HostMemory],
) -> None:
    """Make the node, or find it and say that it is not ready. Raises ApiError, KubeletError.

    `host` has this node's rights alone; `api` knows what lies on the host's disk.
    """
    server, machine = world.servers[member.server], world.host(member.server)
    arguments = heartbeats.kernel_arguments(api, member.hostname)
    booted = nodes.Boot(machine.boots, world.bios(member.server), arguments, world.system_uuid(member.server))
    first = nodes.status(server, member.hostname, member.address, booted)
    node = nodes.node(member.hostname, member.role, schedulable_masters, first)
    known = memory.get(member.hostname)
    config = known.running(first["nodeInfo"]["bootID"]) if known else None
    started_with = settings(config or _served(api, member.role))
    kubelet_start.check(started_with)
    # kubelet looks at `registerWithTaints` when it makes its node, never at one that is there.
    if taints := started_with.get("registerWithTaints"):
        node["spec"]["taints"] = [*node["spec"].get("taints", []), *taints]
    try:
        _make(api, host, node)
    except ApiError as problem:
        if problem.reason != "AlreadyExists":
            raise
        _find(api, host, node)


def _make(api: Api, host: Api, node: Object) -> None:
    """A node as kubelet makes it: what `--node-labels` has is on it from now on."""
    labels = node["metadata"]["labels"]
    # OpenShift's API server lets a kubelet register with these roles, and change them never; Kubernetes' own refuses
    # both. The lab's hand stands in for that one patch.
    roles = {key: value for key, value in labels.items() if key.startswith(ROLES)}
    own = {key: value for key, value in labels.items() if key not in roles}
    host.create(NODES.path(), {**node, "metadata": {**node["metadata"], "labels": own}, "status": _new(node)})
    _given(api, NODES.path(None, node["metadata"]["name"]), {"metadata": {"labels": roles}})


def _given(api: Api, path: str, change: Object) -> None:
    """The lab's part of one registration: a kubelet that came again would find a node without its roles."""
    for _ in range(TRIES):
        try:
            api.merge(path, change)
        except ApiError as problem:
            if not problem.passing:
                raise
            time.sleep(0.5)
        else:
            return


def _find(api: Api, host: Api, node: Object) -> None:
    """A node that is there: kubelet brings a few labels to its own, and nothing of `--node-labels` or of taints. After
    a boot none of its pods' containers is there."""
    labels = {key: value for key, value in node["metadata"]["labels"].items() if key in DEFAULT_LABELS}
    path = NODES.path(None, node["metadata"]["name"])
    meta = {"labels": labels, "annotations": node["metadata"]["annotations"]}
    before = ((api.get(path) or {}).get("status") or {}).get("nodeInfo") or {}
    if before.get("bootID", "") not in ("", node["status"]["nodeInfo"]["bootID"]):
        heartbeats.restarted(api, node["metadata"]["name"])
    host.merge(path, {"metadata": meta, "status": _new(node)}, "status")


def _new(node: Object) -> dict[str, Any]:
    at = {"lastHeartbeatTime": now(), "lastTransitionTime": now()}
    return {**node["status"], "conditions": [{**nodes.NOT_READY, **at}]}


def _served(api: Api, role: str) -> dict[str, Any] | None:
    """What the machine config server hands a host at its first boot: the latest where one node runs it already."""
    pool = api.get(MACHINE_CONFIG_POOLS.path(None, role)) or {}
    status = pool.get("status") or {}
    part = pool.get("spec") if status.get("updatedMachineCount") else status
    name = ((part or {}).get("configuration") or {}).get("name")
    found = api.get(MACHINE_CONFIGS.path(None, name)) if name else None
    return dict(found["spec"]) if found else None
