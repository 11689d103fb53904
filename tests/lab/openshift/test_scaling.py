"""A service that scales, as planned, by the real KEDA and the real autoscaler of a cluster of the lab.

Opt-in: `make soak SUITE=scaling`, which builds KEDA (`python3 -m toolchain setup scaling`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation

from podwright.components.design.operators import autoscaling
from podwright.components.design.platform import teams
from podwright.components.design.platform.infrastructure import monitoring
from podwright.components.design.workloads import LEFT, monitor, scaling, service
from podwright.components.model import Inference, Operators, Team, load
from tests.lab.openshift.inline import Alone, anywhere, stack
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tools.generated import ROOT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1500)]
SHAPE = {"workers": ("", "", "")}
MACHINES = {"inf-01": load(ROOT / "Pulumi.lab.yaml").servers["inf-01"]}
FIXED = {
    "team": "chat", "pool": "inference", "replicas": 2, "image": "registry.example.com/serving/vllm", "model": "m",
    "memory_gib": 1, "cpus": 1, "load_seconds": 10, "metrics": True,
}  # fmt: skip
SCALE = {"max": 5, "waiting": 4, "stay_seconds": 10}


def _service(**changes: Any) -> Inference:
    return Inference.model_validate({**FIXED, **changes})


def _planned(inference: Inference) -> list[dict[str, Any]]:
    """The service's objects as planned, on nodes that are in no pool."""
    deployment, *beside = service("chat", inference, MACHINES)
    anywhere(deployment)
    return [deployment, *beside, *monitor("chat", inference), *scaling("chat", inference)]


class Site:
    """The stack of one service on a cluster."""

    def __init__(self, cluster: Rack, folder: Path) -> None:
        self.cluster, self._access = cluster, cluster.kubeconfig().read_text()
        self.inference = _service()
        self._stack = stack("scaled", "scaling", folder, self._program)

    def _program(self) -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=self._access, enable_server_side_apply=True)
        left = LEFT if self.inference.scale else {}
        Alone("chat", _planned(self.inference), pulumi.ResourceOptions(providers=[provider]), left)

    def up(self) -> set[str]:
        """Bring it about; what was done to resources."""
        return {str(getattr(each, "value", each)) for each in self._stack.up().summary.resource_changes or {}}

    def previewed(self) -> set[Any]:
        """What a preview would do."""
        return set(self._stack.preview().change_summary)

    def refresh(self) -> None:
        """Read what there is."""
        self._stack.refresh()

    def replicas(self) -> tuple[int, int]:
        """Replicas that are wanted, and that are ready."""
        found = self.cluster.get("deployment", "chat", "-n", "chat")
        return int(found["spec"]["replicas"]), int(found["status"].get("readyReplicas", 0))

    def pods(self) -> set[str]:
        """Pods of the service by identity."""
        return {each["metadata"]["uid"] for each in self.cluster.items("pods", "-n", "chat")}

    def asked(self, **load: float) -> None:
        """So many requests wait."""
        self.cluster.world.fault_handlers["requests"]({"service": "chat/chat", **load})

    def conditions(self) -> dict[str, str]:
        """KEDA's word about it."""
        found = self.cluster.get("scaledobject", "chat", "-n", "chat") or {}
        return {row["type"]: row["status"] for row in found.get("status", {}).get("conditions", []) if "type" in row}


@pytest.fixture(scope="module")
def site(cluster: Rack, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A team whose service runs with two replicas and does not scale, on a cluster with KEDA."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "scaling"], cwd=ROOT, check=True)
    cluster.apply(teams.namespace("chat", rdma=False))
    cluster.apply(*teams.inside("chat", Team(), trains=False, serves=True))
    planned = autoscaling(Operators(release="2026.10"))
    subscribe(cluster, planned)
    cluster.apply(*planned.settings)
    cluster.wait("KEDA runs", lambda: _phase(cluster) == "Installation Succeeded", 90)
    made = Site(cluster, tmp_path_factory.mktemp("stack"))
    made.up()
    return made


def _phase(cluster: Rack) -> str:
    found = cluster.get("kedacontroller", "keda", "-n", "openshift-keda") or {}
    return str(found.get("status", {}).get("phase"))


def test_a_service_scales_by_what_waits_and_nothing_of_podwright_holds_it(site: Site) -> None:
    before = site.pods()
    site.inference = _service(scale=SCALE)
    assert "replace" not in site.up()
    assert site.pods() == before and site.replicas() == (2, 2), "a service that begins to scale keeps its pods"
    site.cluster.wait("metrics are away", lambda: site.conditions().get("Fallback") == "True", 180)
    assert site.replicas() == (2, 2), "without metrics it keeps what it has"
    site.cluster.apply(monitoring(None, users=True))
    site.cluster.wait("metrics are there", lambda: site.conditions().get("Fallback") == "False", 120)
    site.asked(waiting=60)
    site.cluster.wait("as many as it may have", lambda: site.replicas() == (5, 5), 240)
    assert site.previewed() == {automation.OpType.SAME}, "the second preview is empty while it has more"
    assert site.up() == {"same"} and site.replicas() == (5, 5), "a second `up` leaves what the autoscaler chose"


def test_a_change_of_the_service_leaves_the_number_to_the_autoscaler(site: Site) -> None:
    site.inference = _service(scale=SCALE, cpus=2)
    assert "update" in site.up()
    site.cluster.wait("a rolling update", lambda: site.replicas() == (5, 5), 120)
    assert site.previewed() == {automation.OpType.SAME}, "the preview after it is empty too"
    site.refresh()
    assert site.previewed() == {automation.OpType.SAME}, "and that behind a refresh"


def test_fewer_requests_are_fewer_replicas_after_the_stay(site: Site) -> None:
    site.asked(waiting=0)
    site.cluster.wait("as few as it has at least", lambda: site.replicas() == (2, 2), 400)
    assert site.previewed() == {automation.OpType.SAME}
    # A full cache is enough; at 60 % three replicas are as many as it takes, and two as well.
    site.asked(kv_percent=95)
    site.cluster.wait("one more for the cache", lambda: site.replicas() == (3, 3), 120)
    site.asked(kv_percent=60)


def test_without_scale_the_file_says_how_many(site: Site) -> None:
    assert site.replicas() == (3, 3)
    before = site.pods()
    site.inference = _service(cpus=2)
    site.up()
    assert site.cluster.get("scaledobject", "chat", "-n", "chat") is None
    site.cluster.wait("the autoscaler is gone", lambda: not site.cluster.items("hpa", "-n", "chat"), 60)
    site.cluster.wait("as many as the file says", lambda: site.replicas() == (2, 2), 60)
    assert site.pods() < before, "those that stay are not restarted"
    assert site.previewed() == {automation.OpType.SAME}


def test_max_is_never_passed(site: Site) -> None:
    events = site.cluster.items("events", "-n", "chat")
    sizes = [each["message"] for each in events if each["reason"] == "SuccessfulRescale"]
    assert sizes and all(int(text.split("New size: ")[1].split(";")[0]) <= SCALE["max"] for text in sizes)
