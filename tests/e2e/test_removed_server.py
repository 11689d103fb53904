"""A server that leaves the stack file is drained, switched off and no node any more, also when its labels go."""

import json
import re
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
    _refused_in_preview(site)
    site.edit({f"servers/{GONE}": None})
    site.up()
    assert site.world("GET", "/state")["servers"][GONE]["power"] == "Off"
    for _ in range(LOOKS):
        assert _nodes(site) == servers - {GONE}
        time.sleep(0.5)
    assert GONE not in _status(site)


def _refused_in_preview(site: Site) -> None:
    """What no running cluster can be given stops the preview at its place."""
    before = site.stack_file.read_text()
    site.edit({f"servers/{GONE}/address": "192.0.2.199"})
    done = site.pulumi("preview", check=False)
    assert done.returncode != 0
    told = " ".join((done.stdout + done.stderr).split())
    assert re.search(r"spec\.hosts\[\d+\]\.address", told), told[-2000:]
    assert f"{GONE} keeps the address it was installed with: write 192.0.2.145 again" in told
    site.stack_file.write_text(before)


def _status(site: Site) -> str:
    command = [str(site.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", site.stack]
    return site.run(command, check=False).stdout
