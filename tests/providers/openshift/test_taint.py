"""A pool's taint is one of a node's: others put theirs on it, at any moment, and none is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.openshift.pools import taint
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.openshift.conftest import BY_TOKEN, Rack
from tests.providers.openshift.test_install import plain

INSTALL, TAINT = BY_TOKEN["Install"], BY_TOKEN["Taint"]
OURS = {"key": "podwright.io/pool", "value": "training", "effect": "NoSchedule"}
THEIRS = {"key": "example.com/quarantine", "value": "dimm", "effect": "NoExecute"}
BOTH = ["gpu-01", "gpu-02"]
made: dict[str, str] = {}
"""The module's one cluster."""


def inputs(kubeconfig: str, nodes: list[str], value: str = "training") -> dict[str, Any]:
    spec = {"schema": 1, "pool": value, "taint": {**OURS, "value": value}, "nodes": nodes}
    return {"spec": spec, "kubeconfig": kubeconfig}


async def _taints(kube: Kube, name: str) -> list[dict[str, Any]]:
    return list((await kube.get(f"{NODES}/{name}"))["spec"].get("taints") or [])


async def _add(kube: Kube, name: str, more: dict[str, Any]) -> None:
    """As `kubectl taint` does, which reads and writes the whole list."""
    while True:
        node = await kube.get(f"{NODES}/{name}")
        meta = {"resourceVersion": node["metadata"]["resourceVersion"]}
        try:
            await kube.merge(
                f"{NODES}/{name}", {"metadata": meta, "spec": {"taints": [*(node["spec"].get("taints") or []), more]}}
            )
        except KubeError as refused:
            assert refused.status == 409
        else:
            return


@pytest.fixture
async def access(site: Rack) -> str:
    """Access to a cluster whose workers have no taints."""
    if "lab" not in made:
        made["lab"] = str(plain((await INSTALL.create({"spec": site.spec()}, site.context())).outputs)["kubeconfig"])
    for name in BOTH:
        await Kube(made["lab"]).merge(f"{NODES}/{name}", {"spec": {"taints": None}})
    return made["lab"]


async def test_the_taints_of_others_survive_every_step_of_ours(site: Rack, access: str) -> None:
    kube, ctx = Kube(access), site.context()
    await _add(kube, "gpu-01", THEIRS)
    both, one = inputs(access, BOTH), inputs(access, ["gpu-01"])
    created = await TAINT.create(both, ctx)
    assert created.id == "training"
    assert await _taints(kube, "gpu-01") == [THEIRS, OURS] and await _taints(kube, "gpu-02") == [OURS]
    for number in range(20):
        await _add(kube, "gpu-02", {**THEIRS, "key": f"example.com/{number}"})
        await TAINT.update("training", both, both, both, ctx)
    assert len(await _taints(kube, "gpu-02")) == 21
    # A node that leaves the pool; another pool's taint on it is not ours to take.
    await TAINT.update("training", one, both, both, ctx)
    assert OURS not in await _taints(kube, "gpu-02") and len(await _taints(kube, "gpu-02")) == 20
    await TAINT.create(inputs(access, ["gpu-02"], "inference"), ctx)
    await TAINT.update("training", one, both, both, ctx)
    assert {**OURS, "value": "inference"} in await _taints(kube, "gpu-02")
    # A node that is not there any more has nothing to lose.
    gone = inputs(access, ["gpu-01", "gpu-09"])
    await TAINT.delete("training", gone, gone, ctx)
    assert await _taints(kube, "gpu-01") == [THEIRS]


async def test_writes_of_others_in_between_are_no_failure_and_not_lost(site: Rack, access: str) -> None:
    kube, ctx = Kube(access), site.context()
    busy = asyncio.Event()

    async def others() -> int:
        for number in range(40):
            await _add(kube, "gpu-01", {**THEIRS, "key": f"example.com/{number}"})
            busy.set()
        return 40

    writing = asyncio.create_task(others())
    await busy.wait()
    rounds = 0
    while not writing.done():
        await TAINT.create(inputs(access, ["gpu-01"]), ctx)
        await TAINT.delete("training", inputs(access, ["gpu-01"]), {}, ctx)
        rounds += 1
    assert rounds and await writing == 40
    assert len(await _taints(kube, "gpu-01")) == 40


async def test_a_taint_that_is_gone_or_another_is_drift_and_written_again(site: Rack, access: str) -> None:
    kube, ctx = Kube(access), site.context()
    both = inputs(access, BOTH)
    await TAINT.create(both, ctx)
    await kube.merge(f"{NODES}/gpu-01", {"spec": {"taints": [{**OURS, "value": "other"}, THEIRS]}})
    seen = await TAINT.read("training", both, both, ctx)
    assert seen is not None and seen.inputs["spec"]["nodes"] == ["gpu-02"]
    await TAINT.update("training", both, dict(seen.inputs), both, ctx)
    assert await _taints(kube, "gpu-01") == [THEIRS, OURS]
    seen = await TAINT.read("training", both, both, ctx)
    assert seen is not None and seen.inputs == both


async def test_a_claim_on_the_whole_list_is_given_up_before_it_can_take_everybodys_away(
    site: Rack, access: str
) -> None:
    """Releases before had the list by server-side apply: the apply that leaves it out would delete it."""
    kube = Kube(access)
    labels = {"metadata": {"labels": {"podwright.io/pool": "training"}}}
    fields = {"apiVersion": "v1", "kind": "Node", **labels}
    await kube.apply(f"{NODES}/gpu-01", {**fields, "spec": {"taints": [OURS]}}, "podwright")
    await TAINT.create(inputs(access, ["gpu-01"]), site.context())
    await kube.apply(f"{NODES}/gpu-01", fields, "podwright")
    assert await _taints(kube, "gpu-01") == [OURS]
    node = await kube.get(f"{NODES}/gpu-01")
    assert node["metadata"]["labels"]["podwright.io/pool"] == "training"


async def test_a_node_that_never_registers_is_named(site: Rack, access: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taint, "PATIENCE", 1.0)
    with pytest.raises(ProviderError, match=r"waiting for node gpu-09 to register.*podwright.io/pool=training"):
        await TAINT.create(inputs(access, ["gpu-01", "gpu-09"]), site.context())
    assert await _taints(Kube(access), "gpu-01") == [OURS]
