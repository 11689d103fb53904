"""OpenShift's own pods on the status screen: as planned only where each runs on the pool that the file has for them."""

from typing import Any

import pytest

from podwright.cli.infrastructure import placement
from podwright.components.model import load
from podwright.components.providers.status.snapshot import Snapshot
from tools.generated import ROOT

CLUSTER = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
TAINTED = "0/3 nodes are available: 2 node(s) had untolerated taint {podwright.io/pool: infra}"


def _pod(name: str, node: str | None, **more: Any) -> dict[str, Any]:
    status = {"conditions": [{"type": "PodScheduled", "status": "False", "message": TAINTED}]} if node is None else {}
    return {"metadata": {"name": name, **more}, "spec": {"nodeName": node} if node else {}, "status": status}


def _snapshot(*routers: dict[str, Any], monitoring: tuple[dict[str, Any], ...] = ()) -> Snapshot:
    return Snapshot({"RouterPod": routers, "MonitoringPod": monitoring or (_pod("prometheus-k8s-0", "infra-01"),)})


def _off(snapshot: Snapshot) -> tuple[str, ...]:
    found = placement(CLUSTER, snapshot)
    assert found is not None
    return found.off


def test_each_on_its_pool_is_as_planned() -> None:
    snapshot = _snapshot(_pod("router-a", "infra-01"), _pod("router-b", "infra-02"))
    found = placement(CLUSTER, snapshot)
    assert found is not None and found.off == () and found.text.startswith("3 pods of OpenShift's routers")


def test_one_that_is_about_to_end_has_a_successor() -> None:
    leaving = _pod("router-c", "cp-01", deletionTimestamp="2026-11-25T10:00:00Z")
    assert _off(_snapshot(_pod("router-a", "infra-01"), _pod("router-b", "infra-02"), leaving)) == ()


def test_one_elsewhere_or_on_no_node_is_named_with_the_reason() -> None:
    found = _off(_snapshot(_pod("router-a", "gpu-01"), _pod("router-b", None)))
    assert found == (
        "0 of 2 routers are on pool infra",
        "router-a is on gpu-01, not on pool infra",
        f"router-b is on no node: {TAINTED}",
    )


@pytest.mark.parametrize("kinds", [{}, {"RouterPod": (_pod("router-a", "infra-01"), _pod("router-b", "infra-02"))}])
def test_a_cluster_without_these_pods_is_not_as_planned(kinds: dict[str, Any]) -> None:
    assert "no pod of OpenShift's monitoring runs" in _off(Snapshot(kinds))
