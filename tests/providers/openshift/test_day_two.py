"""Operators and roll-outs on one installed cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from podwright.components.providers.openshift.drain import CORDONED, cordon, drain, uncordon
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.rollout import ROLLED_OUT
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Incomplete, ProviderError
from tests.lab.openshift.manifests import OPERATORS, operator
from tests.providers.openshift.conftest import BY_TOKEN, Rack, apply

pytestmark = pytest.mark.rough

INSTALL, OPERATOR, ROLLOUT = BY_TOKEN["Install"], BY_TOKEN["OperatorInstall"], BY_TOKEN["Rollout"]
kubeconfigs: dict[str, str] = {}


@pytest_asyncio.fixture
async def kube(site: Rack) -> AsyncIterator[Kube]:
    if "lab" not in kubeconfigs:
        created = await INSTALL.create({"spec": site.spec()}, site.context())
        kubeconfigs["lab"] = created.outputs["kubeconfig"].value
    site.said.clear()
    yield Kube(kubeconfigs["lab"])


def approval(package: str, **change: Any) -> dict[str, Any]:
    namespace, _, _, csv = OPERATORS[package]
    spec = {"schema": 1, "namespace": namespace, "subscription": package, "csv": csv, **change}
    return {"spec": spec, "kubeconfig": kubeconfigs["lab"]}


async def test_exactly_the_pinned_release_is_approved_and_awaited(site: Rack, kube: Kube) -> None:
    await apply(kube, *operator("nfd"))
    created = await OPERATOR.create(approval("nfd"), site.context())
    assert created.id == "openshift-nfd/nfd"
    assert created.outputs["csvs"] == [OPERATORS["nfd"][3]]
    plan = await kube.get(
        f"/apis/operators.coreos.com/v1alpha1/namespaces/openshift-nfd/installplans/{created.outputs['install_plan']}"
    )
    assert plan["spec"]["approved"] is True
    writes = site.openshift.writes
    await OPERATOR.update(created.id, approval("nfd"), approval("nfd"), created.outputs, site.context())
    seen = await OPERATOR.read(created.id, approval("nfd"), created.outputs, site.context())
    assert seen is not None
    assert OPERATOR.diff(seen.inputs, approval("nfd"), {}).changes == {}
    assert site.openshift.writes == writes


async def test_another_release_than_the_pin_is_not_approved(site: Rack, kube: Kube) -> None:
    package = "gpu-operator-certified"
    await apply(kube, *operator(package))
    with pytest.raises(ProviderError, match=r"brings .*, the pin is gpu-operator-certified\.v1; it was not approved"):
        await OPERATOR.create(approval(package, csv="gpu-operator-certified.v1"), site.context())
    plans = await kube.get("/apis/operators.coreos.com/v1alpha1/namespaces/nvidia-gpu-operator/installplans")
    assert [plan["spec"]["approved"] for plan in plans["items"]] == [False]


async def test_a_subscription_that_is_not_there_is_told(site: Rack, kube: Kube) -> None:
    with pytest.raises(ProviderError, match="operator openshift-nfd/absent: there is no such Subscription"):
        await OPERATOR.create(approval("nfd", subscription="absent"), site.context())


async def test_removing_an_operator_takes_its_csv_and_names_the_crds_that_stay(site: Rack, kube: Kube) -> None:
    namespace, _, _, csv = OPERATORS["nfd"]
    path = f"/apis/operators.coreos.com/v1alpha1/namespaces/{namespace}/clusterserviceversions/{csv}"
    assert await kube.find(path) is not None
    await OPERATOR.delete("openshift-nfd/nfd", approval("nfd"), {}, site.context())
    assert await kube.find(path) is None
    kept = await kube.find(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodefeaturediscoveries.nfd.openshift.io"
    )
    assert kept is not None
    assert await OPERATOR.read("openshift-nfd/nfd", approval("nfd"), {}, site.context()) is None
    await OPERATOR.delete("openshift-nfd/nfd", approval("nfd"), {}, site.context())


async def test_a_removal_that_was_cut_off_after_the_csv_went_is_made_good(site: Rack, kube: Kube) -> None:
    namespace, _, _, csv = OPERATORS["nfd"]
    home = f"/apis/operators.coreos.com/v1alpha1/namespaces/{namespace}"
    before = await kube.get(f"{home}/subscriptions/nfd")
    created = await OPERATOR.create(approval("nfd"), site.context())
    assert created.outputs["csvs"] == [csv]
    after = await kube.get(f"{home}/subscriptions/nfd")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert (after["spec"], after["metadata"].get("labels")) == (before["spec"], before["metadata"].get("labels"))


def rollout(site: Rack, trigger: str, *names: str, **change: Any) -> dict[str, Any]:
    nodes = [
        {
            "name": name,
            "bmc": site.world.servers[name].bmc,
            "serial": site.world.servers[name].serial,
            "credential": "bmc-admin",
        }
        for name in names or ("gpu-01", "gpu-02")
    ]
    spec = {"schema": 1, "pool": "training", "nodes": nodes, "trigger": trigger, "max_unavailable": 1, **change}
    return {"spec": spec, "kubeconfig": kubeconfigs["lab"]}


async def marks(kube: Kube) -> dict[str, str]:
    nodes = (await kube.get(NODES))["items"]
    return {node["metadata"]["name"]: (node["metadata"].get("annotations") or {}).get(ROLLED_OUT, "") for node in nodes}


async def test_nodes_with_nothing_to_activate_are_marked_and_left_alone(site: Rack, kube: Kube) -> None:
    boots = site.world.host("gpu-01").boots
    created = await ROLLOUT.create(rollout(site, "one"), site.context())
    assert created.outputs["rolled_out"] == {"gpu-01": "one", "gpu-02": "one"}
    assert site.world.host("gpu-01").boots == boots
    writes = site.openshift.writes
    await ROLLOUT.update("training", rollout(site, "one"), {}, created.outputs, site.context())
    assert site.openshift.writes == writes


async def test_staged_settings_are_taken_through_one_node_at_a_time(site: Rack, kube: Kube) -> None:
    away: list[set[str]] = []

    async def watch() -> None:
        while True:
            nodes = (await kube.get(NODES))["items"]
            away.append({n["metadata"]["name"] for n in nodes if n["spec"].get("unschedulable")})
            await asyncio.sleep(0.05)

    for name in ("gpu-01", "gpu-02"):
        site.world.stage_bios(name, {"SmtMode": "Off"})
    boots = {name: site.world.host(name).boots for name in ("gpu-01", "gpu-02")}
    watching = asyncio.create_task(watch())
    outputs = await ROLLOUT.update("training", rollout(site, "two"), rollout(site, "one"), {}, site.context())
    watching.cancel()
    assert outputs["rolled_out"] == {"gpu-01": "two", "gpu-02": "two"}
    assert max(len(names) for names in away) == 1
    for name in ("gpu-01", "gpu-02"):
        assert site.world.host(name).boots == boots[name] + 1
        assert site.world.bios(name)["SmtMode"] == "Off"
        node = await kube.get(f"{NODES}/{name}")
        assert "unschedulable" not in node["spec"]
        assert CORDONED not in node["metadata"]["annotations"]
    seen = await ROLLOUT.read("training", rollout(site, "two"), outputs, site.context())
    assert seen is not None
    assert ROLLOUT.diff(seen.inputs, rollout(site, "two"), {}).changes == {}


async def test_a_node_that_lost_its_mark_is_drift(site: Rack, kube: Kube) -> None:
    await kube.merge(f"{NODES}/gpu-02", {"metadata": {"annotations": {ROLLED_OUT: None}}})
    seen = await ROLLOUT.read("training", rollout(site, "two"), {}, site.context())
    assert seen is not None
    assert set(ROLLOUT.diff(seen.inputs, rollout(site, "two"), {}).changes) == {("spec", "trigger")}
    await ROLLOUT.update("training", rollout(site, "two"), {}, {}, site.context())
    assert (await marks(kube))["gpu-02"] == "two"


def workload(node: str) -> list[dict[str, Any]]:
    labels = {"app": "serving"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "serving", "namespace": "default", "labels": labels},
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "registry.example.com/x"}]},
    }
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "serving", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
    }
    return [pod, budget]


async def counted(kube: Kube) -> None:
    """Until the budget has counted its running pod; before that anything may be evicted."""
    for _ in range(300):
        budget = await kube.get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/serving")
        if budget.get("status", {}).get("currentHealthy") == 1:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the pod never became healthy")


async def test_a_disruption_budget_is_honoured_named_and_the_node_given_back(site: Rack, kube: Kube) -> None:
    pod, budget = workload("gpu-01")
    await apply(kube, pod)
    await kube.request("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget)
    await counted(kube)
    site.world.stage_bios("gpu-01", {"SmtMode": "Auto"})
    boots = site.world.host("gpu-01").boots
    ctx = site.context()
    ctx.timeout = 3
    with pytest.raises(Incomplete, match="held by PodDisruptionBudget default/serving") as told:
        await ROLLOUT.update("training", rollout(site, "three", "gpu-01"), {}, {}, ctx)
    assert told.value.outputs["rolled_out"] == {"gpu-01": "two"}
    assert site.world.host("gpu-01").boots == boots
    assert "unschedulable" not in (await kube.get(f"{NODES}/gpu-01"))["spec"]
    await kube.remove("/apis/policy/v1/namespaces/default/poddisruptionbudgets/serving")
    outputs = await ROLLOUT.update("training", rollout(site, "three", "gpu-01"), {}, {}, site.context())
    assert outputs["rolled_out"] == {"gpu-01": "three"}
    assert site.world.host("gpu-01").boots == boots + 1
    assert await kube.find("/api/v1/namespaces/default/pods/serving") is None


async def test_a_persons_cordon_is_respected(site: Rack, kube: Kube) -> None:
    await kube.merge(f"{NODES}/gpu-02", {"spec": {"unschedulable": True}})
    site.world.stage_bios("gpu-01", {"SmtMode": "Off"})
    ctx = site.context()
    ctx.timeout = 2
    with pytest.raises(Incomplete, match="gpu-02 of pool training to come back before gpu-01 goes") as told:
        await ROLLOUT.update("training", rollout(site, "four"), {}, {}, ctx)
    assert "`oc adm uncordon gpu-02` gives it back" in str(told.value)
    await ROLLOUT.update("training", rollout(site, "four", "gpu-02"), {}, {}, site.context())
    assert (await kube.get(f"{NODES}/gpu-02"))["spec"]["unschedulable"] is True
    await kube.merge(f"{NODES}/gpu-02", {"spec": {"unschedulable": None}})


async def test_killed_after_the_restart_the_next_run_brings_the_node_back(site: Rack, kube: Kube) -> None:
    site.world.stage_bios("gpu-01", {"SmtMode": "Off"})
    boots = site.world.host("gpu-01").boots
    task = asyncio.create_task(ROLLOUT.update("training", rollout(site, "five"), {}, {}, site.context()))
    while site.world.host("gpu-01").boots == boots and not task.done():  # noqa: ASYNC110  (a lab has no asyncio event)
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    outputs = await ROLLOUT.update("training", rollout(site, "five"), {}, {}, site.context())
    assert outputs["rolled_out"] == {"gpu-01": "five", "gpu-02": "five"}
    assert site.world.host("gpu-01").boots == boots + 1
    assert "unschedulable" not in (await kube.get(f"{NODES}/gpu-01"))["spec"]


async def test_daemonset_and_finished_pods_do_not_hold_a_drain(site: Rack, kube: Kube) -> None:
    done, _ = workload("gpu-02")
    soon = {"pod-complete.stage.kwok.x-k8s.io/delay": "0.1s"}
    done["metadata"] |= {"name": "done", "labels": {"app": "done"}, "annotations": soon}
    labels = {"app": "agent"}
    pod = {"nodeSelector": {"kubernetes.io/hostname": "gpu-02"}, "tolerations": [{"operator": "Exists"}]}
    template = {"metadata": {"labels": labels}, "spec": {**pod, "containers": done["spec"]["containers"]}}
    agent = {
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }  # fmt: skip
    await apply(kube, done, agent)

    async def on_node() -> dict[str, str]:
        found = await kube.items("/api/v1/pods?fieldSelector=spec.nodeName%3Dgpu-02")
        return {each["metadata"].get("labels", {}).get("app", ""): each["status"]["phase"] for each in found}

    there = {"agent": "Running", "done": "Succeeded"}
    for _ in range(600):
        if there.items() <= (await on_node()).items():
            break
        await asyncio.sleep(0.1)
    await cordon(kube, "gpu-02")  # or what is evicted may come back to the same node
    ctx = site.context()
    ctx.timeout = 60  # on a busy machine; a pod that holds the drain holds it for good
    await drain(kube, "gpu-02", ctx)
    assert there.items() <= (await on_node()).items()
    await uncordon(kube, "gpu-02")


async def test_a_node_that_is_none_of_the_clusters_is_told(site: Rack, kube: Kube) -> None:
    inputs = rollout(site, "six", "gpu-01")
    inputs["spec"]["nodes"][0]["name"] = "gpu-09"
    with pytest.raises(Incomplete, match="gpu-09 is no node of this cluster"):
        await ROLLOUT.update("training", inputs, {}, {}, site.context())
