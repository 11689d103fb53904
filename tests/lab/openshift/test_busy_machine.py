"""A busy machine is no broken site: what gets no processor time is late, and only what has no power is dead."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import pytest

from podwright.lab.openshift import heartbeats
from podwright.lab.openshift.api import Api, Object
from podwright.lab.openshift.controller import now
from podwright.lab.openshift.kinds import NODES
from tests.lab.openshift.manifests import cluster_policy, feature_discovery, operator
from tests.lab.openshift.rack import Rack, eventually, node_ready

pytestmark = pytest.mark.rough

SHAPE = {"masters": 1}
GPU, NODE = "nvidia.com/gpu", "gpu-1.lab.example.com"
STARVED_SECONDS = 16
"""Twice the leases that the lab once had, and more than its grace period."""
NOTICED_SECONDS = 14
"""What it took with those: 12 s of grace and a look at the nodes every second."""


@contextmanager
def starved(cluster: Rack, *programs: str) -> Iterator[None]:
    """These programs of the lab get no turn."""
    plane = cluster.side.cluster.plane
    assert plane is not None
    pids = [plane.processes.pids()[name] for name in programs]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="module")
def offering(cluster: Rack) -> Rack:
    """The cluster with GPUs that can be asked for."""
    for package in ("nfd", "gpu-operator-certified"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    cluster.apply(feature_discovery(), cluster_policy())
    cluster.wait("GPUs", lambda: cluster.allocatable("gpu-1", GPU) == 8 and cluster.allocatable("gpu-2", GPU) == 8, 90)
    return cluster


def since(cluster: Rack) -> dict[str, str]:
    """When each node became what it is, with its Ready status."""
    return {
        node["metadata"]["name"]: f"{row['status']} since {row['lastTransitionTime']}"
        for node in cluster.items("nodes") for row in node["status"]["conditions"] if row["type"] == "Ready"
    }  # fmt: skip


@pytest.mark.parametrize("programs", [("kwok",), ("kube-apiserver", "kwok")])
def test_late_heartbeats_are_no_dead_hosts(offering: Rack, programs: tuple[str, ...]) -> None:
    before = since(offering)
    assert all(text.startswith("True") for text in before.values()), before
    with starved(offering, *programs):
        time.sleep(STARVED_SECONDS)
    time.sleep(2)  # a controller that held a grudge would act on it now
    assert since(offering) == before
    assert not [e["message"] for e in offering.items("events", "-A") if e["reason"] == "NodeNotReady"]
    assert offering.allocatable("gpu-1", GPU) == 8
    assert offering.csv_phase("nfd") == "Succeeded"


class Between:
    """The cluster's API, with somebody who adds a condition to each object just before its conditions are written."""

    def __init__(self, api: Api) -> None:
        self._api, self.added = api, set[str]()
        self.get, self.request = api.get, api.request

    def merge(self, path: str, body: Mapping[str, Any], subresource: str = "") -> Object:
        """As another controller does it: `DisruptionTarget` of a pod that is being evicted, say."""
        known = (self._api.get(path) or {})["status"]["conditions"]
        row = {"type": "example.com/Added", "status": "True", "reason": "Added", "lastTransitionTime": now()}
        self._api.merge(path, {"status": {"conditions": [*known, row]}}, subresource)
        self.added.add(path)
        return self._api.merge(path, body, subresource)


def test_a_condition_that_is_added_while_a_node_is_given_up_is_not_lost(offering: Rack) -> None:
    api = offering.side.cluster.api
    assert api is not None
    between = Between(api)
    heartbeats.give_up(cast(Api, between), NODE)
    assert between.added == {NODES.path(None, NODE)}, "its pods wait for the next look"
    heartbeats._pods_not_ready(cast(Api, between), NODE)
    assert len(between.added) > 1
    for path in between.added:
        rows = {row["type"]: row["status"] for row in (api.get(path) or {})["status"]["conditions"]}
        assert rows["example.com/Added"] == "True" and rows["Ready"] == "True", path


def test_a_power_cut_is_noticed_as_before_even_while_heartbeats_are_late(offering: Rack) -> None:
    with starved(offering, "kwok"):
        offering.world.power("gpu-1", "ForceOff")
        took = eventually(lambda: node_ready(offering.get("node", NODE)) == "Unknown", 60, "the node is given up")
    assert took < NOTICED_SECONDS
    row = next(c for c in offering.get("node", NODE)["status"]["conditions"] if c["type"] == "Ready")
    assert (row["reason"], row["message"]) == ("NodeStatusUnknown", "Kubelet stopped posting node status.")
    taints = {("node.kubernetes.io/unreachable", "NoSchedule"), ("node.kubernetes.io/unreachable", "NoExecute")}
    offering.wait(
        "taints", lambda: taints <= {(t["key"], t["effect"]) for t in offering.get("node", NODE)["spec"]["taints"]}
    )

    def pods_ready() -> set[str]:
        pods = [p for p in offering.items("pods", "-A") if p["spec"].get("nodeName") == NODE]
        return {c["status"] for p in pods for c in p["status"]["conditions"] if c["type"] == "Ready"}

    offering.wait("its pods are not ready", lambda: pods_ready() == {"False"})
    assert node_ready(offering.get("node", "gpu-2.lab.example.com")) == "True"
    offering.world.power("gpu-1", "On")
    offering.wait("Ready", lambda: node_ready(offering.get("node", NODE)) == "True")
    offering.wait("GPUs", lambda: offering.allocatable("gpu-1", GPU) == 8)
    offering.wait("no taint", lambda: not offering.get("node", NODE)["spec"].get("taints"))


def test_a_host_that_boots_something_else_is_given_up_too(offering: Rack) -> None:
    disk = offering.world.host("gpu-2").disk_image
    name = "gpu-2.lab.example.com"
    offering.world.host("gpu-2").disk_image = None
    offering.world.power("gpu-2", "ForceRestart")
    eventually(lambda: node_ready(offering.get("node", name)) == "Unknown", 40, "no kubelet on an empty disk")
    offering.world.host("gpu-2").disk_image = disk
    offering.world.power("gpu-2", "ForceRestart")
    offering.wait("Ready", lambda: node_ready(offering.get("node", name)) == "True")
