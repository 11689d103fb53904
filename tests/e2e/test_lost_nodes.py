"""Nodes that are given up, from an empty site to its end: operators and checks come, the second preview is empty."""

import copy

import pytest
import yaml

from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT
from tests.e2e.standing import kubectl
from tests.model.changes import Said, drop, put

pytestmark = pytest.mark.soak


def _stack() -> str:
    """The lab's stack with a watched pool, and no acceptance."""
    loaded: Said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = copy.deepcopy(loaded["config"]["podwright:cluster"])
    put("openshift/lost_nodes", {"pools": ["training"]})(cluster)
    drop("acceptance")(cluster)
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def test_operators_and_checks_come_and_go(make_site: MakeSite) -> None:
    site = make_site("watched", stack_text=_stack())
    assert site.preview() == []
    phase = ("get", "nodehealthcheck", "training", "-o", "jsonpath={.status.phase} {.status.healthyNodes}")
    assert kubectl(site, *phase) == "Enabled 5"
    home = ("-n", "openshift-workload-availability")
    tolerated = kubectl(site, "get", "selfnoderemediationconfig", *home, "-o", "jsonpath={.items[*].spec}")
    assert "podwright.io/pool" in tolerated and "watchdogFilePath" in tolerated
    screen = site.run([str(ROOT / ".venv/bin/podwright"), "status", "lab"], check=False).stdout
    assert "given up" not in screen and "never given up" not in screen
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    site.destroy()
