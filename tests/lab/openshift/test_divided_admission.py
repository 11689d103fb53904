"""Admission of nodes whose GPUs are divided or shared, on a cluster: it and the GPU operator as planned."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.components.design import operators
from podwright.components.design.platform import admission
from podwright.components.design.platform.pools import layout, node
from podwright.components.model import Pool
from tests.design.platform.test_admission import KEY, PLAIN, _cluster, pool_plan
from tests.lab.openshift.manifests import feature_discovery, operator
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SHAPE = {"workers": ("NVIDIA-H200",) * 2, "masters": 1}
DIVIDED, TURNS = "gpu-1.lab.example.com", "gpu-2.lab.example.com"
TAINT = {"key": "podwright.io/not-admitted", "effect": "NoSchedule"}
SOON = {"retry_seconds": 10}
POOLS = {
    DIVIDED: Pool.model_validate(
        {
            "purpose": "inference",
            "mig_gpus": [{"count": 6, "slices": {"3g.71gb": 1, "1g.18gb": 4}}, {"count": 2}],
            "admission": {**KEY, **SOON},
        }
    ),
    TURNS: Pool.model_validate(
        {
            "purpose": "inference",
            "sharing": {"mode": "time-slicing", "replicas": 4, "reason": "one project, the same data"},
            "admission": {**PLAIN, **SOON},
        }
    ),
}
NAMES = {DIVIDED: "divided", TURNS: "turns"}


def _state(cluster: Rack, name: str) -> dict[str, Any]:
    notes = cluster.get("node", name)["metadata"].get("annotations", {})
    return dict(json.loads(notes.get("podwright.io/admission", "{}")))


def _tainted(cluster: Rack, name: str) -> bool:
    return TAINT in (cluster.get("node", name)["spec"].get("taints") or [])


def _admitted(cluster: Rack, name: str) -> None:
    passed = "all checks have passed"
    cluster.wait(f"{name} admitted", lambda: _state(cluster, name).get("reason") == passed, 120)
    assert not _tainted(cluster, name)


def _again(cluster: Rack, name: str, **state: Any) -> None:
    """The GPUs are so from now on, and a person has the node checked at once."""
    cluster.world.fault({"kind": "gpu-state", "server": name.partition(".")[0], **state})
    home = admission.namespace(NAMES[name])
    cluster.kubectl("delete", "pod", f"checks-{name}", "-n", home, "--ignore-not-found")
    cluster.kubectl("annotate", "node", name, "podwright.io/admission-")


def _says(cluster: Rack, name: str, words: str) -> None:
    cluster.wait(words, lambda: words in _state(cluster, name).get("reason", ""), 90)
    assert _tainted(cluster, name)


def test_01_slices_shares_and_gpus_that_stay_whole_are_checked(cluster: Rack) -> None:
    cluster.world.fault({"kind": "gpu-state", "server": "gpu-2", "hot": {5: 88}})
    file = _cluster()
    server = next(each for each in file.servers.values() if each.pool == "training")
    for name, pool in POOLS.items():
        cluster.apply(*admission.objects(NAMES[name], pool, {name: server}))
        labels = node(name, server.model_copy(update={"pool": NAMES[name]}), pool)["metadata"]["labels"]
        asked = layout(server, pool)
        assert asked is not None
        labels["nvidia.com/mig.config"] = asked["layout"]
        cluster.kubectl("label", "node", name, *(f"{key}={value}" for key, value in labels.items()))
    cluster.wait("tainted", lambda: all(_tainted(cluster, name) for name in POOLS))
    for package in ("nfd", "gpu-operator-certified"):
        cluster.apply(*operator(package))
        cluster.approve(package)
    tolerated = {"operand": {"image": "registry.redhat.io/nfd", "workerTolerations": [{"operator": "Exists"}]}}
    assert file.operators is not None
    own = [POOLS[DIVIDED].mig_gpus]
    planned = operators.gpus(
        file.operators, ["NVIDIA-H200"], rdma=False, sharing=True, mig_gpus=own, pools=[pool_plan().rails]
    )
    cluster.apply(feature_discovery(**tolerated), *planned.settings)
    _admitted(cluster, DIVIDED)
    assert cluster.allocatable("gpu-1", "nvidia.com/mig-1g.18gb") == 24
    assert cluster.allocatable("gpu-2", "nvidia.com/gpu.shared") == 32
    assert 470 < _state(cluster, DIVIDED)["gbytes"] < 480, "over the two that stay whole"
    _says(cluster, TURNS, "share-gpu-5: too hot: GPU 00000000:6D:00.0 at 88 °C")
    _again(cluster, TURNS)
    _admitted(cluster, TURNS)
    assert "gbytes" not in _state(cluster, TURNS)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"destroyed": {1: "1g.18gb"}}, "23 of 24 "),
        ({"hot": {2: 88}}, "slices-1g-18gb: too hot: GPU 00000000:3A:00.0 at 88 °C"),
    ],
)
def test_02_what_is_wrong_with_slices_keeps_the_node_out(cluster: Rack, state: dict[str, Any], words: str) -> None:
    _again(cluster, DIVIDED, **state)
    _says(cluster, DIVIDED, words)
    _again(cluster, DIVIDED)
    _admitted(cluster, DIVIDED)


def test_03_another_layout_is_looked_at_in_the_same_boot(cluster: Rack) -> None:
    boot, asked = _state(cluster, DIVIDED)["boot"], _state(cluster, DIVIDED)["layout"]
    cluster.kubectl("label", "node", DIVIDED, "nvidia.com/mig.config=all-1g.18gb", "--overwrite")
    _says(cluster, DIVIDED, f"its MIG layout is all-1g.18gb, in the stack file it is {asked}")
    cluster.kubectl("label", "node", DIVIDED, f"nvidia.com/mig.config={asked}", "--overwrite")
    _admitted(cluster, DIVIDED)
    assert (_state(cluster, DIVIDED)["boot"], _state(cluster, DIVIDED)["layout"]) == (boot, asked)
