"""A worker whose machine is another one: its node goes, and the machine that stands there joins under the same name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import pytest

from podwright.components.providers.openshift import handover, membership, replaced
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import NODES, is_ready
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.status.installation import on_other_machines
from podwright.components.providers.status.snapshot import take
from tests.providers.openshift.conftest import BY_TOKEN, Rack
from tests.providers.openshift.test_install import plain
from tests.providers.openshift.test_leaving import until

INSTALL = BY_TOKEN["Install"]
UUID = "00112233-4455-6677-8899-aabbccddeeff"
PIN = "podwright.io/pool"


def node(uuid: str = UUID, **meta: Any) -> dict[str, Any]:
    return {"metadata": {"name": "gpu-01", **meta}, "status": {"nodeInfo": {"systemUUID": uuid}}}


@pytest.mark.parametrize("seen", [UUID, UUID.upper(), "33221100-5544-7766-8899-aabbccddeeff"])
def test_a_uuid_is_the_same_in_either_byte_order(seen: str) -> None:
    assert replaced.is_on(node(seen), [UUID])
    assert not replaced.is_on(node(seen), ["00112233-4455-6677-8899-aabbccddee00"])


def test_what_others_gave_a_node_is_known_and_what_is_the_nodes_own_is_not() -> None:
    fields = {"f:metadata": {"f:labels": {f"f:{PIN}": {}, "f:gone": {}}}, "f:spec": {"f:taints": {}}}
    own: dict[str, Any] = {"f:metadata": {"f:labels": {"f:else": {}}}}
    managed = [
        {"manager": "pulumi-1", "operation": "Apply", "fieldsV1": fields},
        {"manager": "kubelet", "operation": "Update", "fieldsV1": own},
        {"manager": "sdn", "operation": "Apply", "subresource": "status", "fieldsV1": {"f:status": {}}},
    ]
    found = node(labels={PIN: "training", "else": "x"}, managedFields=managed)
    taint = {"key": PIN, "effect": "NoSchedule"}
    found["spec"] = {"taints": [taint, {"key": f"{handover.OF_THE_NODE}unreachable"}]}
    wanted = handover.Had((("pulumi-1", {"metadata": {"labels": {PIN: "training"}}}),), (taint,))
    assert handover.had(found) == wanted


async def _installed(rack: Rack) -> tuple[dict[str, Any], Kube]:
    made = plain((await INSTALL.create({"spec": rack.spec()}, rack.context())).outputs)
    kube = Kube(made["kubeconfig"])
    fields = {"metadata": {"labels": {PIN: "training"}}, "spec": {"taints": [{"key": PIN, "effect": "NoSchedule"}]}}
    for name in ("gpu-01", "gpu-02"):
        await kube.apply(f"{NODES}/{name}", {"apiVersion": "v1", "kind": "Node", **fields}, "somebody")
    return made, kube


async def _node(kube: Kube, name: str) -> Any:
    return await kube.get(f"{NODES}/{name}")


async def _away(kube: Kube, name: str) -> None:
    async def away() -> bool:
        return not is_ready(await _node(kube, name))

    await until(f"{name} is away", away)


def _swap(rack: Rack, name: str, serial: str, **kept: str) -> str:
    return str(rack.world.fault({"kind": "replace", "server": name, "serial": serial, **kept})["uuid"])


@pytest.mark.rough
async def test_another_machine_is_installed_in_one_go_and_has_what_the_node_had(site: Rack) -> None:
    made, kube = await _installed(site)
    # By serial number: the machine before is gone, its controller's address answers for the new one.
    before = {"spec": made["spec"]}
    uuid = _swap(site, "gpu-01", "WZP00000077")
    await _away(kube, "gpu-01")
    after = {"spec": site.spec()}
    ctx = site.context()
    ctx.timeout = 240
    made = plain(await INSTALL.update("lab", after, before, made, ctx))
    joined = await _node(kube, "gpu-01")
    assert is_ready(joined) and replaced.reported(joined) == uuid
    assert joined["metadata"]["labels"][PIN] == "training" and joined["spec"]["taints"][0]["key"] == PIN
    seen = await INSTALL.read("lab", after, made, site.context())
    assert seen is not None and not INSTALL.diff(after, dict(seen.inputs), {}).changes
    # A blade's slot gets another one: what the file says of it stays, addresses too. Only the machine itself tells.
    uuids = {"gpu-02": [site.world.servers["gpu-02"].uuid]}
    assert list(on_other_machines(await take(made["kubeconfig"], 10), uuids)) == []
    serial = site.world.servers["gpu-02"].serial
    uuid = _swap(site, "gpu-02", "WZP00000078", boot_mac=site.world.servers["gpu-02"].boot_mac)
    uuids["gpu-02"] = [uuid]
    site.world.servers["gpu-02"].serial = serial
    await _away(kube, "gpu-02")
    told = list(on_other_machines(await take(made["kubeconfig"], 10), uuids))
    assert len(told) == 1 and "node gpu-02" in told[0] and uuid in told[0]
    seen = await INSTALL.read("lab", after, made, site.context())
    assert seen is not None and [host["name"] for host in seen.inputs["spec"]["hosts"]] == ["cp-01", "gpu-01"]
    await INSTALL.update("lab", after, dict(seen.inputs), made, ctx)
    assert replaced.reported(await _node(kube, "gpu-02")) == uuid

    # A node that joined from elsewhere than planned.
    site.world.servers["gpu-02"].uuid = UUID
    with pytest.raises(ProviderError, match=f"gpu-02 joined from a machine with UUID .*, planned is .* with {UUID}"):
        await replaced.judge(made["spec"], ["gpu-01", "gpu-02"], kube, site.context())
    await replaced.judge(made["spec"], ["gpu-01"], kube, site.context())


class Busy(Kube):
    """Somebody else writes to each node between our read and our write, as its kubelet does all the time."""

    async def merge(self, path: str, change: Mapping[str, Any]) -> Any:
        if "resourceVersion" in (change.get("metadata") or {}) and path not in self.written:
            self.written.append(path)
            note = {"metadata": {"annotations": {"example.com/seen": "now"}}}
            await self.request("PATCH", path, note, "application/merge-patch+json")
        return await super().merge(path, change)

    written: ClassVar[list[str]] = []


@pytest.mark.rough
async def test_a_run_that_was_killed_loses_nothing_and_the_next_one_does_not_begin_anew(
    rack: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, kube = await _installed(rack)
    before = {"spec": made["spec"]}
    uuid = _swap(rack, "gpu-01", "WZP00000077")
    await _away(kube, "gpu-01")
    with monkeypatch.context() as killed:
        killed.setattr(handover, "restore", _killed)
        with pytest.raises(KilledError):
            await INSTALL.update("lab", {"spec": rack.spec()}, before, made, rack.context())
    bare = await _node(kube, "gpu-01")
    assert PIN not in bare["metadata"]["labels"]
    assert PIN in [taint["key"] for taint in bare["spec"]["taints"]], "what keeps pods away is there first"
    # A node of an earlier release has it not, and others write to it meanwhile.
    await kube.merge(f"{NODES}/gpu-01", {"spec": {"taints": None}})
    # A refresh in between does not take the node for whole.
    seen = await INSTALL.read("lab", {"spec": rack.spec()}, made, rack.context())
    assert seen is not None and [host["name"] for host in seen.inputs["spec"]["hosts"]] == ["cp-01", "gpu-02"]
    boots = {name: host.boots for name, host in rack.world.hosts.items()}
    monkeypatch.setattr("podwright.components.providers.openshift.install.Kube", Busy)
    Busy.written.clear()
    await INSTALL.update("lab", {"spec": rack.spec()}, before, made, rack.context())
    found = await _node(kube, "gpu-01")
    assert Busy.written == [f"{NODES}/gpu-01"]
    assert replaced.reported(found) == uuid and not found["spec"].get("unschedulable")
    assert found["metadata"]["labels"][PIN] == "training" and [t["key"] for t in found["spec"]["taints"]] == [PIN]
    assert {name: host.boots for name, host in rack.world.hosts.items()} == boots
    assert await handover.records(kube) == []
    seen = await INSTALL.read("lab", {"spec": rack.spec()}, made, rack.context())
    assert seen is not None and not INSTALL.diff({"spec": rack.spec()}, dict(seen.inputs), {}).changes
    await _kept_twice(kube, await _node(kube, "gpu-02"))


async def _kept_twice(kube: Kube, node: dict[str, Any]) -> None:
    """A node that came and went without what the one before it had stands for both; one that stayed for itself."""
    meta = node["metadata"]
    bare = {**node, "metadata": {**meta, "uid": "another", "managedFields": []}, "spec": {}}
    await handover.keep(kube, node)
    await handover.keep(kube, bare)
    (record,) = await handover.records(kube)
    assert record == handover.Record("gpu-02", "another", handover.had(node)) and record.had.taints
    await handover.keep(kube, bare)
    (record,) = await handover.records(kube)
    assert record.had == handover.Had()


class KilledError(BaseException):
    """The process is no more."""


async def _killed(kube: Kube, *_: object) -> None:
    """The new node is there, and nothing was given to it yet."""

    async def joined() -> bool:
        return (found := await kube.find(f"{NODES}/gpu-01")) is not None and is_ready(found)

    await until("gpu-01 joined", joined)
    raise KilledError


@pytest.mark.parametrize(("reports", "gone"), [(2, True), (10_000, False)])
async def test_a_machine_that_is_not_reached_is_gone_once_its_node_stops_reporting(
    rack: Rack, monkeypatch: pytest.MonkeyPatch, reports: int, gone: bool
) -> None:
    """A drill that replaced a blade seconds after it was pulled met a node that still counted as ready."""
    monkeypatch.setattr(membership, "SILENT_SECONDS", 3.0)
    left = [reports]

    class Cluster:
        async def find(self, path: str) -> dict[str, Any]:
            left[0] -= 1
            status = "True" if left[0] > 0 else "Unknown"
            return {"metadata": {"name": path}, "status": {"conditions": [{"type": "Ready", "status": status}]}}

    assert await membership._silent(cast(Kube, Cluster()), f"{NODES}/gpu-01", rack.context()) is gone
