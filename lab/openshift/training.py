"""How fast training pods talk: the answer of GET /pods, for people and screens that ask why a job is slow.

Pods of one owner exchange everything with everything over their rails, as expert-parallel training does: every NIC
sends to every NIC of its peers at once, so a class that is lost on one hop shows. Counters are left as they were.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.controller import Surroundings
from podwright.lab.openshift.daemons import pod_ready
from podwright.lab.openshift.gpu.driver_pod import copied
from podwright.lab.openshift.hardware import gpu_model
from podwright.lab.openshift.kinds import PODS
from podwright.lab.openshift.perftest.command import program
from podwright.lab.openshift.rails import Rail, rails_of, send
from podwright.lab.world.model import World
from podwright.lab.world.traffic import Flow, FlowResult

DSCP = 26
"""Traffic class of training when the pod does not set NCCL_IB_TC."""
COPIED = 0.5
"""Part of a NIC's speed that is left where GPU memory is copied to the host's first. NCCL does so without an error
where no GPUDirect is there; how much is lost depends on the machine."""


def page(around: Surroundings) -> dict[str, Any]:
    """{"pods": [{namespace, name, node, rails, gbps, of, reasons}]} of running pods that hold rails."""
    groups = _groups(around.cache)
    rows = []
    for members in groups.values():
        rails = {pod["metadata"]["name"]: _rails(around, pod) for pod in members}
        slow = {pod["metadata"]["name"]: _copied(around, pod) for pod in members}
        results = _measure(around.world, members, rails, slow)
        for pod in members:
            name = pod["metadata"]["name"]
            rows.append(_row(around.world, pod, rails[name], results, slow[name]))
    return {"pods": sorted(rows, key=lambda row: (row["namespace"], row["name"]))}


def _groups(cache: Cache) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = defaultdict(list)
    for pod in cache.list(PODS):
        if (
            pod_ready(pod)
            and program(pod) is None
            and "k8s.v1.cni.cncf.io/network-status" in pod["metadata"].get("annotations", {})
        ):
            owners = pod["metadata"].get("ownerReferences") or [{"uid": pod["metadata"]["uid"]}]
            found[owners[0]["uid"]].append(pod)
    return found


def _rails(around: Surroundings, pod: Object) -> list[Rail]:
    server = around.server_of(pod["spec"].get("nodeName", ""))
    return [rail for rail in rails_of(pod, server) if _opened(pod, rail.device)] if server else []


def _copied(around: Surroundings, pod: Object) -> str:
    """Why what the pod's GPUs send goes through the host's memory; empty where it does not, or has no GPUs."""
    server = around.server_of(pod["spec"]["nodeName"])
    model = gpu_model(server) if server else None
    limits = [name for box in pod["spec"]["containers"] for name in (box.get("resources") or {}).get("limits") or {}]
    if model is None or not any(name.startswith("nvidia.com/") for name in limits):
        return ""
    return copied(around.cache, pod["spec"]["nodeName"], model.compute)


def _opened(pod: Object, device: str) -> bool:
    """True where NCCL takes a device: every one that the pod sees, unless NCCL_IB_HCA names some. They are prefixes,
    whole names behind `=`, and those that are left out behind `^`; a port may follow (NVIDIA, NCCL, environment
    variables)."""
    text = next((each for each in _values(pod, "NCCL_IB_HCA") if each), "")
    if not text:
        return True
    names = [each.partition(":")[0] for each in text.lstrip("^=").split(",")]
    exact = "=" in text[:2]
    named = any(device == name if exact else device.startswith(name) for name in names)
    return named != text.startswith("^")


def traffic_class(pod: Object) -> int:
    """DSCP of the pod's RDMA traffic: NCCL_IB_TC is the whole traffic class byte."""
    return next((int(value) >> 2 for value in _values(pod, "NCCL_IB_TC") if value.isdigit()), DSCP)


def _values(pod: Object, name: str) -> Iterator[str]:
    """Values of an environment variable in the pod's containers."""
    for container in pod["spec"]["containers"]:
        for row in container.get("env") or []:
            if row["name"] == name:
                yield str(row.get("value", ""))


def _measure(
    world: World, members: list[Object], rails: dict[str, list[Rail]], slow: dict[str, str]
) -> list[FlowResult]:
    flows = []
    for pod in members:
        for peer in members:
            part = COPIED if slow[pod["metadata"]["name"]] or slow[peer["metadata"]["name"]] else 1.0
            for a in rails[pod["metadata"]["name"]]:
                for b in rails[peer["metadata"]["name"]]:
                    if a.server != b.server:
                        speed = world.servers[a.server].nics[a.nic].gbps * part
                        ends = f"{a.server}:{a.nic}", f"{b.server}:{b.nic}"
                        flows.append((a, b, Flow(*ends, speed, traffic_class(pod), min(a.mtu, b.mtu))))
    if not flows:
        return []
    with world.lock:
        before = copy.deepcopy(dict(world.counters))
        results = send(world, flows, 1.0)
        world.counters.clear()
        world.counters.update(before)
    return results


def _row(world: World, pod: Object, rails: list[Rail], results: list[FlowResult], slow: str) -> dict[str, Any]:
    sources = {f"{rail.server}:{rail.nic}" for rail in rails}
    mine = [result for result in results if result.source in sources]
    reasons = sorted({result.reason for result in mine if result.reason} | ({slow} if slow else set()))
    return {
        "namespace": pod["metadata"]["namespace"], "name": pod["metadata"]["name"], "node": pod["spec"]["nodeName"],
        "rails": [rail.nic for rail in rails], "gbps": round(sum(result.gbps for result in mine), 1),
        "of": sum(world.servers[rail.server].nics[rail.nic].gbps for rail in rails) if mine else 0, "reasons": reasons,
    }  # fmt: skip
