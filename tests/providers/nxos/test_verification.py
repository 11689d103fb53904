"""What a switch must show is held against what it shows: each single fault is named at its ends, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from podwright.components.providers.nxos.read import echo, verification
from podwright.components.providers.protocol.kind import CheckContext, Incomplete, ProviderError
from tests.providers.nxos.faults import FAULTS, LEAF, SPINE
from tests.providers.nxos.verified import INPUTS, Network, network


@pytest_asyncio.fixture
async def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Network]:
    monkeypatch.setattr(echo, "_PATIENCE", 0.0)
    monkeypatch.setattr(echo, "_PAUSE", 0.0)
    with network(tmp_path) as standing:
        yield standing
        await standing.pool.close()


async def test_a_network_as_planned_passes_and_nothing_is_written(net: Network) -> None:
    writes = net.rack.side.writes
    assert await net.said() == {}
    assert await net.drift() == {}
    assert net.rack.side.writes == writes
    assert net.rack.said == []
    assert set(INPUTS) == {"leaf-01-links", "leaf-01-hosts", "leaf-02-links", "leaf-02-hosts", "spine-01-links"}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_single_fault_is_named_exactly_and_nothing_else(net: Network, fault: str) -> None:
    switch, lines, said, drift = FAULTS[fault]
    net.type(switch, *lines)
    assert await net.said() == said
    assert await net.drift() == drift


async def test_a_dark_link_is_told_once_at_each_end(net: Network) -> None:
    net.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "down"})
    look = "its cable, its transceiver and `show interface status` at both ends"
    assert await net.said() == {
        "leaf-01-links": [f"leaf-01 {LEAF}: is down, planned up; look at {look}"],
        "spine-01-links": [f"spine-01 {SPINE}: is down, planned up; look at {look}"],
    }
    drift = await net.drift()
    assert drift["leaf-01-links"] == {
        "Ethernet1/33 up": False, "Ethernet1/33 pfc": 0, "Ethernet1/33 session": False, "Ethernet1/33 bfd": False,
        "Ethernet1/33 answered": False,
    }  # fmt: skip


async def test_a_switch_without_the_feature_has_no_sessions(net: Network) -> None:
    net.type("leaf-01", "no feature bgp")
    fault = "the BGP session with its neighbor is not Established; look at `show ip bgp neighbors`"
    assert await net.said() == {
        "leaf-01-links": [f"leaf-01 Ethernet1/33-52: {fault} here and at the far end"],
        "spine-01-links": [f"spine-01 Ethernet1/1-20: {fault} here and at the far end"],
    }


async def test_servers_that_are_off_are_listed_and_no_drift(net: Network) -> None:
    net.world.hosts["gpu-03"].power = "Off"
    net.type("leaf-01", "interface Ethernet1/9", "no priority-flow-control mode on")
    inputs = INPUTS["leaf-01-hosts"]
    made = await net.kind.create(inputs, net.rack.context())
    dark = [f"Ethernet1/{number}" for number in range(9, 13)]
    assert made.outputs["unjudged"] == dark
    assert net.rack.said == [
        "leaf-01: not judged, because they are down: "
        + ", ".join(f"{port} (to gpu-03 rail{rail})" for rail, port in enumerate(dark))
    ]
    assert await net.drift() == {}
    net.world.hosts["gpu-03"].power = "On"
    assert await net.drift() == {"leaf-01-hosts": {"Ethernet1/9 pfc": 0}}


async def test_what_a_refresh_saw_is_not_what_the_next_one_asks(net: Network) -> None:
    """Drift lands in the state's inputs: when it heals by itself, the next refresh says so."""
    inputs, context = INPUTS["leaf-01-links"], net.rack.context()
    net.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "down"})
    first = await net.kind.read("leaf-01-links", inputs, {}, context)
    assert first is not None and first.inputs != inputs
    again = await net.kind.read("leaf-01-links", first.inputs, first.outputs, context)
    assert again is not None and again.inputs == first.inputs
    net.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "up"})
    healed = await net.kind.read("leaf-01-links", again.inputs, again.outputs, context)
    assert healed is not None and healed.inputs == inputs


def patient(seconds: float) -> dict[str, Any]:
    return {"spec": {**INPUTS["leaf-01-links"]["spec"], "settle_seconds": seconds}}


async def test_what_comes_up_while_it_settles_is_no_fault(net: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "_STEP", 0.05)
    net.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "down"})
    told: list[str] = []

    def heal(text: str) -> None:
        told.append(text)
        net.world.fault({"kind": "link", "end": "leaf-01:Ethernet1/33", "state": "up"})

    made = await net.kind.create(patient(60), net.rack.context(log=heal))
    assert made.outputs["unjudged"] == []
    (said,) = told
    assert said.startswith(f"1 not as planned yet: leaf-01 {LEAF}: is down")


async def test_it_can_be_stopped_while_it_waits(net: Network) -> None:
    net.type("leaf-01", "interface Ethernet1/33", "priority-flow-control mode off")
    context = net.rack.context()
    context.cancel.set()
    with pytest.raises(ProviderError, match="stopped before leaf-01 showed what it must"):
        await net.kind.create(patient(3600), context)


async def test_a_failed_one_looks_again_and_passes_when_it_is_mended(net: Network) -> None:
    inputs, context = INPUTS["leaf-01-links"], net.rack.context()
    net.type("leaf-01", "interface Ethernet1/33", "mtu 1500")
    with pytest.raises(Incomplete) as failed:
        await net.kind.create(inputs, context)
    assert failed.value.outputs == {**inputs, "unjudged": []}
    with pytest.raises(Incomplete):
        await net.kind.update("leaf-01-links", inputs, inputs, failed.value.outputs, context)
    net.type("leaf-01", "interface Ethernet1/33", "mtu 9216")
    done = await net.kind.update("leaf-01-links", inputs, inputs, failed.value.outputs, context)
    assert done == {**inputs, "unjudged": []}
    await net.kind.delete("leaf-01-links", inputs, done, context)


async def test_a_switch_that_does_not_answer_is_named(net: Network) -> None:
    net.rack.side._fault_switch({"switch": "leaf-01", "state": "down"})
    with pytest.raises(ProviderError, match=r"leaf-01: 192\.0\.2\.11 refuses connections"):
        await net.kind.create(INPUTS["leaf-01-links"], net.rack.context())


async def test_an_answer_that_is_none_is_named(net: Network) -> None:
    net.rack.leaf.faults.refuse = {"show interface priority": "\n".join(["text"] * 9)}
    with pytest.raises(ProviderError, match="leaf-01: the answer to `show interface priority-flow-control` cannot be"):
        await net.kind.create(INPUTS["leaf-01-links"], net.rack.context())


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"hostname": ""}, "hostname"),
        ({"stage": None}, "stage"),
        ({"settle_seconds": -1}, "settle_seconds"),
        ({"settle_seconds": True}, "settle_seconds"),
        ({"interfaces": []}, "interfaces"),
        ({"interfaces": {"links": []}}, "interfaces"),
        ({"defaults": None}, "defaults"),
        ({"interfaces": {"links": {"Ethernet1/1": {"mtu": None}}}}, "mtu"),
        ({"defaults": {"links": {"mtu": 9216, "probe": "9216"}}}, "probe"),
    ],
)
def test_the_shape_is_judged(net: Network, change: dict[str, Any], place: str) -> None:
    good = INPUTS["leaf-01-links"]
    assert net.kind.check(good, CheckContext()) == []
    (failure,) = net.kind.check({"spec": {**good["spec"], **change}}, CheckContext())
    assert failure.path[-1] == place
    assert net.kind.check({"spec": None}, CheckContext())
