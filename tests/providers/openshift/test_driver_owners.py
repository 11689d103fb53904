"""Which driver's pods are of an earlier template, where DaemonSets come and go."""

from __future__ import annotations

from typing import Any, cast

from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.pools import driver_pods

DRIVER = {"namespace": "nvidia-gpu-operator", "component": "nvidia-driver", "policy": "", "version": "580.95.05"}


def _owned(uid: str, name: str = "") -> list[dict[str, str]]:
    return [{"kind": "NVIDIADriver" if name else "DaemonSet", "name": name, "uid": uid}]


def _daemons(name: str, owner: str, version: str) -> dict[str, Any]:
    labels = {"app.kubernetes.io/component": "nvidia-driver"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"image": f"x/driver:{version}-rhcos4.20"}]}}
    meta = {"name": name, "uid": name, "generation": 1, "ownerReferences": _owned(owner, owner)}
    return {"metadata": meta, "spec": {"template": template}, "status": {"observedGeneration": 1}}


class Known:
    """An API with two NVIDIADrivers' DaemonSets, a pod of one, and one that no DaemonSet has any more."""

    def __init__(self, made: list[dict[str, Any]]) -> None:
        self.made = made

    async def items(self, path: str) -> list[Any]:
        if path.endswith("/daemonsets"):
            return self.made
        if path.endswith("/controllerrevisions"):
            uids = [each["metadata"]["uid"] for each in self.made]
            return [{"metadata": {"name": f"{uid}-1", "ownerReferences": _owned(uid)}, "revision": 1} for uid in uids]
        mark = {driver_pods.REVISION: "1"}
        return [
            {"metadata": {"labels": mark, "ownerReferences": _owned("a")}, "spec": {"nodeName": "gpu-01"}},
            {"metadata": {"labels": mark}, "spec": {"nodeName": "gpu-02"}},
        ]


async def _look(made: list[dict[str, Any]], **driver: str) -> driver_pods.Drivers:
    return await driver_pods.of_pool(cast("Kube", Known(made)), {"nodes": ["gpu-01"], "driver": {**DRIVER, **driver}})


async def test_a_pod_that_no_daemonset_has_any_more_is_an_earlier_driver() -> None:
    """The operator leaves them when NVIDIADrivers take over: nobody else would ever replace them."""
    look = await _look([_daemons("a", "pool-a", "580.95.05")])
    assert look.stale == {"gpu-02"}
    assert look.unset == ""


async def test_a_pools_driver_is_that_of_its_own_nvidiadriver() -> None:
    made = [_daemons("a", "pool-a", "580.95.05"), _daemons("b", "default", "595.91.07")]
    assert "b has x/driver:595.91.07" in (await _look(made)).unset
    assert (await _look(made, owner="pool-a")).unset == ""
    assert "NVIDIADriver pool-c has no DaemonSet yet" in (await _look(made, owner="pool-c")).unset
