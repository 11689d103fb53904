"""Kueue's host loses its power, and has it again before anybody noticed."""

from __future__ import annotations

import json
from typing import Any

from tests.lab.openshift.gangs import placed
from tests.lab.openshift.rack import Rack

_HOME = ("-n", "openshift-kueue-operator")


def lost_and_back(cluster: Rack, job: list[dict[str, Any]]) -> None:
    """A job is refused while Kueue is away, and starts when it is back, by the same webhooks. Its name is `few`."""
    (pod,) = cluster.items("pods", *_HOME, "-l", "app=kueue-controller-manager")
    host, before = pod["spec"]["nodeName"].partition(".")[0], _webhooks(cluster)
    cluster.world.power(host, "ForceOff")
    cluster.wait("it is lost", lambda: not _runs(cluster))
    refused = _asked(cluster, job)
    assert "failed calling webhook" in refused and "kb.io" in refused
    seen = cluster.get("pod", pod["metadata"]["name"], *_HOME)
    assert seen["status"]["phase"] == "Running"
    cluster.world.power(host, "On")
    cluster.wait("it is back", lambda: _runs(cluster), 60)
    cluster.wait("it takes jobs", lambda: "failed calling" not in _asked(cluster, job), 60)
    cluster.wait("the gang", lambda: len(placed(cluster, "few")) == 2, 60)
    assert _webhooks(cluster) == before
    cluster.kubectl("delete", "job", "few", "-n", "research")
    cluster.wait("its servers are free", lambda: not cluster.items("pods", "-n", "research"))
    # Kueue's host may be one of them.
    free = [f"gpu-{index}" for index in range(1, 6)]
    cluster.wait("GPUs", lambda: {cluster.allocatable(each, "nvidia.com/gpu") for each in free} == {8}, 90)


def _asked(cluster: Rack, job: list[dict[str, Any]]) -> str:
    return "".join(cluster.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(each), check=False)
                   for each in job)  # fmt: skip


def _runs(cluster: Rack) -> bool:
    plane = cluster.side.cluster.plane
    return plane is not None and "kueue" in plane.processes.pids()


def _webhooks(cluster: Rack) -> str:
    found = cluster.get("mutatingwebhookconfiguration", "kueue-mutating-webhook-configuration")
    return str(found["metadata"]["uid"])
