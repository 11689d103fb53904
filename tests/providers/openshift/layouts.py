"""Layouts of GPUs that can be divided, and what a roll-out, a person and a service make of them."""

from __future__ import annotations

import asyncio
from typing import Any

from podwright.components.providers.openshift.drain import CORDONED
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES
from tests.lab.openshift.manifests import gpu_pod
from tests.providers.openshift.conftest import BY_TOKEN, Rack
from tests.waiting import PATIENCE

ROLLOUT = BY_TOKEN["Rollout"]
ASKED, ANSWERED = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
NAMESPACE = "nvidia-gpu-operator"
OLD, NEW, NONE, ABSENT = "all-1g.18gb", "all-3g.71gb", "all-disabled", "all-9g.999gb"
CONFIGS = {
    NONE: [{"devices": "all", "mig-enabled": False}],
    OLD: [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.18gb": 7}}],
    NEW: [{"devices": "all", "mig-enabled": True, "mig-devices": {"3g.71gb": 2}}],
}
LAYOUTS = {"version": "v1", "mig-configs": CONFIGS}
kubeconfigs: dict[str, str] = {}
MIXED = "4x1x3g.71gb-4x1g.18gb_4xwhole"
"""A layout of a pool's own, which the map does not have until a roll-out asks for it."""
MIXED_CONFIG = [
    {"devices": [0, 1, 2, 3], "mig-enabled": True, "mig-devices": {"3g.71gb": 1, "1g.18gb": 4}},
    {"devices": [4, 5, 6, 7], "mig-enabled": False},
]
RESOURCES = {
    MIXED: ["nvidia.com/mig-1g.18gb", "nvidia.com/mig-3g.71gb", "nvidia.com/gpu"],
    OLD: ["nvidia.com/mig-1g.18gb"],
    NEW: ["nvidia.com/mig-3g.71gb"],
    NONE: ["nvidia.com/gpu"],
}


def rollout(layout: str | None, *names: str, **change: Any) -> dict[str, Any]:
    config = {"config": MIXED_CONFIG} if layout == MIXED else {}
    mig = {"mig": {"layout": layout, "resources": RESOURCES.get(layout, []), **config}} if layout else {}
    nodes = [{"name": name, **mig} for name in names or ("gpu-01", "gpu-02")]
    spec = {"schema": 1, "pool": "inference", "nodes": nodes, "trigger": "one", "max_unavailable": 1, **change}
    return {"spec": spec, "kubeconfig": kubeconfigs["lab"]}


async def labels(kube: Kube, name: str) -> dict[str, str]:
    found: dict[str, str] = (await kube.get(f"{NODES}/{name}"))["metadata"]["labels"]
    return found


async def label(kube: Kube, name: str, value: str | None) -> None:
    """What a person does with kubectl."""
    await kube.merge(f"{NODES}/{name}?fieldManager=kubectl-label", {"metadata": {"labels": {ASKED: value}}})


async def offers(kube: Kube, name: str, resource: str, count: int) -> None:
    for _ in range(600 * PATIENCE):
        node = await kube.get(f"{NODES}/{name}")
        if int(node["status"]["allocatable"].get(f"nvidia.com/{resource}", 0)) == count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{name} does not offer {count} {resource}: {node['status']['allocatable']}")


async def until(kube: Kube, name: str, key: str, value: str) -> None:
    for _ in range(200 * PATIENCE):
        if (await labels(kube, name)).get(key) == value:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{name} does not come to {key}={value}: {await labels(kube, name)}")


async def whole(kube: Kube, name: str) -> None:
    node = await kube.get(f"{NODES}/{name}")
    assert "unschedulable" not in node["spec"]
    assert CORDONED not in node["metadata"]["annotations"]


async def shown(gpus: Rack, inputs: dict[str, Any]) -> dict[str, Any]:
    """What a refresh would show, by the path of the change."""
    seen = await ROLLOUT.read("inference", inputs, {}, gpus.context())
    assert seen is not None
    changes = ROLLOUT.diff(seen.inputs, inputs, {}).changes
    return {".".join(map(str, path)): _at(seen.inputs, path) for path in changes}


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def service(node: str, resource: str, count: int) -> tuple[dict[str, Any], ...]:
    """A service's pods on one node, and the budget that lets none of them go."""
    labels = {"app": "serving"}
    pods = [
        gpu_pod(f"serving-{number}", resource, nodeName=node, tolerations=[{"operator": "Exists"}])
        for number in range(count)
    ]
    for pod in pods:
        pod["metadata"]["labels"] = labels
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "serving", "namespace": "default"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": labels}},
    }
    return (*pods, budget)


async def counted(kube: Kube, healthy: int) -> None:
    """Until the budget has counted its pods; before that anything may be evicted."""
    for _ in range(300):
        budget = await kube.get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/serving")
        if budget.get("status", {}).get("currentHealthy") == healthy:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the pods never became healthy")
