"""A training pool whose every GPU and rail is held can be updated: what could not be measured is told as not proven,
nobody who holds a NIC is disturbed, and the next run after they have gone proves it.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.site import Site
from tests.e2e.standing import kubectl
from tests.e2e.test_up import proven

pytestmark = pytest.mark.rough

GUESTS = "openshift-guests"
"""A namespace of the system: nobody else puts pods on training nodes by hand."""
HELD = {"nvidia.com/gpu": "8"} | {f"openshift.io/rail{rail}": "1" for rail in range(8)}
IMAGE = "registry.example.com/theirs/train@sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270"
NOT_PROVEN = 2
"""Exit code of `accept` where a path could not be measured."""


def holder(name: str) -> dict[str, Any]:
    """A pod of somebody else that takes a whole training server."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": GUESTS},
        "spec": {
            "nodeSelector": {"podwright.io/pool": "training"},
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "train", "image": IMAGE, "resources": {"requests": HELD, "limits": HELD}}],
        },
    }


@contextmanager
def guests(site: Site) -> Iterator[None]:
    """Other people's pods on the three servers that the stack's own job leaves free."""
    pods = [holder(f"theirs-{number}") for number in range(3)]
    kubectl(site, "create", "namespace", GUESTS)
    try:
        kubectl(site, "create", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
        kubectl(site, "wait", "pods", "--all", "-n", GUESTS, "--for=condition=Ready", "--timeout=60s")
        yield
    finally:
        kubectl(site, "delete", "namespace", GUESTS, "--wait=false")
        kubectl(site, "delete", "pods", "--all", "-n", GUESTS, "--force", "--grace-period=0")
        kubectl(site, "wait", "namespace", GUESTS, "--for=delete", "--timeout=60s")


def training_pods(site: Site) -> dict[str, tuple[str, str]]:
    """Node and uid of every running pod that holds GPUs of the training pool, by `namespace/name`."""
    found: list[Any] = json.loads(kubectl(site, "get", "pods", "-A", "-o", "json"))["items"]
    return {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}": (pod["spec"]["nodeName"], pod["metadata"]["uid"])
        for pod in found
        if pod["metadata"]["namespace"] in {GUESTS, "research"} and pod["status"]["phase"] == "Running"
    }


def accept(site: Site) -> "subprocess.CompletedProcess[str]":
    return site.run([sys.executable, "-m", "podwright.cli", "accept", site.stack], check=False)


def test_a_full_cluster_is_updated_and_proven_when_it_empties(site: Site) -> None:
    tests = site.outputs()["acceptance"].keys()
    text = site.stack_file.read_text()
    try:
        with guests(site):
            before = training_pods(site)
            assert sorted(node for node, _ in before.values()) == [f"gpu-0{number}" for number in range(1, 6)]
            site.edit({"fabric/lossless": {"ecn": {"min_kbytes": 900}}})
            assert {each.name for each in site.preview() if each.type == "command:local:Command"} == {"lab-acceptance"}
            site.up()
            assert training_pods(site) == before
            left = site.outputs()["unproven"]
            assert left.keys() == tests
            told = " ".join(left.values())
            assert all(f"{node}:rail0 (held by {pod})" in told for pod, (node, _) in before.items()), left
            asked = accept(site)
            assert asked.returncode == NOT_PROVEN, asked.stdout
            assert f"{len(tests)} of {len(tests)} paths are not proven" in asked.stdout
        asked = accept(site)
        assert asked.returncode == 0, asked.stdout
    finally:
        site.stack_file.write_text(text)
        site.up()
    assert site.outputs()["unproven"] == {}
    assert proven(site).keys() == tests
    assert site.preview() == []
