"""Another GPU driver reaches a pool's nodes within its budget; one that does not run stays one node's trouble."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from podwright.components.providers.openshift.drain import CORDONED
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, is_ready
from podwright.components.providers.protocol.kind import Incomplete
from tests.lab.openshift.manifests import OPERATORS, cluster_policy, feature_discovery, operator
from tests.providers.openshift.conftest import BY_TOKEN, Rack, apply, build
from tests.providers.openshift.layouts import offers

pytestmark = pytest.mark.rough

INSTALL, OPERATOR, DRIVERS = BY_TOKEN["Install"], BY_TOKEN["OperatorInstall"], BY_TOKEN["DriverRollout"]
POLICY = "/apis/nvidia.com/v1/clusterpolicies/gpu-cluster-policy"
POOLS = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
NAMES = tuple(f"gpu-{number:02d}" for number in range(1, 6))
HOSTS = {"cp-01": ("UCSC-C225-M8N", "master"), **dict.fromkeys(NAMES, ("UCSC-885A-M8", "worker"))}
MAJOR = "nvidia.com/cuda.driver.major"
kubeconfigs: dict[str, str] = {}


@pytest.fixture(scope="module")
def gpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """Five workers with GPUs."""
    built = build(tmp_path_factory.mktemp("drivers") / "rack", "NVIDIA-H200", HOSTS)
    try:
        yield built
    finally:
        built.close()


@pytest_asyncio.fixture
async def kube(gpus: Rack) -> AsyncIterator[Kube]:
    if "lab" not in kubeconfigs:
        created = await INSTALL.create({"spec": gpus.spec()}, gpus.context())
        kubeconfigs["lab"] = created.outputs["kubeconfig"].value
        api = Kube(kubeconfigs["lab"])
        for package in ("nfd", "gpu-operator-certified"):
            await apply(api, *operator(package))
            namespace, _, _, csv = OPERATORS[package]
            spec = {"schema": 1, "namespace": namespace, "subscription": package, "csv": csv}
            await OPERATOR.create({"spec": spec, "kubeconfig": kubeconfigs["lab"]}, gpus.context())
        await apply(api, feature_discovery(), cluster_policy(daemonsets={"tolerations": [{"operator": "Exists"}]}))
        await DRIVERS.create(rollout(None), gpus.context())
    gpus.said.clear()
    yield Kube(kubeconfigs["lab"])


def rollout(version: str | None, **change: Any) -> dict[str, Any]:
    asked = {"version": version} if version else {}
    driver = {"namespace": "nvidia-gpu-operator", "component": "nvidia-driver", "policy": POLICY, **asked}
    spec = {"schema": 1, "pool": "worker", "nodes": list(NAMES), "driver": driver, "trigger": str(version)}
    return {"spec": {**spec, "max_unavailable": 2, **change}, "kubeconfig": kubeconfigs["lab"]}


async def ask(kube: Kube, version: str) -> None:
    """What the ClusterPolicy says of the driver."""
    driver = {"repository": "nvcr.io/nvidia", "image": "driver", "version": version}
    await kube.merge(POLICY, {"spec": {"driver": driver}})


async def majors(kube: Kube) -> dict[str, str]:
    return {node["metadata"]["name"]: node["metadata"]["labels"].get(MAJOR, "") for node in await workers(kube)}


async def workers(kube: Kube) -> list[Any]:
    return [node for node in await kube.items(NODES) if node["metadata"]["name"] in NAMES]


@contextlib.asynccontextmanager
async def watched(kube: Kube) -> AsyncIterator[list[set[str]]]:
    """Which nodes were away, look by look; only what differs from the look before it."""
    seen: list[set[str]] = [set()]

    async def look() -> None:
        while True:
            away = {
                node["metadata"]["name"]
                for node in await workers(kube)
                if node["spec"].get("unschedulable") or not is_ready(node)
            }
            if away != seen[-1]:
                seen.append(away)
            await asyncio.sleep(0.05)

    task = asyncio.create_task(look())
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_on_a_new_cluster_it_waits_for_the_operators_word(gpus: Rack, kube: Kube) -> None:
    async with watched(kube) as away:
        await DRIVERS.create(rollout(None), gpus.context())
    assert (await kube.get(POLICY))["status"]["state"] == "ready"
    assert set(await majors(kube)) == set(NAMES)
    assert away == [set()]
    for name in NAMES:
        await offers(kube, name, "gpu", 8)


async def test_another_version_is_drift_and_reaches_all_nodes_one_alone_then_two_at_a_time(
    gpus: Rack, kube: Kube
) -> None:
    await ask(kube, "580.95.05")
    async with watched(kube) as away:
        await DRIVERS.update("worker", rollout("580.95.05"), rollout(None), {}, gpus.context())
    assert set((await majors(kube)).values()) == {"580"}
    assert max(map(len, away)) == 2
    first = next(names for names in away if names)
    assert len(first) == 1, "the first node goes alone"
    assert not [names for names in away if first < names], "and is back before another goes"
    assert set().union(*away) == set(NAMES)
    pool = await kube.get(f"{POOLS}/worker")
    assert not pool["spec"].get("paused")
    assert "podwright.io/paused" not in pool["metadata"].get("annotations", {})
    seen = await DRIVERS.read("worker", rollout("580.95.05"), {}, gpus.context())
    assert seen is not None
    assert DRIVERS.diff(seen.inputs, rollout("580.95.05"), {}).changes == {}


async def test_a_node_that_somebody_else_took_away_counts(gpus: Rack, kube: Kube) -> None:
    """Two may be away, one is: of the batch of two that follows, one waits for the other."""
    await kube.merge(f"{NODES}/gpu-05", {"spec": {"unschedulable": True}})
    await ask(kube, "570.195.03")
    names = list(NAMES[:4])
    async with watched(kube) as away:
        spec = rollout("570.195.03")
        task = asyncio.create_task(DRIVERS.update("worker", spec, rollout("580.95.05"), {}, gpus.context()))
        while not all(value == "570" for name, value in (await majors(kube)).items() if name in names):
            assert not task.done()
            await asyncio.sleep(0.1)
        await kube.merge(f"{NODES}/gpu-05", {"spec": {"unschedulable": None}})
        await task
    assert max(map(len, away)) == 2
    assert set((await majors(kube)).values()) == {"570"}


async def test_a_canary_whose_driver_does_not_run_is_named_and_the_rest_goes_on_as_it_was(
    gpus: Rack, kube: Kube
) -> None:
    await ask(kube, "580.99.99")
    ctx = gpus.context()
    ctx.timeout = 10
    async with watched(kube) as away:
        with pytest.raises(Incomplete, match=r"gpu-01: driver .*580\.99\.99") as stuck:
            await DRIVERS.update("worker", rollout("580.99.99"), rollout("570.195.03"), {}, ctx)
    assert "no further node of pool worker is taken" in str(stuck.value)
    assert set().union(*away) == {"gpu-01"}
    for name in NAMES[1:]:
        await offers(kube, name, "gpu", 8)
    seen = await DRIVERS.read("worker", rollout("580.99.99"), {}, gpus.context())
    assert seen is not None
    assert "not on gpu-02" in seen.inputs["spec"]["trigger"]
    assert not (await kube.get(f"{POOLS}/worker"))["spec"].get("paused")


async def test_with_a_version_that_runs_the_canary_comes_back_first(gpus: Rack, kube: Kube) -> None:
    await ask(kube, "580.105.08")
    async with watched(kube) as away:
        await DRIVERS.update("worker", rollout("580.105.08"), rollout("580.99.99"), {}, gpus.context())
    assert set((await majors(kube)).values()) == {"580"}
    assert max(map(len, away)) == 2
    for node in await workers(kube):
        assert "unschedulable" not in node["spec"]
        assert CORDONED not in node["metadata"].get("annotations", {})


async def test_a_pause_that_comes_after_a_run_was_cut_off_stays(gpus: Rack, kube: Kube) -> None:
    ours = {"metadata": {"annotations": {"podwright.io/paused": "yes"}}, "spec": {"paused": True}}
    await kube.merge(f"{POOLS}/worker", ours)
    await ask(kube, "570.195.03")
    before = await majors(kube)
    await DRIVERS.update("worker", rollout("570.195.03", pause=True), rollout("580.105.08"), {}, gpus.context())
    pool = await kube.get(f"{POOLS}/worker")
    assert pool["spec"]["paused"] is True
    assert "podwright.io/paused" not in pool["metadata"].get("annotations", {})
    assert await majors(kube) == before
    assert any("worker is paused" in line for line in gpus.warned)
    await kube.merge(f"{POOLS}/worker", {"spec": {"paused": False}})
