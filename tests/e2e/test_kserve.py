"""A service goes over to KServe and back, on a site that `up` has brought up: somebody serves all the while."""

import copy
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from podwright.cli import world
from podwright.components import model
from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.model.changes import Said, both, drop, put
from tests.model.data_science_cases import DESKS, TOOLS

pytestmark = pytest.mark.soak
CHAT = "workloads/inference/chat"
PAUSE_SECONDS = 0.5


def _stack() -> str:
    """The lab's stack with one server of each pool, one more without GPUs, KServe, and a service of two replicas."""
    loaded: Said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = copy.deepcopy(loaded["config"]["podwright:cluster"])
    both(DESKS, put(TOOLS, {"components": ["kserve"], "teams": ["chat"]}), put(f"{CHAT}/replicas", 2))(cluster)
    for gone in ("acceptance", "workloads/training", *(f"servers/gpu-0{number}" for number in range(2, 6))):
        drop(gone)(cluster)
    put("openshift/teams/research/gpus", 8)(cluster)
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def _serving(site: Site) -> int:
    """Pods of the service that its Service leads to."""
    label = "app.kubernetes.io/name=chat"
    found = json.loads(kubectl(site, "get", "pods", "-n", "chat", "-l", label, "-o", "json"))["items"]
    rows = [row for each in found for row in each["status"].get("conditions", []) if row["type"] == "Ready"]
    return sum(row["status"] == "True" for row in rows)


@contextmanager
def _watched(site: Site) -> Iterator[list[int]]:
    """How many serve, time and again."""
    seen: list[int] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.append(_serving(site))
            over.wait(PAUSE_SECONDS)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def _deployments(site: Site) -> set[str]:
    names = kubectl(site, "get", "deployments", "-n", "chat", "-o", "name").split()
    return {each.removeprefix("deployment.apps/") for each in names}


def test_a_service_goes_over_to_kserve_and_back_while_it_serves(make_site: MakeSite, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "kserve"], cwd=ROOT, check=True)
    stack, rack = tmp_path / "Pulumi.stack.yaml", tmp_path / "world.yaml"
    stack.write_text(_stack())
    rack.write_text(world.text(model.load(stack)))
    site = make_site("kserve", stack_text=_stack(), world=rack)
    assert site.preview() == [] and _deployments(site) == {"chat"}
    for kind, name in (("kserve", "chat-predictor"), ("deployment", "chat")):
        site.edit({f"{CHAT}/kind": kind})
        with _watched(site) as seen:
            site.up()
        assert min(seen) >= 2 and max(seen) > 2, "the new ones stand beside the old ones"
        assert _deployments(site) == {name} and _serving(site) == 2
        assert site.preview() == []
    site.edit({f"{CHAT}/kind": "kserve"})
    site.up()
    (served,) = (each for each in site.export()["deployment"]["resources"] if each["type"].endswith(":Served"))
    assert served["outputs"]["url"].startswith("http://chat")
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    site.destroy()
