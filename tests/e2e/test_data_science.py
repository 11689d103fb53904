"""Tools of data scientists, from an empty site to its end: they come, nothing differs then, and all of it goes."""

import copy
import json
from pathlib import Path

import pytest
import yaml

from podwright.cli import world
from podwright.components import model
from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT
from tests.e2e.standing import kubectl
from tests.model.changes import Said, drop, put
from tests.model.data_science_cases import tools

pytestmark = pytest.mark.soak


def _stack() -> str:
    """The lab's stack with one server of each pool, one more without GPUs, and these tools; nothing else runs on it."""
    loaded: Said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = copy.deepcopy(loaded["config"]["podwright:cluster"])
    tools()(cluster)
    for gone in ("acceptance", "workloads", *(f"servers/gpu-0{number}" for number in range(2, 6))):
        drop(gone)(cluster)
    put("openshift/teams/research/gpus", 8)(cluster)
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def test_tools_come_and_go(make_site: MakeSite, tmp_path: Path) -> None:
    stack, rack = tmp_path / "Pulumi.stack.yaml", tmp_path / "world.yaml"
    stack.write_text(_stack())
    rack.write_text(world.text(model.load(stack)))
    site = make_site("tools", stack_text=_stack(), world=rack)
    assert site.preview() == []
    ready = '{.status.conditions[?(@.type=="Ready")].status} {.status.release.version}'
    assert (
        kubectl(site, "get", "datasciencecluster", "-o", f"jsonpath={{range .items[*]}}{ready}{{end}}") == "True 3.4.3"
    )
    sizes = json.loads(kubectl(site, "get", "hardwareprofiles", "-n", "redhat-ods-applications", "-o", "json"))["items"]
    assert {each["metadata"]["name"] for each in sizes} == {"default-profile", "inference-1g.18gb"}
    assert "api-out" in kubectl(site, "get", "networkpolicies", "-n", "chat", "-o", "name")
    assert "unchanged" in site.refresh().stdout
    section = "openshift/data_science"
    site.edit({f"{section}/components": ["pipelines"], f"{section}/pools": None})
    site.up()
    running = kubectl(site, "get", "deployments", "-n", "redhat-ods-applications", "-o", "name").split()
    named = {"rhods-dashboard", "data-science-pipelines-operator-controller-manager"}
    assert {each.removeprefix("deployment.apps/") for each in running} == named
    assert site.preview() == []
    site.destroy()
