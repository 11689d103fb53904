"""A site whose host ports route: a training job runs over the rails of two leaf groups, by one attachment per rail."""

import json
from pathlib import Path
from typing import Any

import pytest

from podwright.cli import world
from podwright.components import model
from podwright.components.design import fabric
from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.waiting import until

pytestmark = pytest.mark.rough

STACK = ROOT / "tests/examples/routed/Pulumi.routed.yaml"
SPEED = 8 * 400
"""Gb/s of a server's rails together."""
PATIENCE = 120.0


def _pods(site: Site, job: str) -> list[Any]:
    found = json.loads(kubectl(site, "get", "pods", "-n", "research", "-l", f"job-name={job}", "-o", "json"))
    return [each for each in found["items"] if each["status"]["phase"] == "Running"]


def _addresses(pod: Any) -> dict[int, str]:
    """Address by rail, as Multus reports it."""
    rows = json.loads(pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/network-status"])
    return {int(row["interface"].removeprefix("rail")): row["ips"][0] for row in rows if not row.get("default")}


def _rates(site: Site) -> list[Any]:
    return [row for row in site.world("GET", "/pods")["pods"] if row["namespace"] == "research"]


def test_a_job_runs_over_routed_rails_of_two_leaf_groups(make_site: MakeSite, tmp_path: Path) -> None:
    cluster = model.load(STACK)
    rack = tmp_path / "world.yaml"
    rack.write_text(world.text(cluster))
    site = make_site("routed", stack_text=STACK.read_text(), world=rack)

    until(lambda: len(_pods(site, "pretrain")) == 4, PATIENCE, "four members run")
    pods = _pods(site, "pretrain")
    nodes = {pod["spec"]["nodeName"]: pod for pod in pods}
    assert {cluster.servers[name].group for name in nodes} == {1, 2}
    ports = fabric.plan(cluster.network).host_ports
    for name, pod in nodes.items():
        assert _addresses(pod) == {rail: str(ports[name, rail].address) for rail in range(8)}
    until(lambda: len(_rates(site)) == 4, PATIENCE, "all members talk")
    for row in _rates(site):
        assert row["reasons"] == [] and row["of"] == SPEED and row["gbps"] > 0.9 * SPEED, row

    attachments = json.loads(kubectl(site, "get", "net-attach-def", "-n", "research", "-o", "json"))["items"]
    assert {each["metadata"]["name"] for each in attachments} == {f"research-rail{rail}" for rail in range(8)}
    assert site.outputs()["unproven"] == {}
    assert site.preview() == []

    # What decides addresses is compared like everything else: a hand's change is found and undone.
    patch = json.dumps([{"op": "replace", "path": "/spec/staticAllocations/0/prefix", "value": "10.64.8.100/31"}])
    home = "nvidia-network-operator"
    kubectl(site, "patch", "cidrpool", "rail0", "-n", home, "--type=json", "-p", patch)
    assert [change.name for change in site.preview("--refresh", "--run-program")] != []
    site.up("--refresh", "--run-program")
    pool = json.loads(kubectl(site, "get", "cidrpool", "rail0", "-n", home, "-o", "json"))
    first = pool["status"]["allocations"][0]
    assert first["prefix"] == f"{ports[first['nodeName'], 0].gateway}/31"
    assert site.preview() == []
