"""Ports that SriovNetworkNodeStates list, compared with where rails are expected: what stops, and what it names."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from podwright.components.design.operators.readiness import placed
from podwright.components.model import RailNics, RailPool
from podwright.components.providers.openshift import nics, ports
from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.pools import readiness
from podwright.components.providers.openshift.pools.readiness import PoolReadyKind, _lacking, _stop
from podwright.components.providers.protocol.kind import ProviderError

POOL = RailPool(
    name="training",
    nodes=("gpu-01", "gpu-02"),
    nics=(
        RailNics(rail=0, device="a2dc", pci=("0000:10:00.0",)),
        RailNics(rail=1, device="a2dc", pci=("0000:20:00.0", "0000:21:00.0")),
    ),
    addresses={"gpu-01": {0: "0000:10:00.0", 1: "0000:20:00.0"}, "gpu-02": {0: "0000:10:00.0", 1: "0000:21:00.0"}},
)
EXPECTED = placed(POOL)["ports"]


def state(*listed: tuple[str, str, str]) -> dict[str, Any]:
    rows = [{"pciAddress": pci, "name": name, "vendor": "15b3", "deviceID": device} for pci, name, device in listed]
    return {"status": {"interfaces": rows, "syncStatus": "Succeeded"}}


GOOD = (("0000:10:00.0", "enp16s0f0np0", "a2dc"), ("0000:20:00.0", "eth7", "a2dc"))


def found(**states: dict[str, Any]) -> list[str]:
    return list(ports.displaced(EXPECTED, {name.replace("_", "-"): each for name, each in states.items()}))


def test_nodes_that_are_alike_are_compared_by_one_entry() -> None:
    same = POOL.model_copy(update={"addresses": dict.fromkeys(POOL.nodes, POOL.addresses["gpu-01"])})
    (entry,) = placed(same)["ports"]
    assert entry["nodes"] == ["gpu-01", "gpu-02"]
    assert entry["rails"]["1"] == {"pci": "0000:20:00.0", "device": "a2dc"}
    assert len(EXPECTED) == 2


def test_names_do_not_count() -> None:
    renamed = [(pci, "anything", device) for pci, _, device in GOOD]
    assert found(gpu_01=state(*GOOD)) == found(gpu_01=state(*renamed)) == []


def test_each_node_has_its_own_addresses() -> None:
    """What is right on one server of the pool is a port of another rail's place on the next."""
    (wrong,) = found(gpu_01=state(*GOOD), gpu_02=state(*GOOD))
    assert wrong.startswith("gpu-02, rail 1: expected at 0000:21:00.0 as 15b3:a2dc, no port is there.")


def test_a_port_that_is_elsewhere_is_named_with_what_to_write() -> None:
    moved = state(GOOD[0], ("0000:2a:00.0", "enp42s0f0np0", "a2dc"), ("0000:01:00.0", "eno1", "1017"))
    (wrong,) = found(gpu_01=moved)
    assert "Ports of no rail: 0000:2a:00.0 (enp42s0f0np0)." in wrong, "a port of another kind is no rail's"
    assert 'write `nics: {1: "0000:2a:00.0"}` in servers.gpu-01' in wrong


def test_another_card_at_the_address_is_named() -> None:
    (wrong,) = found(gpu_01=state(GOOD[0], ("0000:20:00.0", "ens2f0np0", "1021")))
    assert "ens2f0np0 there is 15b3:1021, and every port of its kind is another rail's" in wrong


def test_a_node_whose_ports_are_not_listed_yet_is_waited_for() -> None:
    node: dict[str, Any] = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    spec = {**placed(POOL), "nodes": ["gpu-01"]}
    assert found(gpu_01={"status": {"syncStatus": "InProgress"}}) == []
    assert list(_lacking(spec, Survey({"gpu-01": node}, {}, {}, {}, {}))) == [
        "no SriovNetworkNodeState shows the ports of gpu-01"
    ]
    assert list(_lacking(spec, Survey({"gpu-01": node}, {}, {"gpu-01": state(*GOOD)}, {}, {}))) == []


def test_what_is_elsewhere_stops_with_every_port_at_once() -> None:
    moved = state(("0000:11:00.0", "eth1", "a2dc"), ("0000:2a:00.0", "eth2", "a2dc"))
    with pytest.raises(
        ProviderError, match="ports of pool training are not where rails are expected: gpu-01"
    ) as stopped:
        _stop(placed(POOL), found(gpu_01=moved))
    assert "rail 0: expected at 0000:10:00.0" in str(stopped.value) and "rail 1: expected" in str(stopped.value)
    _stop(placed(POOL), found(gpu_01=state(*GOOD)))


def test_nic_devices_show_it_before_there_is_any_node_state() -> None:
    def device(pci: str) -> dict[str, Any]:
        return {"status": {"node": "gpu-01", "ports": [{"pci": pci, "networkInterface": "eth4"}]}}

    expected = {"rails": {"0": ["0000:10:00.0"], "1": ["0000:20:00.0", "0000:21:00.0"]}, "template": {}}
    assert list(nics.displaced(["gpu-01"], [], expected)) == [], "nothing is discovered yet"
    assert list(nics.displaced(["gpu-01"], [device("0000:10:00.0"), device("0000:21:00.0")], expected)) == []
    (wrong,) = nics.displaced(["gpu-01"], [device("0000:10:00.0"), device("0000:2a:00.0")], expected)
    assert "rail 1: expected at 0000:20:00.0 or 0000:21:00.0, no NicDevice shows a port there" in wrong
    assert "0000:2a:00.0 (eth4)" in wrong


def _live(monkeypatch: pytest.MonkeyPatch, live: Survey) -> Any:
    """What a wait is given, on a cluster that shows this."""

    async def survey(kube: object) -> Survey:
        del kube
        return live

    monkeypatch.setattr(readiness, "survey", survey)
    monkeypatch.setattr(readiness, "Kube", lambda text: text)
    monkeypatch.setattr(readiness, "rehomed", lambda text, reach: text)
    return SimpleNamespace(reach=None, timeout=20.0, cancel=asyncio.Event(), log=print, warn=print)


NODE: dict[str, Any] = {
    "metadata": {"labels": {nics.WAIT: "false"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}


async def test_the_wait_stops_at_the_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    ctx = _live(monkeypatch, Survey({"gpu-01": NODE}, {}, {"gpu-01": state(GOOD[0])}, {}, {}))
    with pytest.raises(ProviderError, match=r"gpu-01, rail 1: expected at 0000:20:00\.0"):
        await PoolReadyKind().create({"spec": {**placed(POOL), "nodes": ["gpu-01"]}, "kubeconfig": ""}, ctx)


async def test_a_rail_that_stays_absent_from_nic_devices_stops_long_before_the_pools_patience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readiness, "ABSENT_SECONDS", 0.2)
    shown = {"status": {"node": "gpu-01", "ports": [{"pci": "0000:2a:00.0", "networkInterface": "eth4"}]}}
    ctx = _live(monkeypatch, Survey({"gpu-01": NODE}, {}, {}, {}, {"card": shown}))
    spec = {"pool": "training", "nodes": ["gpu-01"], "resources": {}, "nics": {"rails": {"0": ["0000:10:00.0"]}}}
    with pytest.raises(ProviderError, match=r"no NicDevice shows a port there\. Ports of no rail: 0000:2a:00\.0"):
        await PoolReadyKind().create({"spec": {**spec, "trigger": "t"}, "kubeconfig": ""}, ctx)
