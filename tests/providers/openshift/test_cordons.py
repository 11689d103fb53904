"""Who holds a node, read from its notes; and a wait that says so, gives back what was forgotten, and ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.openshift import cordons
from podwright.components.providers.openshift.cordons import MCO, SRIOV, Cordon, Survey
from podwright.components.providers.openshift.drain import CORDONED
from podwright.components.providers.openshift.kube import MERGE, Kube
from podwright.components.providers.openshift.pools import readiness, update
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.openshift.conftest import BY_TOKEN, Rack

pytestmark = pytest.mark.rough

READY = BY_TOKEN["PoolReady"]
PERSON = "kubectl-cordon"


def cordon(
    *, manager: str = PERSON, state: dict[str, str] | None = None, pool: dict[str, Any] | None = None, **notes: str
) -> Cordon:
    """What is said of a cordoned gpu-01 with these annotations, node state annotations and pool."""
    spelled = {
        key.replace("mco_", MCO).replace("sriov_", SRIOV).replace("podwright_cordoned", CORDONED): value
        for key, value in notes.items()
    }
    fields: dict[str, Any] = {"f:spec": {"f:unschedulable": {}}}
    entry = {"manager": manager, "time": "2026-01-02T03:04:05Z", "fieldsV1": fields}
    meta = {"name": "gpu-01", "annotations": spelled, "managedFields": [entry]}
    states = {} if state is None else {"gpu-01": {"metadata": {"name": "gpu-01", "annotations": state}}}
    live = Survey({"gpu-01": {"metadata": meta, "spec": {"unschedulable": True}}}, {"training": pool or {}}, states)
    found = live.cordon("gpu-01", "training")
    assert found is not None
    return found


def updating(paused: bool = False) -> dict[str, Any]:
    return {
        "spec": {"paused": paused, "configuration": {"name": "rendered-training-b"}},
        "status": {"configuration": {"name": "rendered-training-a"}},
    }


def test_a_node_that_takes_pods_has_no_cordon() -> None:
    assert Survey({"gpu-01": {"metadata": {"name": "gpu-01"}, "spec": {}}}, {}, {}).cordon("gpu-01", "training") is None
    assert Survey({}, {}, {}).cordon("gpu-01", "training") is None


def test_a_drain_of_machine_config_is_named_with_its_reason_and_left_alone() -> None:
    said = cordon(
        mco_desiredDrain="drain-rendered-training-b",
        mco_lastAppliedDrain="uncordon-rendered-training-a",
        mco_state="Working",
        mco_reason="failed to drain node: default/held",
    )
    assert said.by == (
        "the Machine Config Operator, which drains it for rendered-training-b (failed to drain node: default/held)"
    )
    assert "oc get pods -A --field-selector spec.nodeName=gpu-01" in said.advice
    assert "oc describe machineconfigpool training" in said.advice
    assert not said.forgotten


def test_an_uncordon_that_was_asked_for_is_waited_for() -> None:
    said = cordon(mco_desiredDrain="uncordon-rendered-training-b", mco_lastAppliedDrain="drain-rendered-training-b")
    assert "about to give it back" in said.by
    assert not said.forgotten


def test_a_drain_for_a_configuration_that_is_gone_is_forgotten() -> None:
    said = cordon(
        mco_desiredDrain="drain-rendered-training-b",
        mco_lastAppliedDrain="drain-rendered-training-b",
        mco_state="Degraded",
        mco_reason='machineconfig "rendered-training-b" not found',
    )
    assert said.forgotten
    assert "`oc adm uncordon gpu-01` gives it back" in said.advice


@pytest.mark.parametrize("request_", ["Drain_Required", "Reboot_Required"])
def test_a_drain_of_sriov_is_named_and_left_alone(request_: str) -> None:
    said = cordon(state={f"{SRIOV}current-state": "Draining"}, pool=updating(paused=True), sriov_state=request_)
    assert said.by == f"the SR-IOV operator ({request_} on the node, Draining on its own side)"
    assert not said.forgotten


def test_a_request_without_an_operator_says_where_to_look() -> None:
    said = cordon(sriov_state="Drain_Required")
    assert "no node state on its own side" in said.by
    assert "oc get csv -n openshift-sriov-network-operator" in said.advice
    assert said.forgotten


def test_a_pool_and_sriov_that_wait_for_each_other_are_found() -> None:
    said = cordon(state={f"{SRIOV}current-state": "Draining"}, pool=updating(), sriov_state="Drain_Required")
    assert said.by.endswith("it waits for MachineConfigPool training, which waits for this node")
    assert said.forgotten


@pytest.mark.parametrize("manager", ["machine-config-controller", "sriov-network-operator"])
def test_an_operators_cordon_that_no_request_stands_behind_is_forgotten(manager: str) -> None:
    idle = {f"{SRIOV}current-state": "Idle"}
    said = cordon(
        manager=manager,
        state=idle,
        sriov_state="Idle",
        mco_desiredDrain="uncordon-x",
        mco_lastAppliedDrain="uncordon-x",
    )
    assert said.by.endswith("which left it so at 2026-01-02T03:04:05Z")
    assert said.forgotten


def test_a_persons_cordon_is_never_forgotten() -> None:
    said = cordon(mco_desiredDrain="drain-x", mco_lastAppliedDrain="drain-x", mco_state="Done", sriov_state="Idle")
    assert said.by == "kubectl-cordon, at 2026-01-02T03:04:05Z"
    assert said.advice == "no operator claims it; if nobody works on the node, `oc adm uncordon gpu-01` gives it back"
    assert not said.forgotten


def test_our_own_cordon_is_named() -> None:
    said = cordon(podwright_cordoned="yes")
    assert said.by.startswith("this program")
    assert not said.forgotten


# --- the wait, on a cluster -------------------------------------------------------------------------------------

kubeconfigs: dict[str, str] = {}


async def ready(site: Rack, **change: Any) -> dict[str, Any]:
    """Inputs of a pool that is whole; the first call installs the cluster."""
    if not kubeconfigs:
        created = await BY_TOKEN["Install"].create({"spec": site.spec()}, site.context())
        kubeconfigs["lab"] = created.outputs["kubeconfig"].value
    spec = {"schema": 1, "pool": "worker", "nodes": ["gpu-01"], "resources": {}, "trigger": "t", **change}
    return {"spec": spec, "kubeconfig": kubeconfigs["lab"]}


async def hold(kube: Kube, manager: str) -> None:
    change = {"spec": {"unschedulable": True}}
    await kube.request("PATCH", f"{NODES}/gpu-01?fieldManager={manager}", change, MERGE)


async def held(kube: Kube) -> bool:
    return bool((await kube.get(f"{NODES}/gpu-01"))["spec"].get("unschedulable"))


async def test_nothing_changes_so_the_wait_ends_with_who_and_what_to_type(
    site: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "EXPLAIN_SECONDS", 0.5)
    monkeypatch.setattr(cordons, "RELEASE_SECONDS", 0.5)
    inputs = await ready(site, stalled_seconds=3)
    kube = Kube(inputs["kubeconfig"])
    await hold(kube, PERSON)
    site.warned.clear()
    with pytest.raises(ProviderError, match="pool worker is not ready, and nothing has changed for") as told:
        await READY.create(inputs, site.context())
    assert "gpu-01 is cordoned by kubectl-cordon, at " in str(told.value)
    assert "gpu-01: no operator claims it; if nobody works on the node, `oc adm uncordon gpu-01`" in str(told.value)
    assert "stall_minutes" in str(told.value)
    assert len(site.warned) == 1, "said once while the wait went on"
    assert "gpu-01 has been cordoned for" in site.warned[0]
    assert await held(kube)
    await kube.merge(f"{NODES}/gpu-01", {"spec": {"unschedulable": None}})


async def test_what_an_operator_forgot_is_given_back(site: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cordons, "RELEASE_SECONDS", 0.5)
    monkeypatch.setattr(readiness, "SETTLED_SECONDS", 0.5)
    inputs = await ready(site, stalled_seconds=30)
    kube = Kube(inputs["kubeconfig"])
    await hold(kube, "sriov-network-operator")
    site.warned.clear()
    created = await READY.create(inputs, site.context())
    assert created.id == "worker"
    assert not await held(kube)
    assert any("was left cordoned by the SR-IOV operator" in line for line in site.warned)


async def test_a_change_starts_the_limit_anew(site: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "SETTLED_SECONDS", 0.5)
    inputs = await ready(site, stalled_seconds=3)
    stillness = readiness.Stillness(inputs["spec"], Kube(inputs["kubeconfig"]), site.context())
    for step in range(6):  # about one second each: twice the limit in all
        await stillness.judge([f"gpu-01 offers {step} of 8 nvidia.com/gpu"], None)
        await stillness.judge([f"gpu-01 offers {step} of 8 nvidia.com/gpu"], None)


async def test_a_paused_pool_with_an_update_to_come_is_not_ready(site: Rack) -> None:
    notes = {"annotations": {f"{SRIOV}state": "Paused"}}
    pool = {
        "metadata": notes, "spec": {"paused": True},
        "status": {"conditions": [{"type": "Updated", "status": "False"}, {"type": "Updating", "status": "False"}]},
    }  # fmt: skip
    spec = {"pool": "training", "nodes": [], "resources": {}}
    assert list(readiness._lacking(spec, Survey({}, {"training": pool}, {}))) == [
        "MachineConfigPool training is paused by the SR-IOV operator with an update to come"
    ]


def paused(**states: str) -> Survey:
    """A pool that the SR-IOV operator paused, and one node with this request."""
    notes = {f"{SRIOV}state": "Paused"}
    pool = {"metadata": {"annotations": notes}, "spec": {"paused": True, "configuration": {"name": "b"}}}
    nodes = {name: {"metadata": {"annotations": {f"{SRIOV}state": asked}}} for name, asked in states.items()}
    return Survey(nodes, {"training": pool}, {})


def test_a_pause_is_forgotten_when_no_node_is_drained_any_more() -> None:
    assert paused(gpu="Idle").pause_forgotten("training")
    assert not paused(gpu="Drain_Required").pause_forgotten("training")
    assert not paused(gpu="Idle").pause_forgotten("elsewhere")
    held = paused(gpu="Idle")
    draining = {"gpu": {"metadata": {"annotations": {f"{SRIOV}current-state": "DrainComplete"}}}}
    assert not Survey(held.nodes, held.pools, draining).pause_forgotten("training")
    assert not Survey({}, {"training": {"metadata": {}, "spec": {"paused": True}}}, {}).pause_forgotten("training")


async def test_a_forgotten_pause_is_ended_and_then_the_pool_is_awaited(
    site: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Operators begin only when the machine configuration of their nodes is what the pool says."""
    monkeypatch.setattr(cordons, "RELEASE_SECONDS", 0.5)
    inputs = await ready(site)
    kube = Kube(inputs["kubeconfig"])
    role, home = "machineconfiguration.openshift.io/role", f"{cordons.POOLS}/worker"
    await kube.merge(home, {"metadata": {"annotations": {f"{SRIOV}state": "Paused"}}, "spec": {"paused": True}})
    config = {
        "apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
        "metadata": {"name": "50-args", "labels": {role: "worker"}},
        "spec": {"config": {"ignition": {"version": "3.5.0"}}, "kernelArguments": ["iommu=pt"]},
    }  # fmt: skip
    before = (await kube.get(home))["spec"]["configuration"]["name"]
    await kube.request("POST", "/apis/machineconfiguration.openshift.io/v1/machineconfigs", config)
    while (await kube.get(home))["spec"]["configuration"]["name"] == before:  # noqa: ASYNC110  (polled)
        await asyncio.sleep(0.05)
    boots = site.world.host("gpu-01").boots
    site.warned.clear()
    await update.wait_updated(kube, "worker", ["gpu-01", "gpu-02"], site.context())
    assert site.world.host("gpu-01").boots == boots + 1
    assert any("MachineConfigPool worker was left paused by the SR-IOV operator" in line for line in site.warned)
    assert not await held(kube)


async def test_a_pool_that_does_not_move_is_told(site: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "STEP_SECONDS", 1.0)
    inputs = await ready(site)
    kube = Kube(inputs["kubeconfig"])
    await update.wait_updated(kube, "absent", ["gpu-01"], site.context())
    with pytest.raises(ProviderError, match="still waiting for MachineConfigPool master to be updated: gpu-01 is not"):
        await update.wait_updated(kube, "master", ["gpu-01"], site.context())
