"""The production site from unclaimed hardware to Ready nodes; then a blade and a C885A are replaced in one update."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.openshift import handover
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.replaced import reported
from podwright.components.providers.openshift.waiting import NODES, is_ready
from tests.e2e.prod import SERVERS, account, claim, delivered
from tests.e2e.site import Site
from tests.e2e.test_inventories import ask

pytestmark = pytest.mark.rough

BLADE, RACK = "inf-02", "gpu-07"
SERIALS = {BLADE: "FCH26219922", RACK: "WZP26229907"}
OWN = "podwright.io/"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = delivered(tmp_path / "site", "cluster-of-a-stack", "intersight,redfish,openshift")
    yield made
    assert not made.lab_errors()
    made.lab_down()


def nodes(site: Site) -> dict[str, Any]:
    kube = Kube(site.outputs()["kubeconfig"])
    return {each["metadata"]["name"]: each for each in asyncio.run(kube.get(NODES))["items"]}


def marks(node: Any) -> tuple[dict[str, str], list[Any]]:
    """What our stack gave a node: labels and taints."""
    taints = [each for each in node["spec"].get("taints") or [] if each["key"].startswith(OWN)]
    return {key: value for key, value in node["metadata"]["labels"].items() if key.startswith(OWN)}, taints


def boots(site: Site) -> dict[str, int]:
    servers = site.world("GET", "/state")["servers"]
    return {name: each["boots"] for name, each in servers.items() if name not in SERIALS}


def test_prod_installs_from_unclaimed_hardware_and_two_machines_are_replaced(site: Site) -> None:
    api = account(site)
    claim(site, api)
    site.pulumi("up", "--yes", "--skip-preview")
    before = nodes(site)
    assert set(before) == set(SERVERS) and all(map(is_ready, before.values()))
    assert all(marks(before[name])[0] for name in SERIALS)
    running = boots(site)

    # At the rack: another blade in the slot, another server on the same cables. A blade keeps the MACs of its profile.
    text = (site.folder / "stack.yaml").read_text()
    machines = {}
    for name, serial in SERIALS.items():
        machines[name] = site.world("POST", "/fault", {"kind": "replace", "server": name, "serial": serial})
        text = text.replace(SERVERS[name]["serial"], serial)
    text = text.replace(SERVERS[RACK]["boot_mac"], machines[RACK]["boot_mac"])
    text = text.replace(SERVERS[RACK]["bond_mac"], "02:25:b5:00:03:f7")
    (site.folder / "stack.yaml").write_text(text)
    site.pulumi("up", "--yes", "--skip-preview")

    after = nodes(site)
    assert set(after) == set(SERVERS) and all(map(is_ready, after.values()))
    for name, node in after.items():
        assert reported(node) == (machines[name]["uuid"] if name in machines else reported(before[name]))
        assert marks(node) == marks(before[name])
        assert not node["spec"].get("unschedulable")
    assert boots(site) == running
    assert asyncio.run(handover.records(Kube(site.outputs()["kubeconfig"]))) == []
    listed = {each["Serial"] for each in ask(api, "GET", "compute/Blades")["Results"]}
    assert SERIALS[BLADE] in listed and SERVERS[BLADE]["serial"] not in listed
    writes = site.writes()
    site.pulumi("preview", "--refresh", "--run-program", "--expect-no-changes")
    site.pulumi("up", "--yes", "--skip-preview", "--refresh", "--run-program")
    assert site.writes() == writes
