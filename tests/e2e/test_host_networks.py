"""VLANs and the bond on the storage pair reach nodes that run by `up`, and leave them; NMState's rollback ends it."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli import world
from podwright.components import model
from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

EXAMPLE = ROOT / "tests/examples/pairs/Pulumi.pairs.yaml"
VLAN = "fabric/frontend/vlans/backup"
PORT = "fabric/frontend/ports/gpu-01/vlans"
STORED, NFS = "servers/gpu-01/storage_macs", "fabric/storage/vlans/nfs/hosts"
MACS = ["02:00:00:00:04:01", "02:00:00:00:04:02"]
BACKUP = {"id": 40, "subnet": "10.40.0.0/24", "purpose": "services", "hosts": True}


def _stack(stored: bool) -> str:
    """The pairs and their hosts, without what else the example shows; the bond on the storage pair if `stored`."""
    loaded = yaml.safe_load(EXAMPLE.read_text())
    cluster = loaded["config"]["podwright:cluster"]
    for name in ("workloads", "acceptance"):
        del cluster[name]
    for name in ("baseline", "day0", "dlb"):
        del cluster["fabric"][name]
    if not stored:
        del cluster["servers"]["gpu-01"]["storage_macs"], cluster["fabric"]["storage"]["vlans"]["nfs"]["hosts"]
    return yaml.safe_dump(loaded, sort_keys=False, width=200)


def _interfaces(site: Site, kind: str) -> dict[str, Any]:
    state = json.loads(kubectl(site, "get", "nodenetworkstates", "gpu-01", "-o", "json"))["status"]["currentState"]
    return {row["name"]: row for row in state["interfaces"] if row["type"] == kind}


def _vlans(site: Site) -> dict[str, Any]:
    return _interfaces(site, "vlan")


def test_vlans_reach_a_node_that_runs_and_leave_it(make_site: MakeSite, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.stack.yaml").write_text(_stack(stored=True))
    rack = tmp_path / "world.yaml"
    rack.write_text(world.text(model.load(tmp_path / "Pulumi.stack.yaml")))
    site = make_site("pairs", stack_text=_stack(stored=False), world=rack)
    assert set(_vlans(site)) == {"boot0.30"}, "as it was installed"
    assert site.preview() == []

    site.edit({VLAN: BACKUP, PORT: [10, 30, 40]})
    site.up()
    made = _vlans(site)["boot0.40"]
    assert made["ipv4"]["address"] == [{"ip": "10.40.0.141", "prefix-length": 24}]
    assert made["vlan"]["base-iface"] not in ("boot0", ""), "as the node's kernel calls it"
    assert site.preview() == []

    site.world("POST", "/fault", {"kind": "host-network", "server": "gpu-01", "loses_gateway": True})
    site.edit({f"{VLAN}/subnet": "10.41.0.0/24"})
    failed = site.pulumi("up", "--yes", "--skip-preview", check=False)
    assert failed.returncode
    assert "gpu-01: rolled back by NMState" in failed.stdout + failed.stderr
    assert _vlans(site)["boot0.40"] == made
    site.world("POST", "/fault", {"kind": "host-network", "server": "gpu-01", "loses_gateway": False})
    site.up()
    assert _vlans(site)["boot0.40"]["ipv4"]["address"] == [{"ip": "10.41.0.141", "prefix-length": 24}]

    site.edit({VLAN: None, PORT: [10, 30]})
    site.up()
    assert set(_vlans(site)) == {"boot0.30"}
    assert site.preview() == []

    site.edit({STORED: MACS, NFS: True})
    site.up()
    bond = _interfaces(site, "bond")["bond1"]
    assert bond["ipv4"]["address"] == [{"ip": "10.20.0.141", "prefix-length": 24}]
    assert bond["link-aggregation"]["port"] == [f"enx{mac.replace(':', '')}" for mac in MACS], (
        "as the kernel calls them"
    )
    assert site.preview() == []

    site.edit({STORED: None, NFS: None})
    site.up()
    assert not _interfaces(site, "bond")
    assert site.preview() == []
