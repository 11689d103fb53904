"""What operators take away for an object is counted by `podwright preview`: configurations, functions, drivers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.cli.engine.preview import planned
from podwright.components.changes.total import sentences
from tests.cli.test_preview_nics import NODES, Event, _step

ROLE, POOL = "machineconfiguration.openshift.io/role", "podwright.io/pool"


def _sum(*events: Event) -> tuple[str, ...]:
    return sentences(planned([json.dumps(event) for event in events]).impacts, {"gpu-01": 8, "gpu-02": 8}, {})


def _object(op: str, kind: str, old: Any, new: Any, labels: dict[str, str] | None = None) -> Event:
    def whole(spec: Any) -> Any:
        return {"kind": kind, "metadata": {"name": "x", "labels": labels or {}}, "spec": spec}

    return _step(f"kubernetes:x/v1:{kind}", op, *(whole(each) if each is not None else None for each in (old, new)))


def _arguments(*names: str) -> dict[str, Any]:
    return {"config": {"ignition": {"version": "3.4.0"}}, "kernelArguments": list(names)}


@pytest.mark.parametrize(("op", "old"), [("create", None), ("update", _arguments("a"))])
@pytest.mark.parametrize(
    ("role", "count"),
    [("training", "2 nodes restart"), ("inference", "1 node restarts"), ("worker", "3 nodes restart")],
)
def test_nodes_that_restart_for_a_configuration(op: str, old: Any, role: str, count: str) -> None:
    (found,) = _sum(_object(op, "MachineConfig", old, _arguments("b"), {ROLE: role}), *NODES)
    assert found.startswith(f"{count} for ")
    assert "configuration" in found


def test_nodes_of_a_kubelet_configuration() -> None:
    def of(most: int) -> dict[str, Any]:
        return {"machineConfigPoolSelector": {"matchLabels": {POOL: "training"}}, "kubeletConfig": {"maxPods": most}}

    (found,) = _sum(_object("update", "KubeletConfig", of(250), of(500)), *NODES)
    assert found == "2 nodes restart for their configuration on 16 GPUs"


def test_a_container_runtime_config_counts_the_nodes_of_its_pool() -> None:
    spec = {
        "machineConfigPoolSelector": {"matchLabels": {POOL: "training"}},
        "containerRuntimeConfig": {"overlaySize": "9Gi"},
    }
    (found,) = _sum(_object("create", "ContainerRuntimeConfig", None, spec), *NODES)
    assert found == "2 nodes restart for their configuration on 16 GPUs"


def test_a_file_that_no_node_restarts_for_counts_none() -> None:
    def chrony(text: str) -> dict[str, Any]:
        files = [{"path": "/etc/chrony.conf", "contents": {"source": f"data:,{text}"}}]
        return {"config": {"ignition": {"version": "3.4.0"}, "storage": {"files": files}}}

    assert _sum(_object("update", "MachineConfig", chrony("a"), chrony("b"), {ROLE: "worker"}), *NODES) == ()
    assert _sum(_object("create", "MachineConfig", None, chrony("b"), {ROLE: "worker"}), *NODES) == ()


def test_nodes_whose_functions_change_drain_and_first_functions_drain_nobody() -> None:
    def of(mtu: int) -> dict[str, Any]:
        return {"nodeSelector": {POOL: "training"}, "mtu": mtu}

    (found,) = _sum(_object("update", "SriovNetworkNodePolicy", of(1500), of(9000)), *NODES)
    assert found == "2 nodes drain one after the other for their functions on 16 GPUs"
    assert _sum(_object("create", "SriovNetworkNodePolicy", None, of(9000)), *NODES) == ()


def _rollout(old: dict[str, str], new: dict[str, str]) -> tuple[str, ...]:
    spec = {"schema": 1, "pool": "training", "nodes": ["gpu-01", "gpu-02"]}
    step = _step("podwright:openshift:DriverRollout", "update", {"spec": spec | old}, {"spec": spec | new})
    return _sum(step, *NODES)


def test_nodes_of_another_driver_drain() -> None:
    assert _rollout({"trigger": "a"}, {"trigger": "b"}) == ("2 nodes drain on 16 GPUs",)


def test_nodes_of_another_driver_of_nics_drain_and_of_both_drivers_once() -> None:
    before = {"trigger": "a", "nic_trigger": "a"}
    assert _rollout(before, {**before, "nic_trigger": "b"}) == ("2 nodes drain on 16 GPUs",)
    assert _rollout(before, {"trigger": "b", "nic_trigger": "b"}) == ("2 nodes drain on 16 GPUs",)


def test_a_roll_out_that_comes_to_look_at_the_driver_of_nics_too_drains_nobody() -> None:
    assert _rollout({"trigger": "a"}, {"trigger": "a", "nic_trigger": "b"}) == ()


@pytest.mark.parametrize("key", ["trigger", "nic_trigger"])
def test_after_a_refresh_only_nodes_with_an_earlier_driver_are_counted(key: str) -> None:
    assert _rollout({key: "a not on gpu-02"}, {key: "a"}) == ("1 node drains on 8 GPUs",)
    assert _rollout({key: "a not on gpu-02"}, {key: "b"}) == ("2 nodes drain on 16 GPUs",)
