"""A server that leaves the stack file is drained, switched off and no node any more, also when its labels go."""

import json
import time

import pytest

from tests.e2e.conftest import MakeSite
from tests.e2e.site import Site
from tests.e2e.standing import kubectl

pytestmark = pytest.mark.rough

GONE = "gpu-05"
LOOKS = 10


def _nodes(site: Site) -> set[str]:
    found = json.loads(kubectl(site, "get", "nodes", "-o", "json"))
    return {node["metadata"]["name"] for node in found["items"]}


def test_a_removed_server_does_not_come_back(make_site: MakeSite) -> None:
    site = make_site("leaving", brought_up=False)
    without = dict.fromkeys(("workloads", "acceptance", "operators", "openshift/teams"))
    site.edit(without)
    site.up()
    servers = _nodes(site)
    assert GONE in servers
    assert "no server of the stack file" not in _status(site)
    site.edit({f"servers/{GONE}": None})
    site.up()
    assert site.world("GET", "/state")["servers"][GONE]["power"] == "Off"
    for _ in range(LOOKS):
        assert _nodes(site) == servers - {GONE}
        time.sleep(0.5)
    assert GONE not in _status(site)


def _status(site: Site) -> str:
    command = [str(site.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", site.stack]
    return site.run(command, check=False).stdout
