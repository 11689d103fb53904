"""A MIG layout moves inside the roll-out: on a drained node, awaited, under the pool's budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from podwright.components.providers.openshift.drain import cordon
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.rollout import ROLLED_OUT
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Incomplete
from tests.lab.openshift.manifests import OPERATORS, cluster_policy, feature_discovery, gpu_pod, operator
from tests.providers.openshift.conftest import BY_TOKEN, Rack, apply, build
from tests.providers.openshift.layouts import (
    ABSENT,
    ANSWERED,
    ASKED,
    CONFIGS,
    LAYOUTS,
    MIXED,
    MIXED_CONFIG,
    NAMESPACE,
    NEW,
    NONE,
    OLD,
    ROLLOUT,
    counted,
    kubeconfigs,
    label,
    labels,
    offers,
    rollout,
    service,
    shown,
    until,
    whole,
)

pytestmark = pytest.mark.rough

INSTALL, OPERATOR = BY_TOKEN["Install"], BY_TOKEN["OperatorInstall"]


@pytest.fixture(scope="module")
def gpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """Workers with eight GPUs that can be divided."""
    built = build(tmp_path_factory.mktemp("gpus") / "rack", "NVIDIA-H200")
    try:
        yield built
    finally:
        built.close()


@pytest_asyncio.fixture
async def kube(gpus: Rack) -> AsyncIterator[Kube]:
    if "lab" not in kubeconfigs:
        created = await INSTALL.create({"spec": gpus.spec()}, gpus.context())
        kubeconfigs["lab"] = created.outputs["kubeconfig"].value
    gpus.said.clear()
    yield Kube(kubeconfigs["lab"])


async def test_before_mig_manager_came_the_label_is_set_and_nobody_is_disturbed(gpus: Rack, kube: Kube) -> None:
    versions = {}
    outputs = (await ROLLOUT.create(rollout(OLD), gpus.context())).outputs
    assert outputs["rolled_out"] == {"gpu-01": "one", "gpu-02": "one"}
    for name in ("gpu-01", "gpu-02"):
        held = await labels(kube, name)
        assert (held[ASKED], held.get(ANSWERED)) == (OLD, None)
        versions[name] = (await kube.get(f"{NODES}/{name}"))["metadata"]["resourceVersion"]
    assert not [line for line in gpus.said if "drain" in line or "cordon" in line]
    assert await shown(gpus, rollout(OLD)) == {}
    writes = gpus.openshift.writes
    await ROLLOUT.update("inference", rollout(OLD), rollout(OLD), outputs, gpus.context())
    assert gpus.openshift.writes == writes


async def test_operators_then_divide_the_gpus(gpus: Rack, kube: Kube) -> None:
    for package in ("nfd", "gpu-operator-certified"):
        await apply(kube, *operator(package))
        namespace, _, _, csv = OPERATORS[package]
        spec = {"schema": 1, "namespace": namespace, "subscription": package, "csv": csv}
        await OPERATOR.create({"spec": spec, "kubeconfig": kubeconfigs["lab"]}, gpus.context())
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "layouts", "namespace": NAMESPACE},
        "data": {"config.yaml": json.dumps(LAYOUTS)},
    }
    policy = cluster_policy(
        migManager={"enabled": True, "config": {"name": "layouts", "default": NONE}},
        daemonsets={"tolerations": [{"operator": "Exists"}]},
    )
    await apply(kube, config, feature_discovery(), policy)
    for name in ("gpu-01", "gpu-02"):
        await offers(kube, name, "mig-1g.18gb", 56)
        assert (await labels(kube, name))[ANSWERED] == "success"


async def test_a_label_that_another_manager_leaves_stays(gpus: Rack, kube: Kube) -> None:
    """States of the first release hold the label in the node's own fields: those let go after the roll-out asked."""
    fields = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-01", "labels": {ASKED: OLD, "ours": "1"}}}
    await kube.apply(f"{NODES}/gpu-01", fields, "podwright")
    await ROLLOUT.update("inference", rollout(OLD), rollout(None), {}, gpus.context())
    fields["metadata"] = {"name": "gpu-01", "labels": {"ours": "1"}}
    await kube.apply(f"{NODES}/gpu-01", fields, "podwright")
    held = await labels(kube, "gpu-01")
    assert (held[ASKED], held["ours"]) == (OLD, "1")


async def test_a_busy_node_is_drained_first_one_at_a_time(gpus: Rack, kube: Kube) -> None:
    away: list[set[str]] = []
    asked: dict[str, set[bool]] = {"gpu-01": set(), "gpu-02": set()}

    async def watch() -> None:
        while True:
            nodes = {n["metadata"]["name"]: n for n in (await kube.get(NODES))["items"]}
            away.append({name for name, node in nodes.items() if node["spec"].get("unschedulable")})
            for name, seen in asked.items():
                if nodes[name]["metadata"]["labels"][ASKED] == NEW and name not in away[-1]:
                    seen.add(nodes[name]["metadata"]["labels"][ANSWERED] == "success")
            await asyncio.sleep(0.02)

    for name in ("gpu-01", "gpu-02"):
        pod = gpu_pod(f"busy-{name}", "nvidia.com/mig-1g.18gb", nodeName=name, tolerations=[{"operator": "Exists"}])
        await apply(kube, pod)
    watching = asyncio.create_task(watch())
    outputs = await ROLLOUT.update("inference", rollout(NEW), rollout(OLD), {}, gpus.context())
    await asyncio.sleep(0.1)
    watching.cancel()
    assert outputs["rolled_out"] == {"gpu-01": "one", "gpu-02": "one"}
    assert max(map(len, away)) == 1
    assert asked == {"gpu-01": {True}, "gpu-02": {True}}, "a node takes pods again once its GPUs are as asked"
    for name in ("gpu-01", "gpu-02"):
        await whole(kube, name)
        await offers(kube, name, "mig-3g.71gb", 16)
        assert await kube.find(f"/api/v1/namespaces/default/pods/busy-{name}") is None
    assert await shown(gpus, rollout(NEW)) == {}


async def test_a_label_moved_by_hand_is_shown_and_put_back(gpus: Rack, kube: Kube) -> None:
    await label(kube, "gpu-02", OLD)
    await offers(kube, "gpu-02", "mig-1g.18gb", 56)
    assert await shown(gpus, rollout(NEW)) == {"spec.nodes.1.mig.layout": OLD}
    await ROLLOUT.update("inference", rollout(NEW), rollout(NEW), {}, gpus.context())
    await offers(kube, "gpu-02", "mig-3g.71gb", 16)
    assert await shown(gpus, rollout(NEW)) == {}


async def test_a_layout_that_fails_is_an_error_in_words_and_the_next_run_goes_on(gpus: Rack, kube: Kube) -> None:
    with pytest.raises(Incomplete, match=rf"gpu-01: MIG manager did not lay its GPUs out as {ABSENT}") as told:
        await ROLLOUT.update("inference", rollout(ABSENT), rollout(NEW), {}, gpus.context())
    assert "pools.inference.mig" in str(told.value)
    node = await kube.get(f"{NODES}/gpu-01")
    assert node["spec"]["unschedulable"] is True
    assert (await labels(kube, "gpu-02"))[ASKED] == NEW, "the pool's other nodes are not tried"
    assert "spec.nodes.0.mig.layout" in await shown(gpus, rollout(ABSENT))
    await ROLLOUT.update("inference", rollout(NEW), rollout(ABSENT), {}, gpus.context())
    await whole(kube, "gpu-01")
    assert await shown(gpus, rollout(NEW)) == {}


async def test_a_layout_refused_to_somebody_else_is_tried_again_on_an_empty_node(gpus: Rack, kube: Kube) -> None:
    """MIG manager does not try a label twice by itself."""
    await apply(
        kube, gpu_pod("slice", "nvidia.com/mig-3g.71gb", nodeName="gpu-01", tolerations=[{"operator": "Exists"}])
    )
    await label(kube, "gpu-01", OLD)
    await until(kube, "gpu-01", ANSWERED, "failed")
    assert await shown(gpus, rollout(OLD, "gpu-01")) == {"spec.nodes.0.mig.layout": f"{OLD} failed"}
    await ROLLOUT.update("inference", rollout(OLD, "gpu-01"), rollout(NEW, "gpu-01"), {}, gpus.context())
    await offers(kube, "gpu-01", "mig-1g.18gb", 56)
    await whole(kube, "gpu-01")


async def test_a_budget_holds_pods_as_long_as_another_node_could_take_them(gpus: Rack, kube: Kube) -> None:
    """gpu-02 still has slices to spare, so waiting may help; then it has none, and waiting could not."""
    assert (await labels(kube, "gpu-01"))[ASKED] == OLD
    await ROLLOUT.update("inference", rollout(OLD, "gpu-02"), rollout(NEW, "gpu-02"), {}, gpus.context())
    for name in ("gpu-01", "gpu-02"):
        await offers(kube, name, "mig-1g.18gb", 56)
    await apply(kube, *service("gpu-01", "nvidia.com/mig-1g.18gb", 2))
    await counted(kube, 2)
    ctx = gpus.context()
    ctx.timeout = 2
    with pytest.raises(Incomplete, match="held by PodDisruptionBudget default/serving"):
        await ROLLOUT.update("inference", rollout(NEW, "gpu-01"), rollout(OLD, "gpu-01"), {}, ctx)
    await whole(kube, "gpu-01")
    assert (await labels(kube, "gpu-01"))[ASKED] == OLD
    await ROLLOUT.update("inference", rollout(NEW, "gpu-02"), rollout(OLD, "gpu-02"), {}, gpus.context())
    gpus.warned.clear()
    await ROLLOUT.update("inference", rollout(NEW, "gpu-01"), rollout(OLD, "gpu-01"), {}, gpus.context())
    assert sorted(gpus.warned) == [
        f"default/serving-{number} goes although held by PodDisruptionBudget default/serving: it asks for "
        "nvidia.com/mig-1g.18gb, which gpu-01 is about to give up and no other node has to spare"
        for number in range(2)
    ]
    await offers(kube, "gpu-01", "mig-3g.71gb", 16)
    await kube.remove("/apis/policy/v1/namespaces/default/poddisruptionbudgets/serving")
    await ROLLOUT.update("inference", rollout(OLD, "gpu-01"), rollout(NEW, "gpu-01"), {}, gpus.context())


async def test_killed_while_mig_manager_works_the_next_run_brings_the_node_back(gpus: Rack, kube: Kube) -> None:
    task = asyncio.create_task(
        ROLLOUT.update("inference", rollout(NEW, "gpu-01"), rollout(OLD, "gpu-01"), {}, gpus.context())
    )
    while (await labels(kube, "gpu-01"))[ASKED] == OLD and not task.done():  # noqa: ASYNC110  (the API has no event)
        await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await ROLLOUT.update("inference", rollout(NEW, "gpu-01"), rollout(OLD, "gpu-01"), {}, gpus.context())
    await whole(kube, "gpu-01")
    await offers(kube, "gpu-01", "mig-3g.71gb", 16)


async def test_a_pool_that_goes_leaves_the_label_to_others(gpus: Rack, kube: Kube) -> None:
    other = rollout(NONE, "gpu-02", pool="training")
    await ROLLOUT.create(other, gpus.context())
    await ROLLOUT.delete("inference", rollout(NEW), {}, gpus.context())
    assert (await labels(kube, "gpu-02"))[ASKED] == NONE
    await until(kube, "gpu-01", ASKED, NONE)  # the operator's default
    node = await kube.get(f"{NODES}/gpu-01")
    assert node["metadata"]["annotations"][ROLLED_OUT] == "one"


async def test_an_operator_that_was_taken_away_is_not_waited_for(gpus: Rack, kube: Kube) -> None:
    """Its last word stays on the node; it comes back behind the roll-out, and reads the label then."""
    await offers(kube, "gpu-01", "gpu", 8)
    policy = "/apis/nvidia.com/v1/clusterpolicies/gpu-cluster-policy"
    kept = await kube.get(policy)
    await kube.remove(policy)
    managers = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets/nvidia-mig-manager"
    while await kube.find(managers):  # noqa: ASYNC110  (the API has no event)
        await asyncio.sleep(0.05)
    held = await labels(kube, "gpu-01")
    assert (held[ASKED], held[ANSWERED]) == (NONE, "success")
    ctx = gpus.context()
    ctx.timeout = 5
    await ROLLOUT.create(rollout(OLD, "gpu-01"), ctx)
    await whole(kube, "gpu-01")
    assert (await labels(kube, "gpu-01"))[ASKED] == OLD
    assert not [line for line in gpus.said if "drain" in line or "cordon" in line]
    # Cut off between question and answer, before the operator went.
    fields = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-01", "labels": {ANSWERED: "pending"}}}
    await kube.apply(f"{NODES}/gpu-01", fields, "podwright-layout-inference")
    await cordon(kube, "gpu-01")
    await ROLLOUT.update("inference", rollout(OLD, "gpu-01"), rollout(OLD, "gpu-01"), {}, ctx)
    await whole(kube, "gpu-01")
    held = await labels(kube, "gpu-01")
    assert (held.get(ASKED), held.get(ANSWERED)) == (OLD, None)
    meta = {"name": kept["metadata"]["name"]}
    await apply(kube, {"apiVersion": kept["apiVersion"], "kind": kept["kind"], "metadata": meta, "spec": kept["spec"]})
    await until(kube, "gpu-01", ANSWERED, "success")
    await offers(kube, "gpu-01", "mig-1g.18gb", 56)


async def test_a_layout_of_the_pools_own_is_added_to_the_map_before_a_busy_node_takes_it(
    gpus: Rack, kube: Kube
) -> None:
    """The map's later update by the operators' component is forced, and so has the last word."""
    where = f"/api/v1/namespaces/{NAMESPACE}/configmaps/layouts"
    await ROLLOUT.update("inference", rollout(NEW), rollout(NEW), {}, gpus.context())
    for name in ("gpu-01", "gpu-02"):
        await offers(kube, name, "mig-3g.71gb", 16)
    pod = gpu_pod("mixed", "nvidia.com/mig-3g.71gb", nodeName="gpu-02", tolerations=[{"operator": "Exists"}])
    await apply(kube, pod)
    outputs = await ROLLOUT.update("inference", rollout(MIXED), rollout(NEW), {}, gpus.context())
    assert outputs["rolled_out"] == {"gpu-01": "one", "gpu-02": "one"}
    known = json.loads((await kube.get(where))["data"]["config.yaml"])["mig-configs"]
    assert known == {**CONFIGS, MIXED: MIXED_CONFIG}
    for name in ("gpu-01", "gpu-02"):
        for resource, count in (("mig-3g.71gb", 4), ("mig-1g.18gb", 16), ("gpu", 4)):
            await offers(kube, name, resource, count)
        assert (await labels(kube, name))[ANSWERED] == "success"
        await whole(kube, name)
    assert await shown(gpus, rollout(MIXED)) == {}
    writes = gpus.openshift.writes
    await ROLLOUT.update("inference", rollout(MIXED), rollout(MIXED), outputs, gpus.context())
    assert gpus.openshift.writes == writes
