"""Parts of the service mesh on the status screen: named with what follows and the operator's reason."""

from typing import Any

from podwright.components.providers.status.mesh import unready
from podwright.components.providers.status.snapshot import Snapshot


def _part(status: str, **more: str) -> dict[str, Any]:
    row = {"type": "Ready", "status": status, **more}
    return {"metadata": {"name": "default"}, "status": {"conditions": [row]}}


def test_a_part_that_is_not_ready_is_named_with_what_follows() -> None:
    missing = _part("False", reason="DaemonSetNotReady", message="2 of 5 pods are ready")
    seen = Snapshot({"Istio": (_part("True"),), "ZTunnel": (missing,)})
    assert list(unready(seen)) == [
        "ZTunnel default is not ready, so that pods in the mesh of some node reach nobody: DaemonSetNotReady: "
        "2 of 5 pods are ready"
    ]
    assert list(unready(Snapshot())) == []
