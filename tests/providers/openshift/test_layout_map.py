"""A layout of a pool's own: MIG manager's map gets it, and a manager that has read the map takes the label."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from podwright.components.providers.openshift import layout, layout_map
from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.lab.openshift.gpu.mounted import SYNC_SECONDS, Mounted

OWN = "4x2x3g.71gb_4xwhole"
CONFIG = [
    {"devices": [0, 1, 2, 3], "mig-enabled": True, "mig-devices": {"3g.71gb": 2}},
    {"devices": [4, 5, 6, 7], "mig-enabled": False},
]
OLD = {"all-disabled": [{"devices": "all", "mig-enabled": False}]}
MAP = "/api/v1/namespaces/nvidia-gpu-operator/configmaps/podwright-mig-layouts"
NODE = {"name": "gpu-01", "mig": {"layout": OWN, "resources": [], "config": CONFIG}}


class Cluster(Kube):
    """One node, MIG manager's map, and a manager that knows of the map what it had when its pod started."""

    def __init__(self, *, known: dict[str, Any] | None = None, conflicts: int = 0, volume: bool = True) -> None:
        self.layouts = copy.deepcopy(known or OLD)
        self.conflicts, self.volume, self.version = conflicts, volume, 1
        self.labels = {layout.ASKED: "all-disabled", layout.ANSWERED: "success"}
        self.pods = 0
        self.read: dict[str, Any] = copy.deepcopy(self.layouts)
        self.asked: list[str] = []
        self._answers: list[str] = []

    async def get(self, path: str) -> Any:
        if path == layout_map.MANAGERS:
            volumes = [{"name": "mig-parted-config", "configMap": {"name": "podwright-mig-layouts"}}] * self.volume
            spec = {"template": {"spec": {"volumes": volumes}}}
            return {"items": [{"metadata": {"namespace": "nvidia-gpu-operator"}, "spec": spec}]}
        if path == MAP:
            text = json.dumps({"version": "v1", "mig-configs": self.layouts})
            return {"metadata": {"resourceVersion": str(self.version)}, "data": {"config.yaml": text}}
        if path.startswith("/api/v1/pods?"):
            return {"items": [{"metadata": {"namespace": "nvidia-gpu-operator", "name": f"manager-{self.pods}"}}]}
        assert path.endswith("/nodes/gpu-01")
        if self._answers and self.labels[layout.ANSWERED] == "pending":
            self.labels[layout.ANSWERED] = self._answers.pop(0)
        return {"metadata": {"name": "gpu-01", "uid": "1", "labels": dict(self.labels)}}

    async def apply(self, path: str, fields: Any, manager: str, *, dry: bool = False) -> Any:
        del path, manager, dry
        before, wanted = self.labels[layout.ASKED], fields["metadata"]["labels"]
        self.labels |= wanted
        if wanted[layout.ASKED] != before:
            self._handle()

    async def merge(self, path: str, change: Any) -> Any:
        assert path.startswith(MAP)
        if self.conflicts:
            self.conflicts -= 1
            self.version += 1
            self.layouts["of-another-pool"] = []
        if change["metadata"]["resourceVersion"] != str(self.version):
            raise KubeError(409, {"reason": "Conflict"}, "merge")
        self.layouts = json.loads(change["data"]["config.yaml"])["mig-configs"]
        self.version += 1

    async def remove(self, path: str) -> None:
        assert path.endswith(f"/pods/manager-{self.pods}")
        self.pods += 1
        self.read = copy.deepcopy(self.layouts)
        self._handle()

    def _handle(self) -> None:
        self.asked.append(self.labels[layout.ASKED])
        self._answers = ["success" if self.labels[layout.ASKED] in self.read else "failed"]


async def _lay_out(cluster: Cluster) -> None:
    live = await cluster.get("/api/v1/nodes/gpu-01")
    await layout.lay_out(cluster, live, NODE, "mixed", Context())


async def test_the_map_gets_the_layout_and_a_new_manager_takes_it() -> None:
    cluster = Cluster()
    await _lay_out(cluster)
    assert cluster.layouts == {**OLD, OWN: CONFIG}
    assert cluster.labels == {layout.ASKED: OWN, layout.ANSWERED: "success"}
    assert cluster.asked == ["all-disabled", OWN], "its word for the old layout is awaited before the label moves"


async def test_a_map_that_has_it_is_not_written_and_its_reader_is_renewed_all_the_same() -> None:
    """Another node's turn wrote it a moment ago: what this node's manager has mounted may be older."""
    cluster = Cluster(known={**OLD, OWN: CONFIG})
    cluster.read = copy.deepcopy(OLD)
    await _lay_out(cluster)
    assert (cluster.version, cluster.labels[layout.ANSWERED]) == (1, "success")


async def test_what_another_pool_adds_meanwhile_stays() -> None:
    cluster = Cluster(conflicts=1)
    await _lay_out(cluster)
    assert cluster.layouts == {**OLD, OWN: CONFIG, "of-another-pool": []}


async def test_an_earlier_form_under_the_name_is_put_right() -> None:
    cluster = Cluster(known={**OLD, OWN: [{"devices": "all", "mig-enabled": False}]})
    await _lay_out(cluster)
    assert cluster.layouts[OWN] == CONFIG


async def test_a_manager_without_a_map_is_an_error_in_words() -> None:
    with pytest.raises(ProviderError, match=r"MIG manager reads no map .* migManager.config.name"):
        await _lay_out(Cluster(volume=False))


def test_a_mounted_file_is_renewed_after_a_while_and_with_its_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("podwright.lab.openshift.gpu.mounted.time.monotonic", lambda: now)
    mounted = Mounted()
    assert [mounted.text(text, "one") for text in ("old", "new", "new")] == ["old", "old", "old"]
    assert mounted.text("new", "two") == "new"
    assert mounted.text("newer", "two") == "new"
    now = SYNC_SECONDS
    assert mounted.text("newer", "two") == "newer"
