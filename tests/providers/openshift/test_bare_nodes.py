"""No pod that does not tolerate a pool's taint runs on its nodes, however often they are deleted or replaced.

`PODWRIGHT_BARE_TURNS` turns (two, if it is not set) of each, drawn by `PODWRIGHT_BARE_SEED`; ten in a run of the soak
suite `bare`. Pods without tolerations wait for room all the time, and there is none but on tainted nodes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import pytest_asyncio

from podwright.components.design.platform import first_taints
from podwright.components.design.platform.pools import machine_config_pool, node_configuration
from podwright.components.model import Pool
from podwright.components.providers.openshift import unregistered
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, is_ready
from podwright.components.providers.protocol.kind import ProviderError
from podwright.lab.openshift.api import ApiError
from tests.providers.openshift.conftest import BY_TOKEN, Rack, apply, build
from tests.providers.openshift.test_install import plain
from tests.providers.openshift.test_leaving import until

pytestmark = pytest.mark.rough

INSTALL, TAINT = BY_TOKEN["Install"], BY_TOKEN["Taint"]
SEED = int(os.environ.get("PODWRIGHT_BARE_SEED", "1"))
TURNS = int(os.environ.get("PODWRIGHT_BARE_TURNS", "2"))
WORKERS = ("gpu-01", "gpu-02")
POOL = Pool.model_validate({"purpose": "training"})
TAINTS: Mapping[str, Any] = first_taints({"training": POOL})["taints"]
LOAD = "load"
PODS = f"/api/v1/namespaces/{LOAD}/pods"


def _load() -> list[dict[str, Any]]:
    labels = {"app": LOAD}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "registry.example.com/a"}]}}
    spec = {"replicas": 20, "selector": {"matchLabels": labels}, "template": pod}
    meta = {"name": LOAD, "namespace": LOAD}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": LOAD}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec},
    ]


class Site:
    """A rack with a cluster, a tainted pool of its workers, and pods that do not tolerate it."""

    def __init__(self, rack: Rack) -> None:
        self.rack = rack
        self.names = ["cp-01", *WORKERS]
        self.lots = random.Random(SEED)
        self.outputs: dict[str, Any] = {}
        self.bare: list[str] = []
        """Every state of a node that reports and has no taint of its pool, as the API server showed it."""

    def spec(self, **change: Any) -> dict[str, Any]:
        return {"spec": self.rack.spec(*self.names, **{"taints": TAINTS, **change})}

    @property
    def kube(self) -> Kube:
        return Kube(self.outputs["kubeconfig"])

    async def up(self) -> None:
        self.outputs = plain((await INSTALL.create(self.spec(), self.rack.context())).outputs)
        pool = machine_config_pool("training", POOL)
        await apply(self.kube, pool, *node_configuration("training", POOL, {}, {}))
        await self.pooled(*WORKERS)
        await apply(self.kube, *_load())
        await until("pods wait for room", self._waiting)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        api = self.rack.openshift.cluster.api
        assert api is not None
        version = api.request("GET", NODES)["metadata"]["resourceVersion"]
        with contextlib.suppress(ApiError):  # the cluster is gone, and with it the tests
            for event in api.watch(NODES, version, 36_000):
                node = event["object"]
                reports = ((node.get("status") or {}).get("nodeInfo") or {}).get("kubeletVersion")
                if node["metadata"].get("name", "").startswith("gpu") and reports:
                    tainted = TAINTS["training"] in (node["spec"].get("taints") or [])
                    self.bare += [] if tainted else [f"{event['type']} {node['metadata']['name']}"]

    async def pooled(self, *names: str) -> None:
        """What the stack gives nodes of the pool, and the restart by which they take its configuration."""
        spec = {"schema": 1, "pool": "training", "taint": TAINTS["training"], "nodes": list(names)}
        inputs = {"spec": spec, "kubeconfig": self.outputs["kubeconfig"]}
        await TAINT.create(inputs, self.rack.context())
        for name in names:
            labels = {"node-role.kubernetes.io/training": ""}
            body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
            await self.kube.apply(f"{NODES}/{name}", body, "podwright")
        for name in names:
            await self.settled(name)

    async def settled(self, name: str) -> None:
        """It runs what its pool has now."""

        async def runs() -> bool:
            pool = await self.kube.get("/apis/machineconfiguration.openshift.io/v1/machineconfigpools/training")
            node = await self.kube.get(f"{NODES}/{name}")
            notes = node["metadata"].get("annotations") or {}
            wanted = pool["spec"].get("configuration", {}).get("name")
            sources = [each["name"] for each in pool["spec"].get("configuration", {}).get("source") or []]
            known = [notes.get(f"machineconfiguration.openshift.io/{each}Config") for each in ("current", "desired")]
            rendered = any("generated-kubelet" in each for each in sources)
            return rendered and known == [wanted, wanted] and is_ready(node) and not node["spec"].get("unschedulable")

        await until(f"{name} runs its pool's configuration", runs)

    async def update(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        ctx = self.rack.context()
        ctx.timeout = 240
        self.outputs = plain(await INSTALL.update("lab", dict(after), dict(before), self.outputs, ctx))

    async def intruders(self) -> list[str]:
        """Nodes that pods of the load were ever bound to."""
        events = await self.kube.items(f"/api/v1/namespaces/{LOAD}/events?fieldSelector=reason%3DScheduled")
        bound = [pod["spec"]["nodeName"] for pod in await self.kube.items(PODS) if pod["spec"].get("nodeName")]
        return [*bound, *(str(event.get("message") or event.get("note")) for event in events)]

    async def _waiting(self) -> bool:
        return len(await self.kube.items(PODS)) == 20


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Any:
    hosts = {"cp-01": ("UCSC-C225-M8N", "master")} | {f"gpu-0{n}": ("UCSC-885A-M8", "worker") for n in range(1, 5)}
    built = build(tmp_path_factory.mktemp("bare") / "rack", hosts=hosts)
    try:
        yield built
    finally:
        built.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(rack: Rack) -> AsyncIterator[Site]:
    made = Site(rack)
    await made.up()
    yield made


@pytest.mark.asyncio(loop_scope="module")
async def test_01_no_such_pod_runs_on_a_node_that_was_deleted(site: Site) -> None:
    for turn in range(TURNS):
        name = site.lots.choice(WORKERS)
        before = await site.kube.get(f"{NODES}/{name}")
        await site.kube.remove(f"{NODES}/{name}")
        await asyncio.sleep(site.lots.uniform(0, 0.5))
        site.rack.world.fault({"kind": "kubelet", "server": name})

        async def back(name: str = name, uid: str = before["metadata"]["uid"]) -> bool:
            node = await site.kube.find(f"{NODES}/{name}")
            return node is not None and node["metadata"]["uid"] != uid and is_ready(node)

        await until(f"{name} is back", back)
        await site.pooled(name)
        assert (await site.intruders(), site.bare) == ([], []), f"turn {turn}, seed {SEED}"


@pytest.mark.asyncio(loop_scope="module")
async def test_02_nor_on_a_host_whose_machine_was_replaced(site: Site) -> None:
    for turn in range(TURNS):
        name = site.lots.choice(WORKERS)
        before = site.spec()
        serial = f"WZP9{site.lots.randrange(10**7):07d}"
        uuid = site.rack.world.fault({"kind": "replace", "server": name, "serial": serial})["uuid"]

        async def away(name: str = name) -> bool:
            return not is_ready(await site.kube.get(f"{NODES}/{name}"))

        await until(f"{name} is away", away)
        await site.update(before, site.spec())
        node = await site.kube.get(f"{NODES}/{name}")
        assert node["status"]["nodeInfo"]["systemUUID"] == uuid and "node-role.kubernetes.io/worker" in _labels(node)
        await site.pooled(name)
        assert (await site.intruders(), site.bare) == ([], []), f"turn {turn}, seed {SEED}"


@pytest.mark.asyncio(loop_scope="module")
async def test_03_nor_on_a_host_that_joins_which_has_the_labels_of_every_worker(site: Site) -> None:
    before = site.spec()
    site.names.append("gpu-03")
    await site.update(before, site.spec())
    node, other = [await site.kube.get(f"{NODES}/{name}") for name in ("gpu-03", "gpu-01")]
    assert is_ready(node) and TAINTS["training"] in node["spec"]["taints"]
    own = {"node-role.kubernetes.io/training"}
    assert _labels(node).keys() == _labels(other).keys() - own
    assert (await site.intruders(), site.bare) == ([], [])


def _labels(node: Mapping[str, Any]) -> Mapping[str, str]:
    found: Mapping[str, str] = node["metadata"]["labels"]
    return found


@pytest.mark.asyncio(loop_scope="module")
async def test_04_what_was_made_for_a_kubelet_that_never_comes_goes_and_a_registered_node_stays(site: Site) -> None:
    ctx = site.rack.context()
    taint = TAINTS["training"]
    assert await unregistered.made(site.kube, "ghost", [taint])
    other = {**taint, "value": "inference"}
    assert await unregistered.made(site.kube, "ghost", [other]), "a run before this one made it for another pool"
    ghost = await site.kube.get(f"{NODES}/ghost")
    assert unregistered.is_unregistered(ghost) and other in ghost["spec"]["taints"]
    assert taint not in ghost["spec"]["taints"]
    assert not await unregistered.made(site.kube, "gpu-03", [other]), "a node that reports is nobody else's"
    assert TAINTS["training"] in (await site.kube.get(f"{NODES}/gpu-03"))["spec"]["taints"]
    seen = await INSTALL.read("lab", site.spec(), site.outputs, site.rack.context())
    assert seen is not None and "ghost" not in str(seen.inputs["spec"]["hosts"])
    await unregistered.clear(site.kube, ctx, kept=["ghost"], patience=0)
    assert await site.kube.find(f"{NODES}/ghost")
    # A host that nobody defines any more: the next update takes away what a killed one had made for it.
    await site.update(site.spec(), site.spec())
    assert await site.kube.find(f"{NODES}/ghost") is None
    assert await site.kube.find(f"{NODES}/gpu-03")


@pytest.mark.asyncio(loop_scope="module")
async def test_05_an_update_that_fails_leaves_no_node_without_a_host(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unregistered, "COMES_SECONDS", 0.2)
    before = site.spec()
    site.names.append("gpu-04")
    plane = site.rack.openshift.cluster
    monkeypatch.setattr(type(plane), "_register", lambda *_: None)
    ctx = site.rack.context()
    ctx.timeout = 15
    with pytest.raises(ProviderError, match="gpu-04"):
        await INSTALL.update("lab", site.spec(), before, site.outputs, ctx)
    assert await site.kube.find(f"{NODES}/gpu-04") is None
    assert any("gpu-04 was given a certificate and has not come" in each for each in site.rack.warned)
    monkeypatch.undo()
    # The host has its certificate: without a taint of its own to come it would be the first with room.
    site.names.remove("gpu-04")
    site.rack.world.power("gpu-04", "ForceOff")


@pytest.mark.asyncio(loop_scope="module")
async def test_06_without_a_taint_the_same_pods_are_there_at_once(site: Site) -> None:
    before = site.spec()
    site.names.append("gpu-04")
    await site.update(before, site.spec(taints={}))

    async def there() -> bool:
        return "gpu-04" in str(await site.intruders())

    await until("pods find the node that has no taint", there)
    assert any(each.endswith("gpu-04") for each in site.bare)
