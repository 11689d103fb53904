"""Another MIG layout in the stack file reaches GPUs that are in use, and the service that uses them, in one `up`."""

import json
from typing import Any

import pytest

from tests.e2e.site import Site
from tests.e2e.standing import kubectl
from tests.e2e.test_drift import drifted

pytestmark = pytest.mark.rough

ANOTHER = {
    "pools/inference/mig": "all-3g.71gb",
    "openshift/teams/chat/slices": {"3g.71gb": 8},
    "workloads/inference/chat/slice": "3g.71gb",
}


def _limits(site: Site) -> list[tuple[str, str]]:
    """(phase, slice) of each pod of the service."""
    pods: list[Any] = json.loads(kubectl(site, "get", "pods", "-n", "chat", "-o", "json"))["items"]
    kept = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    return [
        (pod["status"]["phase"], key)
        for pod in kept
        for key in pod["spec"]["containers"][0]["resources"]["limits"]
        if key.startswith("nvidia.com/")
    ]


def test_a_layout_of_busy_gpus_changes_in_one_up(site: Site) -> None:
    before = site.stack_file.read_text()
    assert _limits(site) == [("Running", "nvidia.com/mig-1g.18gb")] * 4
    site.edit(ANOTHER)
    try:
        moved = {change.name: change.paths for change in site.preview() if change.type.endswith(":Rollout")}
        assert moved == {"lab-inference-rollout": ("spec.nodes[0].mig.layout", "spec.nodes[0].mig.resources[0]")}
        told = site.up().stdout
        assert "goes although held by PodDisruptionBudget chat/chat" in told
        assert _limits(site) == [("Running", "nvidia.com/mig-3g.71gb")] * 4
        assert site.preview() == []
        kubectl(site, "label", "node", "inf-01", "nvidia.com/mig.config=all-1g.18gb", "--overwrite")
        assert [urn.rpartition("::")[2] for urn in drifted(site)] == ["lab-inference-rollout"]
    finally:
        site.stack_file.write_text(before)
        site.up("--refresh", "--run-program")
    assert _limits(site) == [("Running", "nvidia.com/mig-1g.18gb")] * 4
    assert drifted(site) == {}
