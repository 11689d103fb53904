"""Firmware of servers with a controller of their own, through the roll-out of their pool on an installed cluster."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest

from podwright.components.providers.openshift.drain import CORDONED
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import CheckContext, Incomplete
from podwright.components.providers.redfish import upgrade
from podwright.lab.redfish import restarts
from tests.providers.openshift.conftest import BY_TOKEN, Rack

INSTALL, ROLLOUT = BY_TOKEN["Install"], BY_TOKEN["Rollout"]
NEW = {"BMC": "4.4(1a)", "BIOS": "4.4.1a.0"}
POOL = ("gpu-01", "gpu-02")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade, "PAUSE", 0.1)
    monkeypatch.setattr(restarts, "GRACE_SECONDS", 0.1)


def release(site: Rack, model: str, **versions: str) -> dict[str, Any]:
    content = json.dumps({"Model": model, "Versions": versions}).encode()
    site.redfish.image_server.directory.mkdir(exist_ok=True)
    (site.redfish.image_server.directory / "c885a.bin").write_bytes(content)
    image = {"url": f"{site.redfish.publish['url']}/c885a.bin", "sha256": hashlib.sha256(content).hexdigest()}
    images = [{**image, "components": sorted(versions)}]
    return {"version": "1.1", "until": "2999-01-01", "source": "CHG-7", "components": versions, "images": images}


def rollout(site: Rack, kubeconfig: str, trigger: str, firmware: dict[str, Any]) -> dict[str, Any]:
    nodes = []
    for name in POOL:
        server = site.world.servers[name]
        host = {"name": name, "bmc": server.bmc, "serial": server.serial, "credential": "bmc-admin"}
        nodes.append({**host, "firmware": firmware})
    spec = {"schema": 1, "pool": "training", "nodes": nodes, "trigger": trigger, "max_unavailable": 1}
    return {"spec": spec, "kubeconfig": kubeconfig}


@pytest.mark.rough
async def test_firmware_of_a_pool_comes_one_drained_server_at_a_time_and_a_bad_image_stops_at_the_first(
    site: Rack,
) -> None:
    created = await INSTALL.create({"spec": site.spec()}, site.context())
    kubeconfig = created.outputs["kubeconfig"].value
    kube = Kube(kubeconfig)
    boots = {name: site.world.host(name).boots for name in POOL}
    before = {name: dict(site.world.host(name).firmware) for name in POOL}

    bad = rollout(site, kubeconfig, "one", release(site, "UCSC-C240-M7", **NEW))
    assert ROLLOUT.check(bad, CheckContext()) == []
    with pytest.raises(Incomplete, match=r"gpu-01: .*Verification of image.*nothing was restarted"):
        await ROLLOUT.create(bad, site.context())
    assert {name: dict(site.world.host(name).firmware) for name in POOL} == before
    assert {name: site.world.host(name).boots for name in POOL} == boots
    for node in (await kube.get(NODES))["items"]:
        assert not node["spec"].get("unschedulable"), "the node is given back"
        assert CORDONED not in (node["metadata"].get("annotations") or {})

    away: list[set[str]] = []
    changed_while_there: list[str] = []

    async def watch() -> None:
        while True:
            nodes = {each["metadata"]["name"]: each for each in (await kube.get(NODES))["items"]}
            gone = {name for name in POOL if nodes[name]["spec"].get("unschedulable")}
            away.append(gone)
            started = {name for name in POOL if site.world.host(name).firmware_pending}
            changed_while_there.extend(started - gone)
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())
    good = rollout(site, kubeconfig, "two", release(site, "UCSC-885A-M8", **NEW))
    outputs = await ROLLOUT.update("training", good, bad, {}, site.context())
    watching.cancel()
    assert outputs["rolled_out"] == dict.fromkeys(POOL, "two")
    for name in POOL:
        assert {key: site.world.host(name).firmware[key] for key in NEW} == NEW
        assert site.world.host(name).boots == boots[name] + 1
    assert max(map(len, away)) == 1
    assert changed_while_there == [], "no server takes firmware before its node is drained"
    writes = site.redfish.writes
    await ROLLOUT.update("training", good, good, outputs, site.context())
    assert site.redfish.writes == writes


def test_firmware_of_a_node_has_its_parts() -> None:
    nodes = [{"name": "gpu-01", "firmware": {"version": "1.1"}}, "gpu-02"]
    spec = {"schema": 1, "pool": "training", "nodes": nodes, "trigger": "one"}
    (found,) = ROLLOUT.check({"spec": spec, "kubeconfig": "x"}, CheckContext())
    assert found.path == ("spec", "nodes", 0, "firmware")
