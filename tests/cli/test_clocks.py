"""What `podwright status` makes of pools without the site's time servers."""

from typing import Any

from podwright.cli.clocks import clocks
from podwright.components.providers.status.snapshot import Snapshot


def _pool(name: str, *sources: str) -> dict[str, Any]:
    rows = [{"apiVersion": "v1", "kind": "MachineConfig", "name": each} for each in sources]
    return {"metadata": {"name": name}, "status": {"configuration": {"name": f"rendered-{name}", "source": rows}}}


def _seen(*pools: dict[str, Any]) -> list[str]:
    return list(clocks(Snapshot({"MachineConfigPool": pools})))


def test_every_pool_of_workers_takes_the_workers_servers() -> None:
    assert _seen(_pool("master", "99-master-chrony"), _pool("worker", "99-worker-chrony")) == []
    assert _seen(_pool("training", "00-worker", "99-worker-chrony", "99-training-generated-kubelet")) == []


def test_a_pool_without_them_is_named_and_what_to_look_at() -> None:
    (only,) = _seen(_pool("master", "00-master", "99-worker-chrony"), _pool("worker", "99-worker-chrony"))
    assert "nodes of pool master" in only and "MachineConfig 99-master-chrony" in only
    (only,) = _seen(_pool("training", "00-worker", "50-workers-chrony-configuration"))
    assert "nodes of pool training" in only and "oc describe machineconfigpool training" in only


def test_a_pool_that_has_rendered_nothing_is_no_finding() -> None:
    assert _seen({"metadata": {"name": "new"}}) == []
