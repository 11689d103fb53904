"""One installation and what may befall it; the tests follow each other on one cluster, in this order."""

from __future__ import annotations

import asyncio
import dataclasses
import stat
from typing import Any

import pytest

from podwright.components.providers.openshift.kube import Kube, parse, rehomed
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Incomplete, ProviderError, Secret
from tests.providers.openshift.conftest import BY_TOKEN, Rack

INSTALL = BY_TOKEN["Install"]
made: dict[str, Any] = {}


def plain(outputs: Any) -> dict[str, Any]:
    """Outputs as the engine hands them back: secrets unwrapped."""
    return {key: value.value if isinstance(value, Secret) else value for key, value in outputs.items()}


def dead_ends(site: Rack) -> dict[str, str]:
    """The API's names, forwarded to a port where nobody listens."""
    return dict.fromkeys(site.openshift.forward, "127.0.0.1:9")


async def drift(site: Rack, inputs: dict[str, Any]) -> list[str]:
    seen = await INSTALL.read("lab", inputs, made, site.context())
    assert seen is not None
    return [".".join(map(str, path)) for path in INSTALL.diff(seen.inputs, inputs, {}).changes]


async def test_hosts_become_a_cluster_whose_kubeconfig_is_a_secret(site: Rack) -> None:
    inputs = {"spec": site.spec()}
    created = await INSTALL.create(inputs, site.context())
    assert created.id == "lab"
    assert isinstance(created.outputs["kubeconfig"], Secret)
    made.update(plain(created.outputs))
    assert made["api_server"] == "https://api.lab.example.com:6443"
    nodes = (await Kube(made["kubeconfig"]).get(NODES))["items"]
    assert {node["metadata"]["name"] for node in nodes} == {"cp-01", "gpu-01", "gpu-02"}
    access = parse(made["kubeconfig"])
    assert (access.host, access.name) == ("127.0.0.1", "api.lab.example.com")


async def test_it_cleans_up_after_itself(site: Rack) -> None:
    assert site.published == []
    assert [host.media_url for host in site.world.hosts.values()] == [None, None, None]
    assert site.warned == []
    pull_secret = (site.lab.secrets / "pull-secret").read_text()
    assert pull_secret not in "\n".join(site.said)


async def test_the_kubeconfig_is_remembered_in_private_until_the_engine_has_it(site: Rack) -> None:
    folder = site.dir / "state" / "podwright" / "rack" / "install-lab"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
        "kubeconfig": 0o600,
        "facts.json": 0o600,
    }


async def test_a_run_whose_state_was_lost_finds_its_own_cluster_again(site: Rack) -> None:
    boots = [host.boots for host in site.world.hosts.values()]
    again = await INSTALL.create({"spec": site.spec()}, site.context())
    assert plain(again.outputs) == made
    assert [host.boots for host in site.world.hosts.values()] == boots


async def test_a_cluster_that_was_installed_is_never_installed_over(site: Rack) -> None:
    ctx = site.context()
    ctx.reach = dataclasses.replace(ctx.reach, forward={**site.redfish.forward, **dead_ends(site)})
    boots = [host.boots for host in site.world.hosts.values()]
    with pytest.raises(ProviderError, match="installed the cluster lab before, and its API does not answer; no host"):
        await INSTALL.create({"spec": site.spec(gateway="192.0.2.254")}, ctx)
    assert [host.boots for host in site.world.hosts.values()] == boots


async def test_a_read_finds_nothing_to_do_and_forgets_what_the_state_now_holds(site: Rack) -> None:
    assert await drift(site, {"spec": site.spec()}) == []
    assert site.remembered() == {}


async def test_a_cluster_that_somebody_else_installed_is_left_alone(site: Rack) -> None:
    ctx = site.context()
    ctx.identity = "podwright/other"
    boots = [host.boots for host in site.world.hosts.values()]
    with pytest.raises(ProviderError, match=r"a cluster that this stack did not install answers at api\.lab\.example"):
        await INSTALL.create({"spec": site.spec()}, ctx)
    assert [host.boots for host in site.world.hosts.values()] == boots


async def test_a_silent_cluster_is_not_gone(site: Rack) -> None:
    ctx = site.context()
    ctx.reach = dataclasses.replace(ctx.reach, forward=dead_ends(site))
    seen = await INSTALL.read("lab", {"spec": site.spec()}, made, ctx)
    assert seen is not None
    assert seen.inputs == {"spec": site.spec()}
    assert "does not answer" in site.warned.pop()


async def test_a_node_that_vanished_is_drift(site: Rack) -> None:
    kube = Kube(made["kubeconfig"])
    node = await kube.get(f"{NODES}/gpu-02")
    await kube.remove(f"{NODES}/gpu-02")
    assert all(path.startswith("spec.hosts.2") for path in await drift(site, {"spec": site.spec()}))
    fresh = {key: node["metadata"].get(key) for key in ("name", "labels")}
    await kube.request("POST", NODES, {"apiVersion": "v1", "kind": "Node", "metadata": fresh, "spec": {}})
    await kube.request("PATCH", f"{NODES}/gpu-02/status", {"status": node["status"]}, "application/merge-patch+json")
    assert await drift(site, {"spec": site.spec()}) == []


async def test_a_host_that_leaves_the_spec_is_drained_and_switched_off(site: Rack) -> None:
    before, after = {"spec": site.spec()}, {"spec": site.spec("cp-01", "gpu-01")}
    changed = INSTALL.diff(before, after, {}).changes
    assert {path[:3] for path in changed} == {("spec", "hosts", 2)}
    made.update(plain(await INSTALL.update("lab", after, before, made, site.context())))
    assert made["hosts"] == ["cp-01", "gpu-01"]
    assert site.world.host("gpu-02").power == "Off"
    assert await Kube(made["kubeconfig"]).find(f"{NODES}/gpu-02") is None


async def test_a_control_plane_host_does_not_leave_by_itself(site: Rack) -> None:
    before, after = {"spec": site.spec()}, {"spec": site.spec("gpu-01")}
    with pytest.raises(ProviderError, match="cp-01 stays: etcd has 1 member and needs 1"):
        await INSTALL.update("lab", after, before, made, site.context())


async def test_a_host_that_joins_needs_the_releases_own_tool(site: Rack) -> None:
    before, after = {"spec": site.spec("cp-01", "gpu-01")}, {"spec": site.spec()}
    ctx = site.context()
    ctx.reach = dataclasses.replace(ctx.reach, tools={})
    with pytest.raises(ProviderError, match="gpu-02 would join the running cluster, which needs `oc`"):
        await INSTALL.update("lab", after, before, made, ctx)


async def test_a_host_that_joins_the_spec_boots_a_node_image_and_joins_the_cluster(site: Rack) -> None:
    before, after = {"spec": site.spec("cp-01", "gpu-01")}, {"spec": site.spec()}
    boots = site.world.host("gpu-01").boots
    made.update(plain(await INSTALL.update("lab", after, before, made, site.context())))
    assert made["hosts"] == ["cp-01", "gpu-01", "gpu-02"]
    assert site.world.host("gpu-01").boots == boots
    assert await drift(site, after) == []
    assert (site.published, site.remembered()) == ([], {})


def test_what_a_cluster_is_born_with_replaces_it_and_the_rest_does_not(site: Rack) -> None:
    old = {"spec": site.spec()}
    for key in ("cluster", "domain", "api_vip"):
        assert INSTALL.diff(old, {"spec": site.spec(**{key: "other"})}, {}).replaces == {("spec", key)}
    for key in ("version", "pull_secret", "ssh_key"):
        assert INSTALL.diff(old, {"spec": site.spec(**{key: "other"})}, {}).replaces == frozenset()


def test_a_moved_api_is_dialled_anew_and_still_checked_by_name(site: Rack) -> None:
    ctx = site.context()
    moved = type(ctx.reach)(forward={"api.lab.example.com:6443": "127.0.0.1:7777"})
    there = rehomed(made["kubeconfig"], moved)
    assert (parse(there).port, parse(there).name) == (7777, "api.lab.example.com")
    home = rehomed(there, type(ctx.reach)())
    assert (parse(home).host, parse(home).port, parse(home).name) == (
        "api.lab.example.com",
        6443,
        "api.lab.example.com",
    )
    assert rehomed(home, moved) == there


async def test_destroy_switches_the_hosts_off_and_forgets(site: Rack) -> None:
    await INSTALL.delete("lab", {"spec": site.spec()}, made, site.context())
    assert [host.power for host in site.world.hosts.values()] == ["Off", "Off", "Off"]
    assert site.remembered() == {}


@pytest.mark.rough
async def test_killed_while_hosts_boot_the_next_run_goes_on_with_the_same_cluster(rack: Rack) -> None:
    inputs = {"spec": rack.spec("cp-01", "gpu-01")}
    task = asyncio.create_task(INSTALL.create(inputs, rack.context()))
    while not rack.remembered().get("booted") and not task.done():  # noqa: ASYNC110  (a lab has no asyncio event)
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    image = rack.remembered()["image"]
    created = await INSTALL.create(inputs, rack.context())
    assert rack.said.count("making the installation image") == 1
    assert rack.remembered()["image"] == image
    assert set(created.outputs["hosts"]) == {"cp-01", "gpu-01"}


async def test_a_host_that_cannot_boot_is_named_and_the_others_are_not_booted_twice(rack: Rack) -> None:
    inputs = {"spec": rack.spec("cp-01", "gpu-01")}
    rack.redfish.fault({"server": "gpu-01", "mode": "401", "times": 1})
    with pytest.raises(ProviderError, match=r"gpu-01: the BMC at 192\.0\.2\.102 does not accept the login"):
        await INSTALL.create(inputs, rack.context())
    assert rack.remembered()["booted"] == ["cp-01"]
    kubeconfig = (rack.dir / "state" / "podwright" / "rack" / "install-lab" / "kubeconfig").read_text()
    ctx = rack.context()
    ctx.timeout = 0.1
    with pytest.raises((ProviderError, Incomplete), match=r"time is up.*(?:delete .*install-lab first)?"):
        await INSTALL.create(inputs, ctx)
    assert sorted(rack.remembered()["booted"]) == ["cp-01", "gpu-01"]
    assert (rack.dir / "state" / "podwright" / "rack" / "install-lab" / "kubeconfig").read_text() == kubeconfig
