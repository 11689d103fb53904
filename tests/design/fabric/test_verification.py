"""What must be seen is what a switch with the plan's text shows: every example, on the lab's switches, fully cabled.

The lab answers from its own reading of the text, so a port, neighbour or size that one of the two gets wrong differs.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.world import world
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.nxos.read import echo
from podwright.components.providers.nxos.read.findings import sentences
from podwright.components.providers.nxos.read.interfaces import live, look
from podwright.components.providers.nxos.session import Address, RefusedError, refusal
from podwright.lab.nxos.session import Session
from tests.lab.typed_rack import rack
from tools import goldens

EXAMPLES = [example for example in goldens.examples() if example != "pod-128"]
"""The large pod is the lab's fabric again, forty-eight times."""


class Console:
    """A switch's answers without a network in between."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.address = Address(session.device.hostname, "", "", "")

    async def show(self, command: str) -> str:
        answer = self._session.run(command)
        if answer.count("\n") <= 4 and (sentence := refusal(answer)) is not None:
            raise RefusedError(command, sentence)
        return answer


def standing(example: str, folder: Path) -> tuple[model.Cluster, Mapping[str, Session]]:
    """A terminal on each switch of an example, the plan typed in and all servers on."""
    cluster = model.load(goldens.stack_file(example))
    stood, sessions = rack(cluster, world(cluster), folder)
    for host in stood.hosts.values():
        host.power = "On"
    return cluster, sessions


def seen_by(session: Session, planned: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    console: Any = Console(session)
    return asyncio.run(look(console, planned))


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_switch_with_the_plan_s_text_shows_what_is_planned(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(echo, "_PATIENCE", 0.0)
    cluster, sessions = standing(example, tmp_path)
    plan = fabric.plan(cluster.network)
    links = 0
    for switch in plan.switches:
        for stage, rows in fabric.verified(cluster.network, plan, switch).items():
            planned = {name: each.values() for name, each in rows.items()}
            seen = live(planned, seen_by(sessions[switch.hostname], planned))
            assert seen == planned, f"{switch.hostname} {stage}"
            links += sum("bfd" in row for row in planned.values())
    assert links == 2 * len(plan.uplinks)


EVPN = {
    "a neighbour less": ("spine-01", ["router bgp 65200", "no neighbor 10.0.0.65"], {"leaf-01": 1, "spine-01": 1}),
    "a session from another address": (
        "leaf-02", ["router bgp 65200", "neighbor 10.0.0.1", "no update-source loopback0"],
        {"leaf-02": 1, "spine-01": 1},
    ),
    "no EVPN for a neighbour": (
        "leaf-03", ["router bgp 65200", "neighbor 10.0.0.2", "no address-family l2vpn evpn"],
        {"leaf-03": 1, "spine-02": 1},
    ),
    "a loopback that OSPF does not carry": (
        "spine-02", ["interface loopback0", "no ip router ospf UNDERLAY area 0.0.0.0"],
        {"leaf-01": 1, "leaf-02": 1, "leaf-03": 1, "leaf-04": 1, "spine-02": 4},
    ),
}  # fmt: skip
"""Where, the lines typed there, and how many EVPN sessions each switch then lacks."""


@pytest.mark.parametrize("fault", EVPN)
def test_an_evpn_session_that_does_not_stand_is_named_at_both_ends(fault: str, tmp_path: Path) -> None:
    cluster, sessions = standing("evpn", tmp_path)
    plan = fabric.plan(cluster.network)
    switch, lines, expected_at = EVPN[fault]
    for line in ["configure terminal", *lines, "end"]:
        assert sessions[switch].run(line) == "", line
    lacking: dict[str, int] = {}
    for each in plan.switches:
        planned = {name: row.values() for name, row in fabric.verified(cluster.network, plan, each)["links"].items()}
        seen = seen_by(sessions[each.hostname], planned)
        said = sentences(each.hostname, planned, seen)
        assert all("the EVPN session with" in sentence and "is not Established" in sentence for sentence in said)
        apart = [name for name, row in live(planned, seen).items() if row != planned[name]]
        assert bool(said) == bool(apart) and all(name.startswith("evpn ") for name in apart)
        if apart:
            lacking[each.hostname] = len(apart)
    assert lacking == expected_at


def test_what_a_tenant_s_vrf_lacks_is_named_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(echo, "_PATIENCE", 0.0)
    cluster, sessions = standing("vrf", tmp_path)
    plan = fabric.plan(cluster.network)
    process = next(line for line in plan.switch("leaf-01").config if line.startswith("router bgp "))
    typed_there = [
        *("configure terminal", process, "vrf blue", "neighbor 10.1.0.0", "shutdown", "exit", "neighbor 10.1.0.2"),
        *("no bfd", "interface Ethernet1/35", "mtu 1500", "end"),
    ]
    for line in typed_there:
        assert sessions["leaf-01"].run(line) == "", line
    said = {}
    for name in ("leaf-01", "spine-01", "leaf-02", "leaf-03"):
        rows = fabric.verified(cluster.network, plan, plan.switch(name))["links"]
        planned = {port: row.values() for port, row in rows.items()}
        found = sentences(name, planned, seen_by(sessions[name], planned))
        said[name] = [sentence.partition(";")[0] for sentence in found]
    assert said == {
        "leaf-01": [
            "leaf-01 Ethernet1/33 (to spine-01 Ethernet1/1): the BGP session with 10.1.0.0 vrf blue is not Established",
            "leaf-01 Ethernet1/34 (to spine-01 Ethernet1/2): the BFD session with 10.1.0.2 vrf blue is not up",
            "leaf-01 Ethernet1/35 (to spine-02 Ethernet1/1): has MTU 1500, planned 9216",
        ],
        "spine-01": [
            "spine-01 Ethernet1/1 (to leaf-01 Ethernet1/33): the BGP session with 10.1.0.1 vrf blue is not Established",
            "spine-01 Ethernet1/2 (to leaf-01 Ethernet1/34): the BFD session with 10.1.0.3 vrf blue is not up",
        ],
        "leaf-02": [],
        "leaf-03": [],
    }


def test_every_cabled_port_is_asked_once_and_says_what_it_faces() -> None:
    for example in goldens.examples():
        cluster = model.load(goldens.stack_file(example))
        plan = fabric.plan(cluster.network)
        for switch in plan.switches:
            stages = fabric.verified(cluster.network, plan, switch)
            names = [name for rows in stages.values() for name in rows if not name.startswith(("Vlan", "evpn "))]
            assert sorted(names) == sorted(switch.links), switch.hostname
            for name, row in {**stages.get("links", {}), **stages.get("hosts", {})}.items():
                assert name not in switch.links or row.faces == f"{switch.links[name].device} {switch.links[name].port}"


def rows(example: str, switch: str, **extra: str) -> dict[str, dict[str, Any]]:
    """Every interface of a switch, with lines of our own under `interface Ethernet1/33`."""
    cluster = model.load(goldens.stack_file(example))
    raw = {switch: {"interface Ethernet1/33": extra["lines"]}} if extra else {}
    said = cluster.model_copy(update={"fabric": cluster.fabric.model_copy(update={"extra": raw})})
    plan = fabric.plan(said.network)
    stages = fabric.verified(said.network, plan, plan.switch(switch))
    return {name: row.values() for each in stages.values() for name, row in each.items()}


def test_raw_lines_count_and_what_is_negotiated_is_not_asked() -> None:
    port = rows("lab", "leaf-01", lines="mtu 4200\npriority-flow-control mode auto")["Ethernet1/33"]
    assert (port["mtu"], port["probe"], "pfc" in port) == (4200, 4200, False)


def test_members_of_a_port_channel_have_what_it_says_and_a_pair_without_the_class_no_pause() -> None:
    storage, front = rows("pairs", "stor-01")["Ethernet1/35"], rows("pairs", "front-01")["Ethernet1/35"]
    assert storage == {"faces": "stor-02 Ethernet1/35", "up": True, "mtu": 9216, "pfc": 8, "watchdog": True}
    assert front == {"faces": "front-02 Ethernet1/35", "up": True, "mtu": 9216}


def test_links_without_addresses_have_no_echo_and_tenants_their_own_vrf() -> None:
    port = rows("unnumbered", "leaf-01")["Ethernet1/33"]
    assert (port["neighbor"], "probe" in port, "answered" in port) == ("Ethernet1/33", False, False)
    assert rows("vrf", "leaf-01")["Ethernet1/33"]["vrf"] == "blue"
