"""A site with a team in the service mesh, from an empty rack to its end; in between the mesh is taken away again."""

import copy
import json
import sys
from pathlib import Path

import pytest
import yaml

from podwright.cli import world
from podwright.components import model
from podwright.components.providers.openshift.gateway_mode import mode_of
from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.model.changes import Said, both, drop, put
from tests.model.data_science_cases import DESKS
from tests.waiting import until

pytestmark = pytest.mark.soak
PODWRIGHT = str(Path(sys.executable).with_name("podwright"))


def _stack() -> str:
    """The lab's stack with one server of each pool, one more without GPUs, and a service with a Route in the mesh."""
    loaded: Said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = copy.deepcopy(loaded["config"]["podwright:cluster"])
    both(
        DESKS,
        put("openshift/version", "4.22.3"),
        put("operators/release", "2026.10"),
        put("openshift/service_mesh", {"teams": ["chat"]}),
        put("openshift/team_isolation", {}),
        put("openshift/user_workload_monitoring", True),
        put("openshift/teams/research/gpus", 8),
        put("workloads/inference/chat/replicas", 2),
        put("workloads/inference/chat/metrics", True),
        put("workloads/inference/chat/route", {"host": "chat.apps.lab.example.com"}),
    )(cluster)
    for gone in ("acceptance", "workloads/training", *(f"servers/gpu-0{number}" for number in range(2, 6))):
        drop(gone)(cluster)
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def _modes(site: Site) -> set[str]:
    """Gateway modes of all nodes."""
    nodes = json.loads(kubectl(site, "get", "nodes", "-o", "json"))["items"]
    return {mode_of(each) for each in nodes}


def test_a_team_comes_into_the_mesh_and_leaves_it_again(make_site: MakeSite, tmp_path: Path) -> None:
    stack, rack = tmp_path / "Pulumi.stack.yaml", tmp_path / "world.yaml"
    stack.write_text(_stack())
    rack.write_text(world.text(model.load(stack)))
    site = make_site("mesh", stack_text=_stack(), world=rack)
    assert site.preview() == []
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    screen = site.run([PODWRIGHT, "status", site.stack]).stdout
    assert "all as planned" in screen and "Service Mesh 3.3.5" in screen
    assert ": 0 findings, " in site.run([PODWRIGHT, "audit", site.stack]).stdout
    taken_in = ("get", "pods", "-n", "chat", "-o", "jsonpath={.items[*].metadata.annotations}")
    assert "ambient.istio.io/redirection" in kubectl(site, *taken_in)
    assert _modes(site) == {"local"}
    site.edit({"openshift/service_mesh": None})
    site.up()
    assert site.preview() == []
    assert "ambient.istio.io/redirection" not in kubectl(site, *taken_in)
    assert kubectl(site, "get", "peerauthentications", "-n", "chat", "-o", "name") == ""
    until(lambda: _modes(site) == {"shared"}, 120, "nodes go back to their mode")
    site.destroy()
    assert site.export()["deployment"].get("resources", []) == []
