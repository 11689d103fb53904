"""What one `up` leaves: running pods on the right pools, and nothing more to do."""

import asyncio
import re

import pytest

from podwright.cli import stack
from podwright.components.providers.openshift.kube import Kube
from tests.e2e.site import Site
from tests.e2e.test_drift import drifted

pytestmark = pytest.mark.e2e

PLACES = {"chat": ("inference", 4), "research": ("training", 2)}
"""Namespace of a team: the pool that its pods must be on, and how many."""


def test_all_pods_run_on_the_right_pools(site: Site) -> None:
    kube = Kube(site.outputs()["kubeconfig"])
    nodes = asyncio.run(kube.get("/api/v1/nodes"))["items"]
    pools = {node["metadata"]["name"]: node["metadata"]["labels"].get("podwright.io/pool") for node in nodes}
    assert sorted(pools) == ["cp-01", "cp-02", "cp-03", "gpu-01", "gpu-02", "gpu-03", "gpu-04", "gpu-05", "inf-01"]
    for namespace, (pool, count) in PLACES.items():
        pods = asyncio.run(kube.get(f"/api/v1/namespaces/{namespace}/pods"))["items"]
        found = [(pod["status"]["phase"], pools[pod["spec"]["nodeName"]]) for pod in pods]
        assert found == [("Running", pool)] * count
    everything = asyncio.run(kube.get("/api/v1/pods"))["items"]
    assert {pod["status"]["phase"] for pod in everything} <= {"Running", "Succeeded"}


def test_acceptance_measured_every_path_at_line_rate(site: Site) -> None:
    asked: dict[str, int] = site.outputs()["acceptance"]
    measured = proven(site)
    assert len(asked) == 10, "eight rails, and the spine both ways"
    assert measured.keys() == asked.keys()
    assert min(measured.values()) >= min(asked.values()) == 360
    assert site.outputs()["unproven"] == {}


def proven(site: Site) -> dict[str, int]:
    """Gb/s by test, of those that passed in the last `up` that ran them."""
    printed = stack.parse(site.export()).acceptance
    return {name: int(rate) for name, rate in re.findall(r"^ok +(\S+): (\d+) of ", printed, re.MULTILINE)}


def test_the_sites_time_servers_came_without_a_restart_of_the_control_plane(site: Site) -> None:
    kube = Kube(site.outputs()["kubeconfig"])
    events = asyncio.run(kube.get("/api/v1/events?fieldSelector=reason%3DServiceRestart"))["items"]
    named = {each["involvedObject"]["name"] for each in events if "chronyd.service was restarted" in each["message"]}
    assert {"cp-01", "cp-02", "cp-03"} <= named


def test_nothing_is_left_to_do_and_nothing_is_written(site: Site) -> None:
    before = site.writes()
    assert min(before.values()) > 0
    assert site.preview() == []
    assert drifted(site) == {}
    told = site.refresh().stdout
    assert "unchanged" in told
    assert "updated" not in told.rpartition("Resources:")[2]
    assert site.preview() == []
    told = site.up().stdout.rpartition("Resources:")[2]
    assert "unchanged" in told
    assert not any(word in told for word in ("created", "updated", "deleted", "replaced"))
    assert site.writes() == before


def test_status_compares_every_object_that_up_made(site: Site) -> None:
    """Last: it takes a policy and a budget away, and puts them back as they were."""
    command = [str(site.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", site.stack]
    before = site.writes()
    assert "all as planned" in site.run(command).stdout
    assert site.writes() == before, "a status screen writes nothing"
    kube = Kube(site.outputs()["kubeconfig"])
    paths = (
        "/apis/networking.k8s.io/v1/namespaces/research/networkpolicies/default-deny",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/research/rolebindings/podwright-rdma",
    )
    taken = {path: asyncio.run(kube.get(path)) for path in paths}
    for path in paths:
        asyncio.run(kube.remove(path))
    try:
        shown = site.run(command, check=False).stdout
    finally:
        for path, each in taken.items():
            kept = {key: each["metadata"][key] for key in ("name", "namespace", "labels", "annotations")}
            asyncio.run(kube.request("POST", path.rpartition("/")[0], {**each, "metadata": kept}))
    assert "not as planned, see below" in shown
    assert "NetworkPolicy research/default-deny is not there" in shown
    assert "RoleBinding research/podwright-rdma is not there" in shown
