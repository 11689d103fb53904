"""A roll-out goes on only when the switches of a wave are no worse than right before they were written."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.read.health import Health, from_values, health_of, worse
from podwright.components.providers.nxos.read.soak import Soak
from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.protocol.kind import CheckContext, Incomplete, ProviderError
from tests.providers.nxos.forms import config
from tests.providers.nxos.rack import Rack, inputs

LINK = {
    "feature bgp": "",
    "interface Ethernet1/32": "no switchport\nmtu 9216\nip address 10.1.0.0/31\nno shutdown",
    "router bgp 64601": "router-id 10.0.0.1\nneighbor 10.1.0.1\n  remote-as 64602\n  address-family ipv4 unicast",
}
FAR = {
    "feature bgp": "",
    "interface Ethernet1/32": "no switchport\nmtu 9216\nip address 10.1.0.1/31\nno shutdown",
    "router bgp 64602": "router-id 10.0.0.2\nneighbor 10.1.0.0\n  remote-as 64601\n  address-family ipv4 unicast",
}
LOOPBACK = {**LINK, "interface loopback5": "ip address 10.0.0.5/32"}
WRONG_AS = {**LINK, "router bgp 64601": LINK["router bgp 64601"].replace("64602", "64603")}


def wave(digest: str, seconds: int = 0) -> dict[str, Any]:
    reached = {"management": "192.0.2.11", "credential": "switch-admin", "generation": 1, "digest": digest}
    return {"spec": {"schema": 1, "wave": 1, "seconds": seconds, "switches": {"leaf-01": reached}}}


class Rolling:
    """A switch and its wave's soak as one provider instance has them."""

    def __init__(self, lab: Rack) -> None:
        before: dict[str, Health] = {}
        self.pool = Pool()
        self.switch, self.soak = Switch(self.pool, before), Soak(self.pool, before)
        self.lab = lab

    async def begin(self) -> dict[str, Any]:
        far = inputs(FAR, hostname="leaf-02", management="192.0.2.12")
        await self.switch.create(far, self.lab.context())
        made = await self.switch.create(inputs(LINK), self.lab.context())
        await self.soak.create(wave("a"), self.lab.context())
        return dict(made.outputs)

    async def change(self, config: dict[str, str], outputs: dict[str, Any]) -> None:
        await self.switch.update("leaf-01", inputs(config), inputs(LINK), outputs, self.lab.context())


async def test_a_wave_that_is_as_well_as_before_lets_the_next_one_begin(lab: Rack) -> None:
    rolling = Rolling(lab)
    outputs = await rolling.begin()
    await rolling.change(LOOPBACK, outputs)
    assert (await rolling.soak.update("wave-1", wave("b"), wave("a"), {}, lab.context()))["before"] == {}
    await rolling.pool.close()


async def test_a_wave_that_lost_a_session_stops_the_roll_out_and_keeps_what_stood_before(lab: Rack) -> None:
    rolling = Rolling(lab)
    outputs = await rolling.begin()
    await rolling.change(WRONG_AS, outputs)
    lost = r"leaf-01 is worse than before the change: the BGP session with 10.1.0.1 is no longer Established"
    with pytest.raises(Incomplete, match=lost) as failed:
        await rolling.soak.update("wave-1", wave("b"), wave("a"), {}, lab.context())
    (unfinished,) = rolling.soak.unfinished(failed.value.outputs)
    assert unfinished.startswith("a change of leaf-01 did not pass its soak and the waves behind were not begun")
    again = Rolling(lab)  # a new run, a new process: what stood before comes from the state
    with pytest.raises(Incomplete, match=lost):
        await again.soak.update("wave-1", wave("b"), wave("b"), failed.value.outputs, lab.context())
    await again.switch.update("leaf-01", inputs(LINK), inputs(WRONG_AS), outputs, lab.context())
    mended = await again.soak.update("wave-1", wave("a"), wave("b"), failed.value.outputs, lab.context())
    assert mended["before"] == {}
    assert again.soak.unfinished(mended) == ()
    for each in (rolling, again):
        await each.pool.close()


async def test_a_switch_that_does_not_answer_after_the_soak_stops_the_roll_out(lab: Rack) -> None:
    rolling = Rolling(lab)
    outputs = await rolling.begin()
    await rolling.change(LOOPBACK, outputs)
    lab.side._fault_switch({"switch": "leaf-01", "state": "down"})
    await rolling.pool.close()
    with pytest.raises(Incomplete, match=r"leaf-01: 192\.0\.2\.11 refuses connections"):
        await rolling.soak.update("wave-1", wave("b"), wave("a"), {}, lab.context())


async def test_nothing_is_waited_for_when_nothing_was_written(lab: Rack) -> None:
    rolling = Rolling(lab)
    await rolling.begin()
    assert (await rolling.soak.update("wave-1", wave("a", 3600), wave("a"), {}, lab.context()))["before"] == {}
    await rolling.pool.close()


async def test_a_soak_can_be_stopped(lab: Rack) -> None:
    rolling = Rolling(lab)
    outputs = await rolling.begin()
    await rolling.change(LOOPBACK, outputs)
    context = lab.context()
    context.cancel.set()
    with pytest.raises(ProviderError, match="stopped before the soak was over"):
        await rolling.soak.update("wave-1", wave("b", 3600), wave("a"), {}, context)
    await rolling.pool.close()


def test_a_port_that_was_broken_out_is_gone_and_not_down() -> None:
    before = Health(("Ethernet1/5", "Ethernet1/6"))
    running = config("interface breakout module 1 port 5 map 200g-2x\ninterface Ethernet1/5/1\ninterface Ethernet1/6\n")
    assert list(worse(before, Health(), running)) == ["Ethernet1/6 went down"]


def test_what_was_taken_down_on_purpose_is_not_worse() -> None:
    before = Health(("Ethernet1/1", "Ethernet1/2"), ("10.1.0.1", "10.1.0.3"), crc={"Ethernet1/1": 7})
    running = config(
        "interface Ethernet1/1\n  mtu 9216\n  shutdown\n\ninterface Ethernet1/2\n\nrouter bgp 1\n  neighbor 10.1.0.1\n"
    )
    assert list(worse(before, Health((), (), crc={"Ethernet1/1": 9}), running)) == [
        "Ethernet1/2 went down",
        "the BGP session with 10.1.0.1 is no longer Established",
        "Ethernet1/1 received 2 damaged frames (CRC)",
    ]
    assert from_values(before.as_values()) == before


RENUMBERED = {
    **LINK,
    "interface Ethernet1/32": LINK["interface Ethernet1/32"].replace("10.1.0.0/31", "10.7.0.0/31"),
    "router bgp 64601": LINK["router bgp 64601"].replace("10.1.0.1", "10.7.0.1"),
}


async def test_a_wave_whose_sessions_were_renumbered_at_one_end_stops_the_roll_out(lab: Rack) -> None:
    """No neighbour of before is configured any more, so none of them is missed by name."""
    rolling = Rolling(lab)
    outputs = await rolling.begin()
    await rolling.change(RENUMBERED, outputs)
    lost = r"leaf-01 is worse than before the change: 0 routing sessions are up; 1 were, and 1 are configured"
    with pytest.raises(Incomplete, match=lost) as failed:
        await rolling.soak.update("wave-1", wave("b"), wave("a"), {}, lab.context())
    assert "run `podwright up` to undo this one" in str(failed.value)
    await rolling.pool.close()


ROUTER = "router bgp 1\n  neighbor {}\n    remote-as 2\n    address-family ipv4 unicast\n"
OSPF = "interface Ethernet1/33\n  ip router ospf UNDERLAY area 0.0.0.0\n"


@pytest.mark.parametrize(
    ("before", "now", "running", "expected"),
    [
        (Health(sessions=("a", "b")), Health(sessions=("c",)), ROUTER.format("c"), []),
        (
            Health(sessions=("a", "b")),
            Health(),
            ROUTER.format("c"),
            ["0 routing sessions are up; 2 were, and 1 are configured"],
        ),
        (Health(sessions=("a",)), Health(adjacencies=("Ethernet1/33",)), OSPF, []),
        (Health(sessions=("a",)), Health(), OSPF, ["0 routing sessions are up; 1 were, and 1 are configured"]),
        (Health(sessions=("a",)), Health(), OSPF + "  shutdown\n", []),
        (Health(routes=10), Health(routes=5), "", []),
        (Health(routes=10), Health(routes=4), "", ["4 routes are learned from neighbours; 10 were"]),
    ],
)
def test_sessions_and_routes_are_counted(before: Health, now: Health, running: str, expected: list[str]) -> None:
    assert list(worse(before, now, config(running))) == expected


def test_adjacencies_and_learned_routes_are_read() -> None:
    adjacent = (
        " OSPF Process ID UNDERLAY VRF default\n Total number of neighbors: 2\n"
        " Neighbor ID     Pri State            Up Time  Address         Interface\n"
        " 10.0.0.1          1 FULL/ -          5d12h    10.1.0.0        Eth1/33\n"
        " 10.0.0.2          1 EXSTART/ -       00:00:01 10.1.0.2        Eth1/34\n"
    )
    routes = (
        "10.0.0.1/32, ubest/mbest: 2/0\n    *via 10.1.0.0, Eth1/33, [110/41], 5d12h, ospf-UNDERLAY, intra\n"
        "    *via 10.1.0.2, Eth1/34, [110/41], 5d12h, ospf-UNDERLAY, intra\n"
        "10.1.0.0/31, ubest/mbest: 1/0, attached\n    *via 10.1.0.1, Eth1/33, [0/0], 5d12h, direct\n"
        "10.64.0.0/24, ubest/mbest: 1/0\n    *via 10.1.0.0, [20/0], 5d12h, bgp-64601, external, tag 65001\n"
    )
    found = health_of("", "", adjacent, routes)
    assert (found.adjacencies, found.routes) == (("Ethernet1/33",), 2)
    assert from_values(found.as_values()) == found
    assert from_values({"ports": [], "sessions": ["a"], "crc": {}}) == Health(sessions=("a",))


def test_a_neighbour_with_a_long_name_has_two_lines_and_an_interface_its_full_name() -> None:
    text = (
        "fd00:10:1:0:ffff:ffff:ffff:1\n                4 65001      20      20    1   0    0 01:02:03 12\n"
        "10.1.0.3  4 65001 0 0 0 0 0 never Idle\nEth1/41  4 65001 9 9 1 0 0 00:01:02 3\n"
    )
    assert health_of("", text).sessions == ("Ethernet1/41", "fd00:10:1:0:ffff:ffff:ffff:1")


@pytest.mark.parametrize("spec", [None, {}, {"switches": {}, "seconds": -1}, {"switches": [], "seconds": 1}])
def test_a_soak_s_shape_is_judged(spec: Any) -> None:
    assert Soak(Pool(), {}).check({"spec": spec}, CheckContext())


def test_routes_of_another_protocol_are_not_counted_against_those_before() -> None:
    ospf = Health(adjacencies=("Ethernet1/1",), routes=65)
    assert list(worse(ospf, Health(sessions=("10.1.0.1",), routes=16), {})) == []
    assert list(worse(ospf, Health(adjacencies=("Ethernet1/1",), routes=16), {})) != []
    assert list(worse(ospf, Health(sessions=("10.1.0.1",)), {})) != []
