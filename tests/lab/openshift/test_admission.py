"""Admission as planned, on a cluster: no pod binds to a node before checks of its boot have passed, whatever boots.

The lab runs the planned programs themselves, with NVIDIA's beneath played from the world.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.components.design.platform import admission
from podwright.components.model import Admission
from tests.design.platform.test_admission import KEY, _cluster
from tests.lab.openshift.manifests import cluster_policy, feature_discovery, gpu_pod, operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("NVIDIA-H200",) * 3}
NODES = tuple(f"gpu-{number}.lab.example.com" for number in (1, 2, 3))
TAINT = {"key": "podwright.io/not-admitted", "effect": "NoSchedule"}
FOREIGN = {"key": "example.com/burn-in", "effect": "NoSchedule"}
TOLERATED = [{"operator": "Exists"}]
PASSED = "all checks have passed"


def _planned() -> tuple[dict[str, Any], ...]:
    cluster = _cluster()
    wanted = Admission.model_validate({**KEY, "retry_seconds": 10})
    pool = cluster.pools["training"].model_copy(update={"admission": wanted})
    server = next(each for each in cluster.servers.values() if each.pool == "training")
    return admission.objects("training", pool, dict.fromkeys(NODES, server))


def _state(cluster: Rack, name: str) -> dict[str, Any]:
    notes = cluster.get("node", name)["metadata"].get("annotations", {})
    return dict(json.loads(notes.get("podwright.io/admission", "{}")))


def _taints(cluster: Rack, name: str) -> list[Any]:
    return list(cluster.get("node", name)["spec"].get("taints") or [])


def _tainted(cluster: Rack, name: str) -> bool:
    return TAINT in _taints(cluster, name)


def _fault(cluster: Rack, **state: Any) -> None:
    cluster.world.fault({"kind": "gpu-state", "server": "gpu-1", **state})


def _mended(cluster: Rack) -> None:
    """Its GPUs are in order again, and a person has the node checked at once instead of in some minutes."""
    _fault(cluster)
    pod = f"checks-{NODES[0]}"
    cluster.kubectl("delete", "pod", pod, "-n", admission.namespace("training"), "--ignore-not-found")
    cluster.kubectl("annotate", "node", NODES[0], "podwright.io/admission-")
    cluster.wait("admitted", lambda: not _tainted(cluster, NODES[0]), 90)


def _boot(cluster: Rack, server: str = "gpu-1") -> str:
    return str(cluster.get("node", f"{server}.lab.example.com")["status"]["nodeInfo"]["bootID"])


def _reboot(cluster: Rack) -> None:
    """Restart a host, and wait until its node is ready in another boot; not longer, as a pod would not wait."""
    before = _boot(cluster)
    cluster.world.power("gpu-1", "ForceRestart")
    cluster.wait("another boot", lambda: _boot(cluster) != before, 60)


def _says(cluster: Rack, words: str, seconds: float = 90) -> None:
    cluster.wait(words, lambda: words in _state(cluster, NODES[0])["reason"], seconds)
    assert _tainted(cluster, NODES[0])


def _operators(cluster: Rack) -> None:
    for package in ("nfd", "gpu-operator-certified"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    workers = {"operand": {"image": "registry.redhat.io/nfd", "workerTolerations": TOLERATED}}
    cluster.apply(feature_discovery(**workers), cluster_policy(daemonsets={"tolerations": TOLERATED}))


def test_01_the_taint_is_there_before_anything_runs_and_goes_when_checks_have_passed(cluster: Rack) -> None:
    cluster.apply(*_planned())
    for name in NODES:
        cluster.kubectl("taint", "node", name, "example.com/burn-in:NoSchedule")
        cluster.kubectl("label", "node", name, "podwright.io/pool=training")
    cluster.wait("tainted", lambda: all(_tainted(cluster, name) for name in NODES))
    _says(cluster, "0 of 8 GPUs are offered: the driver or the device plugin is not there")
    tolerates_the_rest = [{"key": "example.com/burn-in", "operator": "Exists"}]
    cluster.apply(gpu_pod("early", "nvidia.com/gpu", 8, tolerations=tolerates_the_rest))
    _operators(cluster)
    cluster.wait("admitted", lambda: not any(_tainted(cluster, name) for name in NODES), 120)
    for name in NODES:
        assert _taints(cluster, name) == [FOREIGN], "everybody else's stay"
        assert _state(cluster, name)["reason"] == PASSED and 470 < _state(cluster, name)["gbytes"] < 480
    cluster.wait("runs", lambda: cluster.pod("early")[0] == "Running")
    cluster.kubectl("delete", "pod", "early", "--wait")


def test_02_a_node_that_boots_is_tainted_before_it_takes_a_pod_and_is_checked_again(cluster: Rack) -> None:
    bound = {"kubernetes.io/hostname": NODES[0]}
    _fault(cluster, hot={2: 88})
    _reboot(cluster)
    burnt = [{"key": "example.com/burn-in", "operator": "Exists"}]
    cluster.apply(gpu_pod("eager", "nvidia.com/gpu", 8, tolerations=burnt, nodeSelector=bound))
    _says(cluster, "devices: too hot: GPU 2 at 88 °C, -1 below its limit")
    assert cluster.pod("eager")[:2] == ("Pending", "")
    _fault(cluster)
    cluster.wait("admitted by itself", lambda: not _tainted(cluster, NODES[0]), 90)
    assert _state(cluster, NODES[0])["boot"] == _boot(cluster)
    cluster.kubectl("delete", "pod", "eager", "--wait")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"missing": [3]}, "7 of 8 GPUs are offered: a GPU is missing"),
        ({"fabric": "down"}, "devices: the fabric manager has not taken in GPU 0 1"),
        ({"diagnostics": "PCIe"}, "diagnostics: dcgmi diag -r 2 ended with 226: PCIe Fail"),
        ({"bus_gbytes": 300.0}, "straggler: bus bandwidth 300 GB/s"),
    ],
)
def test_03_what_is_wrong_with_a_node_keeps_it_out_until_it_is_mended(
    cluster: Rack, state: dict[str, Any], words: str
) -> None:
    _fault(cluster, **state)
    _reboot(cluster)
    _says(cluster, words)
    _mended(cluster)
    assert _taints(cluster, NODES[0]) == [FOREIGN]


def test_04_the_program_may_change_its_taint_and_nothing_else_of_its_own_nodes_alone(cluster: Rack) -> None:
    account = "--as=system:serviceaccount:podwright-admission-training:admission"
    for node, change in (
        (NODES[0], {"metadata": {"labels": {"a": "b"}}}),
        (NODES[0], {"metadata": {"annotations": {"a": "b"}}}),
        (NODES[0], {"spec": {"unschedulable": True}}),
        (NODES[0], {"spec": {"taints": [TAINT]}}),
        ("cp-1.lab.example.com", {"spec": {"taints": [TAINT]}}),
    ):
        said = cluster.kubectl("patch", "node", node, "--type=merge", "-p", json.dumps(change), account, check=False)
        assert "this account changes" in said, (change, said)
    change = {"spec": {"taints": [FOREIGN, TAINT]}}
    cluster.kubectl("patch", "node", NODES[2], "--type=merge", "-p", json.dumps(change), account)
    cluster.wait("taken away", lambda: _taints(cluster, NODES[2]) == [FOREIGN])


def test_05_no_workload_tolerates_the_taint(cluster: Rack) -> None:
    for number, given in enumerate(([{"key": TAINT["key"], "operator": "Exists"}], [{"operator": "Exists"}])):
        pod = json.dumps(gpu_pod(f"sly-{number}", "nvidia.com/gpu", 8, tolerations=given))
        answer = cluster.kubectl("apply", "-f", "-", stdin=pod, check=False)
        assert "would run on nodes that are not checked" in answer, answer
    cluster.apply(gpu_pod("daemon", "cpu", 1, tolerations=[{"operator": "Exists"}]))
    cluster.kubectl("delete", "pod", "daemon", "--wait=false")
