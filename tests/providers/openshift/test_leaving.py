"""A server that leaves: cordon, drain, power off, and only then is its node deleted. It does not come back.

The tests of one site follow each other on one cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.openshift.drain import CORDONED
from podwright.components.providers.openshift.etcd import ENDPOINTS
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, is_ready
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.status.installation import foreign
from podwright.components.providers.status.snapshot import Snapshot
from tests.providers.openshift.conftest import BY_TOKEN, Rack, build
from tests.providers.openshift.test_install import plain
from tests.waiting import PATIENCE

pytestmark = pytest.mark.rough

INSTALL = BY_TOKEN["Install"]
WORKERS = {"cp-01": ("UCSC-C225-M8N", "master"), **{f"gpu-0{n}": ("UCSC-885A-M8", "worker") for n in range(1, 5)}}
MASTERS = {f"cp-0{n}": ("UCSC-C225-M8N", "master") for n in range(1, 6)}
SECRETS = "/api/v1/namespaces/openshift-etcd/secrets"


class Site:
    """A rack with its cluster, and what is in its spec now."""

    def __init__(self, rack: Rack) -> None:
        self.rack = rack
        self.names = list(rack.hosts)
        self.outputs: dict[str, Any] = {}

    async def kube(self) -> Kube:
        if not self.outputs:
            made = await INSTALL.create({"spec": self.rack.spec()}, self.rack.context())
            self.outputs.update(plain(made.outputs))
        self.rack.said.clear()
        self.rack.warned.clear()
        return Kube(self.outputs["kubeconfig"])

    async def without(self, *names: str, seconds: float = 0.0) -> None:
        before = {"spec": self.rack.spec(*self.names)}
        left = [name for name in self.names if name not in names]
        ctx = self.rack.context()
        ctx.timeout = seconds
        await INSTALL.update("lab", {"spec": self.rack.spec(*left)}, before, self.outputs, ctx)
        self.names = left

    def power(self, name: str) -> str:
        return self.rack.world.host(name).power


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from _site(tmp_path_factory.mktemp("workers") / "rack", WORKERS)


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from _site(tmp_path_factory.mktemp("masters") / "rack", MASTERS)


def _site(folder: Path, hosts: dict[str, tuple[str, str]]) -> Iterator[Site]:
    rack = build(folder, hosts=hosts)
    try:
        yield Site(rack)
    finally:
        rack.close()


async def until(what: str, condition: Callable[[], Any]) -> None:
    for _ in range(300 * PATIENCE):
        if await condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError(what)


async def test_a_host_that_cannot_be_switched_off_keeps_its_node(workers: Site) -> None:
    kube = await workers.kube()
    workers.rack.redfish.fault({"server": "gpu-04", "mode": "401", "times": 1})
    with pytest.raises(ProviderError, match=r"node gpu-04 stays, drained and cordoned.*`oc delete node gpu-04`"):
        await workers.without("gpu-04")
    node = await kube.get(f"{NODES}/gpu-04")
    assert node["spec"]["unschedulable"] is True
    assert workers.power("gpu-04") == "On"


async def test_its_node_is_deleted_when_the_host_is_off_and_stays_away(workers: Site) -> None:
    kube = await workers.kube()
    seen: list[bool] = []

    def listen(server: str, state: str) -> None:
        api = workers.rack.openshift.cluster.api
        if (server, state) == ("gpu-04", "Off") and api is not None:
            node = api.get(f"{NODES}/gpu-04")
            seen.append(bool(node and node["spec"].get("unschedulable")))

    workers.rack.world.on_power.append(listen)
    await workers.without("gpu-04")
    assert seen == [True], "the node is cordoned and there while its host goes off"
    assert workers.power("gpu-04") == "Off"
    assert await kube.find(f"{NODES}/gpu-04") is None
    # Whatever starts a kubelet brings a node back whose object alone was deleted: there is no kubelet here any more.
    workers.rack.world.fault({"kind": "kubelet", "server": "gpu-04"})
    await asyncio.sleep(1)
    assert await kube.find(f"{NODES}/gpu-04") is None


async def test_a_node_that_was_deleted_while_its_host_runs_is_back_and_named(workers: Site) -> None:
    kube = await workers.kube()
    await kube.merge(f"{NODES}/gpu-03", {"metadata": {"labels": {"podwright.io/pool": "training"}}})
    await kube.remove(f"{NODES}/gpu-03")
    await asyncio.sleep(1)
    assert await kube.find(f"{NODES}/gpu-03") is None, "a kubelet registers once, when it starts"
    workers.rack.world.fault({"kind": "kubelet", "server": "gpu-03"})

    async def back() -> bool:
        return (await kube.find(f"{NODES}/gpu-03")) is not None

    await until("the kubelet to register", back)
    node = await kube.get(f"{NODES}/gpu-03")
    assert "podwright.io/pool" not in node["metadata"]["labels"]
    (sentence,) = foreign(Snapshot({"Node": (node,)}), {"gpu-01": None})
    assert "gpu-03" in sentence


async def test_two_of_a_pool_are_not_away_at_once(workers: Site) -> None:
    kube = await workers.kube()
    await kube.merge(f"{NODES}/gpu-01", {"spec": {"unschedulable": True}})
    with pytest.raises(
        ProviderError, match=r"gpu-01 of pool training to come back before gpu-02 goes.*uncordon gpu-01"
    ):
        await workers.without("gpu-02", seconds=1)
    node = await kube.get(f"{NODES}/gpu-02")
    assert CORDONED not in node["metadata"].get("annotations", {})
    await kube.merge(f"{NODES}/gpu-01", {"spec": {"unschedulable": None}})


async def test_a_dead_host_goes_without_a_drain(workers: Site) -> None:
    kube = await workers.kube()
    workers.rack.world.power("gpu-03", "ForceOff")

    async def silent() -> bool:
        return not is_ready(await kube.get(f"{NODES}/gpu-03"))

    await until("the node to be given up", silent)
    await workers.without("gpu-03")
    assert await kube.find(f"{NODES}/gpu-03") is None
    assert "gpu-03 is not ready" in workers.rack.warned[0]


async def test_a_host_whose_node_went_before_need_not_answer(workers: Site) -> None:
    kube = await workers.kube()
    await kube.remove(f"{NODES}/gpu-02")
    workers.rack.redfish.fault({"server": "gpu-02", "mode": "401", "times": 50})
    await workers.without("gpu-02")
    assert "gpu-02 is no node any more, and whether it is switched off is not known" in workers.rack.warned[0]


async def test_a_control_plane_host_goes_with_its_etcd_member(masters: Site) -> None:
    kube = await masters.kube()
    address = masters.rack.world.servers["cp-05"].address
    for kind in ("etcd-peer", "etcd-serving"):
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"{kind}-cp-05"}}
        await kube.request("POST", SECRETS, secret)
    assert address in (await kube.get(ENDPOINTS))["data"].values()
    await masters.without("cp-05")
    assert len((await kube.get(ENDPOINTS))["data"]) == 4
    assert address not in (await kube.get(ENDPOINTS))["data"].values()
    assert (await kube.get(SECRETS))["items"] == []
    assert await kube.find(f"{NODES}/cp-05") is None
    assert masters.power("cp-05") == "Off"


async def test_without_oc_the_command_is_told_and_the_next_run_goes_on(masters: Site) -> None:
    kube = await masters.kube()
    tools = masters.rack.lab.tools
    oc = tools.pop("oc")
    with pytest.raises(ProviderError, match=r"Type `oc exec -n openshift-etcd etcd-cp-0\d .*member remove [0-9a-f]+`"):
        await masters.without("cp-04")
    assert masters.power("cp-04") == "Off"
    assert await kube.find(f"{NODES}/cp-04") is not None
    tools["oc"] = oc
    await masters.without("cp-04")
    assert await kube.find(f"{NODES}/cp-04") is None


async def test_etcd_keeps_its_majority(masters: Site) -> None:
    kube = await masters.kube()
    masters.rack.world.power("cp-01", "ForceOff")

    async def silent() -> bool:
        return not is_ready(await kube.get(f"{NODES}/cp-01"))

    masters.rack.world.power("cp-05", "On")  # the lab's etcd counts hosts with power, not members
    await until("the node to be given up", silent)
    with pytest.raises(ProviderError, match="cp-03 stays: etcd has 3 members and needs 2, and without it only 1 are"):
        await masters.without("cp-03")
    assert masters.power("cp-03") == "On"
    assert "unschedulable" not in (await kube.get(f"{NODES}/cp-03"))["spec"]
