"""One drain of a node replaces the NICs' driver and the GPU's, in this order; pods come back once all that the NICs
lost with it is back. A cluster's API of a few objects stands for the operators, whose answers each test decides.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from podwright.components.providers.openshift.kube import KubeError
from podwright.components.providers.openshift.pools import drivers
from podwright.components.providers.openshift.pools.drivers import DriverRolloutKind
from podwright.components.providers.protocol.kind import Context, Incomplete

NIC, GPU = "nvidia-network-operator", "nvidia-gpu-operator"
MOFED, SETTINGS = "network.nvidia.com/operator.mofed.wait", "network.nvidia.com/operator.nic-configuration.wait"
NODES = ("gpu-01", "gpu-02")
LABELS = {NIC: {"nvidia.com/ofed-driver": ""}, GPU: {"app.kubernetes.io/component": "nvidia-driver"}}
POLICIES = {
    NIC: "/apis/mellanox.com/v1alpha1/nicnodepolicies/training",
    GPU: "/apis/nvidia.com/v1/clusterpolicies/gpu-cluster-policy",
}
DAEMON = "nic-configuration-daemon"
READY = {"type": "Ready", "status": "True"}
Change = Callable[["Api", str], None]


class Api:
    """Nodes with a pod of each driver and of the daemon that waits for the NICs' one."""

    def __init__(self, *stale: str) -> None:
        self.log: list[str] = []
        self.behind = 0
        """Looks until the Machine Config Operator is through with the pool."""
        self.clock, self.after = 100, self.serve
        self.nodes = {name: self._node(name) for name in NODES}
        self.pods: dict[str, dict[str, Any]] = {}
        for name in NODES:
            for home in (NIC, GPU):
                self.start(home, name, "1" if home in stale else "2")
            self.daemon(name)

    @staticmethod
    def _node(name: str) -> dict[str, Any]:
        offers = {"nvidia.com/gpu": "8", "openshift.io/rail0": "1"}
        meta = {"name": name, "labels": {MOFED: "false", SETTINGS: "false"}, "annotations": {}}
        return {"metadata": meta, "spec": {}, "status": {"conditions": [READY], "allocatable": offers}}

    def time(self) -> str:
        self.clock += 1
        return f"2026-11-25T00:{self.clock // 60:02}:{self.clock % 60:02}Z"

    def start(self, home: str, node: str, revision: str) -> None:
        """The driver's pod, of the template of this revision."""
        when = self.time()
        labels = {**LABELS[home], "controller-revision-hash": revision}
        began = {"ready": True, "state": {"running": {"startedAt": self.time()}}}
        self._put(home, f"driver-{node}", when, labels, home, node, began)

    def daemon(self, node: str) -> None:
        self._put(NIC, f"{DAEMON}-{node}", self.time(), {}, DAEMON, node, {"ready": True})

    def _put(self, home: str, name: str, when: str, labels: Any, owner: str, node: str, began: Any) -> None:
        meta = {
            "name": name, "namespace": home, "uid": f"{name}-{when}", "creationTimestamp": when, "labels": labels,
            "ownerReferences": [{"uid": owner, "kind": "DaemonSet"}],
        }  # fmt: skip
        spec = {"nodeName": node, "containers": [{"image": f"registry.example.com/{home}:new-rhcos4.20"}]}
        status = {"conditions": [READY], "containerStatuses": [began]}
        self.pods[f"/api/v1/namespaces/{home}/pods/{name}"] = {"metadata": meta, "spec": spec, "status": status}

    def serve(self, home: str, node: str) -> None:
        """What DaemonSets and operators do once a driver's pod is gone."""
        self.start(home, node, "2")
        if home == NIC:
            self.daemon(node)

    async def find(self, path: str) -> Any | None:
        if path in POLICIES.values():
            return {"status": {"state": "ready"}}
        if path.endswith("/machineconfigpools/training") and self.behind:
            self.behind -= 1
            self.log.append("the pool moves")
            asked, reached = ({"configuration": {"name": each}} for each in ("new", "old"))
            return {"metadata": {}, "spec": asked, "status": {**reached, "machineCount": 2}}
        name = path.rpartition("/")[2]
        return copy.deepcopy(self.nodes[name] if path.startswith("/api/v1/nodes/") else self.pods.get(path))

    async def get(self, path: str) -> Any:
        if path == "/api/v1/nodes":
            return {"items": copy.deepcopy(list(self.nodes.values()))}
        if path.startswith("/api/v1/pods"):
            on = [each for each in self.pods.values() if each["spec"]["nodeName"] == path.rpartition("%3D")[2]]
            return {"items": copy.deepcopy(on)}
        if path.startswith("/api/v1/nodes/"):
            return await self.find(path)
        raise KubeError(404, {}, path)

    async def items(self, path: str) -> list[Any]:
        if "/pods?labelSelector=" in path:
            home = path.split("/")[4]
            found = [each for each in self.pods.values() if each["metadata"]["namespace"] == home]
            return copy.deepcopy([each for each in found if LABELS[home].items() <= each["metadata"]["labels"].items()])
        if path.endswith("/controllerrevisions"):
            home = path.split("/")[5]
            return [{"revision": 2, "metadata": {"name": f"{home}-2", "ownerReferences": [{"uid": home}]}}]
        if path.endswith("/daemonsets"):
            return [self._daemons(NIC, LABELS[NIC]), self._daemons(GPU, LABELS[GPU]), self._daemons(DAEMON, {})]
        return list((await self.get(path))["items"])

    @staticmethod
    def _daemons(name: str, labels: Any) -> dict[str, Any]:
        pod: dict[str, Any] = {"containers": [{"image": f"registry.example.com/{name}:new-rhcos4.20"}]}
        if name == DAEMON:
            pod["nodeSelector"] = {MOFED: "false"}
        return {
            "metadata": {"name": name, "uid": name, "generation": 1}, "status": {"observedGeneration": 1},
            "spec": {"template": {"metadata": {"labels": labels}, "spec": pod}},
        }  # fmt: skip

    async def merge(self, path: str, change: Any) -> None:
        node = self.nodes[path.rpartition("/")[2]]
        for key, value in (change.get("metadata") or {}).get("annotations", {}).items():
            node["metadata"]["annotations"].pop(key, None)
            node["metadata"]["annotations"] |= {key: value} if value else {}
        if "spec" in change:
            off = change["spec"]["unschedulable"] is None
            node["spec"] = {} if off else change["spec"]
            self.log.append(f"{'uncordon' if off else 'cordon'} {node['metadata']['name']}")

    async def remove(self, path: str) -> None:
        gone = self.pods.pop(path)
        home, node = gone["metadata"]["namespace"], gone["spec"]["nodeName"]
        self.log.append(f"{'NIC' if home == NIC else 'GPU'} {node}")
        self.after(home, node)


SPEC = {
    "schema": 1, "pool": "training", "nodes": list(NODES), "trigger": "b", "nic_trigger": "b",
    "driver": {"namespace": GPU, "component": "nvidia-driver", "policy": POLICIES[GPU]},
    "nic_driver": {"namespace": NIC, "label": "nvidia.com/ofed-driver", "policy": POLICIES[NIC], "version": "new"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers, "SETTLED_SECONDS", 0.1)
    monkeypatch.setattr(drivers, "rehomed", lambda *_: "")


async def roll(api: Api, monkeypatch: pytest.MonkeyPatch, limit: float = 10) -> list[str]:
    """What was done to the cluster."""
    monkeypatch.setattr(drivers, "Kube", lambda _: api)
    asked = {"spec": SPEC, "kubeconfig": ""}
    before = {"spec": {**SPEC, "nic_trigger": "a"}, "kubeconfig": ""}
    await DriverRolloutKind().update("training", asked, before, {}, Context(timeout=limit))
    return api.log


def _whole(*, nics: bool = True) -> list[str]:
    return [
        line
        for node in NODES
        for line in (f"cordon {node}", *([f"NIC {node}"] if nics else []), f"GPU {node}", f"uncordon {node}")
    ]


async def test_both_drivers_are_replaced_by_one_drain_the_nics_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await roll(Api(NIC, GPU), monkeypatch) == _whole()


async def test_no_node_is_taken_before_the_machine_config_operator_is_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SR-IOV operator waits for it, and a node whose NICs have another driver for that one."""
    api = Api(NIC, GPU)
    api.behind = 3
    assert await roll(api, monkeypatch) == ["the pool moves"] * 3 + _whole()


async def test_a_gpu_driver_is_built_anew_for_another_driver_of_nics(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await roll(Api(NIC), monkeypatch) == _whole()


async def test_another_gpu_driver_leaves_that_of_nics_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await roll(Api(GPU), monkeypatch) == _whole(nics=False)


async def test_a_run_that_was_cut_off_between_both_goes_on_with_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api()
    del api.pods[f"/api/v1/namespaces/{NIC}/pods/driver-gpu-02"]
    api.serve(NIC, "gpu-02")
    node = api.nodes["gpu-02"]
    node["spec"], node["metadata"]["annotations"] = {"unschedulable": True}, {"podwright.io/cordoned": "yes"}
    assert await roll(api, monkeypatch) == ["GPU gpu-02", "uncordon gpu-02"]


def _not_loaded(api: Api, node: str) -> None:
    api.nodes[node]["metadata"]["labels"][MOFED] = "true"


def _settings_pending(api: Api, node: str) -> None:
    api.nodes[node]["metadata"]["labels"][SETTINGS] = "true"


def _no_functions(api: Api, node: str) -> None:
    api.nodes[node]["status"]["allocatable"]["openshift.io/rail0"] = "0"


def _daemon_as_before(api: Api, node: str) -> None:
    api.pods[f"/api/v1/namespaces/{NIC}/pods/{DAEMON}-{node}"]["metadata"]["creationTimestamp"] = "2026-11-24T00:00:00Z"


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (_not_loaded, "the driver of its NICs is not loaded yet"),
        (_daemon_as_before, "nic-configuration-daemon has not begun anew"),
        (_settings_pending, "its NICs' settings are not applied yet"),
        (_no_functions, r"does not offer 1 openshift.io/rail0 \(now 0\) yet"),
    ],
)
async def test_a_node_stays_cordoned_until_its_nics_are_as_before_and_no_other_is_taken(
    monkeypatch: pytest.MonkeyPatch, lost: Change, why: str
) -> None:
    api = Api(NIC, GPU)

    def after(home: str, node: str) -> None:
        api.serve(home, node)
        lost(api, node)

    api.after = after
    with pytest.raises(Incomplete, match=f"gpu-01.*{why}.*gpu-01 stays cordoned, and no further node"):
        await roll(api, monkeypatch, limit=1)
    assert "cordon gpu-02" not in api.log
    assert "uncordon gpu-01" not in api.log


async def test_nodes_with_an_earlier_driver_show_in_the_trigger_of_that_driver_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drivers, "Kube", lambda _: Api(NIC))
    seen = await DriverRolloutKind().read("training", {"spec": SPEC, "kubeconfig": ""}, {}, Context())
    assert seen is not None
    assert seen.inputs["spec"] == {**SPEC, "nic_trigger": "b not on gpu-01, gpu-02"}
