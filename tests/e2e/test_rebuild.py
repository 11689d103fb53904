"""A node that was rebuilt is as bare as a new one, whatever the stack's state says: the next `up` writes it again."""

import json
import time
from typing import Any

import pytest

from tests.e2e.site import Site
from tests.e2e.standing import kubectl
from tests.e2e.test_drift import drifted

pytestmark = pytest.mark.rough

NODE = "gpu-05"
PATIENCE = 120.0
"""Seconds for a restart and for kubelet to register its node."""


def _node(site: Site) -> Any:
    found = kubectl(site, "get", "node", NODE, "-o", "json", "--ignore-not-found")
    return json.loads(found) if found.strip() else None


def _ours(node: Any) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Labels and taints that the stack writes on a node."""
    labels = {
        key: value
        for key, value in node["metadata"]["labels"].items()
        if key.startswith("podwright.io/") or key == "node-role.kubernetes.io/training"
    }
    taints = [taint for taint in node["spec"].get("taints", []) if taint["key"].startswith("podwright.io/")]
    return labels, taints


def _ready(node: Any) -> bool:
    rows = node["status"].get("conditions", []) if node else []
    return any(row["type"] == "Ready" and row["status"] == "True" for row in rows)


def test_a_rebuilt_node_is_labelled_and_tainted_again(site: Site) -> None:
    before = _node(site)
    labels, taints = _ours(before)
    assert labels["podwright.io/pool"] == "training" and taints
    kubectl(site, "delete", "node", NODE)
    site.world("POST", "/power", {"server": NODE, "action": "ForceRestart"})
    deadline = time.monotonic() + PATIENCE
    while not _ready(bare := _node(site)):
        assert time.monotonic() < deadline, "the node does not come back"
        time.sleep(0.5)
    assert bare["metadata"]["uid"] != before["metadata"]["uid"]
    assert _ours(bare) == ({}, taints), "kubelet registers with its pool's taint, before anybody else can write"
    site.up("--refresh", "--run-program")
    assert _ours(_node(site)) == (labels, taints)
    assert drifted(site) == {}


def test_an_administrators_quarantine_outlives_updates(site: Site) -> None:
    theirs = {"key": "example.com/quarantine", "value": "dimm", "effect": "NoSchedule"}
    _, ours = _ours(_node(site))
    kubectl(site, "taint", "node", NODE, "example.com/quarantine=dimm:NoSchedule")
    try:
        for _ in range(2):
            site.up("--refresh", "--run-program")
            taints = _node(site)["spec"]["taints"]
            assert theirs in taints and all(each in taints for each in ours)
        assert drifted(site) == {}
    finally:
        kubectl(site, "taint", "node", NODE, "example.com/quarantine-", "--overwrite")
