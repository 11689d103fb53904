"""A node that was rebuilt is as bare as a new one, whatever the stack's state says: the next `up` writes it again."""

import json
import os
import random
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


@pytest.mark.timeout(1800)  # `make soak SUITE=quarantine`: ten updates
def test_taints_of_others_outlive_updates(site: Site) -> None:
    """`PODWRIGHT_QUARANTINE_UPDATES` of them (two, if it is not set), drawn by `PODWRIGHT_QUARANTINE_SEED`."""
    lots = random.Random(int(os.environ.get("PODWRIGHT_QUARANTINE_SEED", "1")))
    found = json.loads(kubectl(site, "get", "nodes", "-o", "json"))["items"]
    nodes = [node["metadata"]["name"] for node in found]
    theirs: dict[tuple[str, str, str], str] = {}
    ours = {name: _ours(_other(site, name))[1] for name in nodes}
    assert any(ours.values())
    try:
        for _ in range(int(os.environ.get("PODWRIGHT_QUARANTINE_UPDATES", "2"))):
            for _ in range(lots.randint(1, 3)):
                where = (lots.choice(nodes), f"example.com/{lots.choice(('quarantine', 'burn-in'))}", "NoSchedule")
                if where in theirs and lots.random() < 0.3:
                    _taint(site, where, "-")
                    del theirs[where]
                else:
                    theirs[where] = f"v{lots.randrange(1000)}"
                    _taint(site, where, theirs[where])
            site.up("--refresh", "--run-program")
            for name in nodes:
                taints = _other(site, name)["spec"].get("taints") or []
                known = {each["key"]: each.get("value") for each in taints if each["key"].startswith("example.com/")}
                assert known == {key: value for (node, key, _), value in theirs.items() if node == name}
                assert all(each in taints for each in ours[name])
        assert drifted(site) == {}
    finally:
        for where in theirs:
            _taint(site, where, "-")


def _other(site: Site, name: str) -> Any:
    return json.loads(kubectl(site, "get", "node", name, "-o", "json"))


def _taint(site: Site, where: tuple[str, str, str], value: str) -> None:
    node, key, effect = where
    word = f"{key}:{effect}-" if value == "-" else f"{key}={value}:{effect}"
    kubectl(site, "taint", "node", node, word, "--overwrite")
