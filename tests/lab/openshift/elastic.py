"""A training job with `min_nodes` under the real Kueue and the real Job controller, made and kept by a stack."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
from pulumi import automation

from podwright.cli import stack as known
from podwright.components.design.workloads import ADMITTED
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.objects import off_plan
from podwright.components.providers.status.verdict import AS_PLANNED, Expected
from tests.lab.openshift.gangs import conditions, placed, seen
from tests.lab.openshift.inline import Alone, stack
from tests.lab.openshift.rack import Rack
from tests.model.queue_cases import SECOND

SWEEP: dict[str, Any] = {**SECOND, "min_nodes": 2}
KEPT_SECONDS = 5
"""For which a job is watched that Kueue gives no more to: it looks at a queue again within a second of each change."""


class Site:
    """The stack of the job."""

    def __init__(self, cluster: Rack, objects: list[dict[str, Any]], folder: Path) -> None:
        self.objects, self._access = objects, cluster.kubeconfig().read_text()
        self._stack = stack("elastic", "elastic", folder / "stack", self._program)

    def _program(self) -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=self._access, enable_server_side_apply=True)
        Alone("sweep", self.objects, pulumi.ResourceOptions(providers=[provider]), ADMITTED, "training")

    def up(self) -> set[str]:
        """Bring it about; what was done to resources."""
        return {str(getattr(each, "value", each)) for each in self._stack.up().summary.resource_changes or {}}

    def unchanged(self) -> bool:
        """Whether a preview would do nothing, before and behind a refresh, and what status compares is as planned."""
        first = self._stack.preview().change_summary
        self._stack.refresh()
        return set(first) | set(self._stack.preview().change_summary) == {automation.OpType.SAME}

    async def off(self) -> list[str]:
        """What of the stack's objects is not as planned, as `podwright status` has it."""
        exported = {"deployment": self._stack.export_stack().deployment}
        planned = [each for each in known.parse(exported).manifests if each["kind"] == "Job"]
        assert planned
        return await off_plan(Kube(self._access, 20.0), planned)

    def destroy(self) -> None:
        """Take it away."""
        self._stack.destroy()


@contextmanager
def made(cluster: Rack, objects: list[dict[str, Any]], folder: Path) -> Iterator[Site]:
    """The job, which waits for its turn."""
    site = Site(cluster, objects, folder)
    site.up()
    try:
        yield site
    finally:
        site.destroy()


def _job(cluster: Rack) -> dict[str, Any]:
    found = cluster.get("job", "sweep", "-n", "research")
    assert found is not None
    return dict(found)


def _size(cluster: Rack) -> tuple[int, int]:
    spec = _job(cluster)["spec"]
    return int(spec["parallelism"]), int(spec["completions"])


def _said(cluster: Rack) -> list[tuple[str, str]]:
    found = diagnose(seen(cluster), [Expected("Job", "research", "sweep", 3)])
    return [(each.state, each.reason) for each in found if each.name == "sweep"]


def starts_with_two(cluster: Rack, site: Site) -> None:
    """Two servers are left, and that is enough. Nothing of podwright holds what Kueue wrote."""
    cluster.wait("two of three", lambda: len(placed(cluster, "sweep")) == 2)
    assert _size(cluster) == (2, 2)
    assert "--nnodes=2:3" in _job(cluster)["spec"]["template"]["spec"]["containers"][0]["command"]
    ((state, reason),) = _said(cluster)
    assert state in AS_PLANNED and reason.startswith("runs with 2 of 3 members: ")
    assert site.unchanged() and asyncio.run(site.off()) == []
    labels = site.objects[1]["metadata"]["labels"]
    site.objects[1]["metadata"]["labels"] = {**labels, "example.com/cost-centre": "4711"}
    assert site.up() == {"same", "update"} and _size(cluster) == (2, 2)
    assert site.unchanged() and len(placed(cluster, "sweep")) == 2
    change = json.dumps({"spec": {"parallelism": 3, "completions": 3}})
    refused = cluster.kubectl("patch", "job", "sweep", "-n", "research", "--type=merge", "-p", change, check=False)
    assert "cannot change when partial admission is enabled and the job is not suspended" in refused


def others_wait_whole(cluster: Rack, gang: list[dict[str, Any]]) -> None:
    """A job of three has no part of what is left."""
    cluster.apply(*gang)
    asked = [Expected("Job", "research", "second", 3)]

    def words() -> list[str]:
        return [each.reason for each in diagnose(seen(cluster), asked) if each.name == "second"]

    cluster.wait("it waits", lambda: "insufficient unused quota for nvidia.com/gpu" in words()[0])
    assert placed(cluster, "second") == []
    cluster.kubectl("delete", "job", "second", "-n", "research")


def stays_with_two(cluster: Rack, site: Site) -> None:
    """Three servers are free, and Kueue gives a job that runs no more of them."""
    cluster.wait("the other gang's end", lambda: "Complete" in conditions(cluster, "job", "pretrain", "-n", "research"))
    until = time.monotonic() + KEPT_SECONDS
    while time.monotonic() < until:
        assert _size(cluster) == (2, 2) and len(placed(cluster, "sweep")) == 2
        time.sleep(0.5)
    assert site.unchanged()


def starts_anew_with_three(cluster: Rack, site: Site) -> None:
    """Stopped by Kueue it asks for all of its members again, and there is room for them now."""
    (workload,) = (
        each["metadata"]["name"]
        for each in cluster.items("workloads.kueue.x-k8s.io", "-n", "research")
        if each["metadata"]["ownerReferences"][0]["name"] == "sweep"
    )

    def active(value: bool) -> None:
        spec = json.dumps({"spec": {"active": value}})
        cluster.kubectl("patch", "workload.kueue.x-k8s.io", workload, "-n", "research", "--type=merge", "-p", spec)

    active(False)
    cluster.wait("it is stopped", lambda: _job(cluster)["spec"]["suspend"] and _size(cluster) == (3, 3))
    active(True)
    cluster.wait("all of its members", lambda: len(placed(cluster, "sweep")) == 3)
    assert _said(cluster) == [] and site.unchanged()
