"""Ports of bonds on a host: what nmstate refuses, what the kernel makes of them, what switches meet after a restart."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.install.hosts import Member
from podwright.lab.openshift.nmstate.host import NmstateError, ProbeError, applied, installed, shown
from podwright.lab.openshift.nmstate.ports import bonds, in_force
from podwright.lab.world.inventory import Bond
from podwright.lab.world.model import Nic, Server
from tests.lab.openshift.test_nmstate import ADDRESS, host, server

STORED = ("02:00:00:00:04:01", "02:00:00:00:04:02")
OWN = Bond("802.3ad", frozenset(STORED))


def factory() -> dict[str, dict[str, Any]]:
    """A host with its machine network on bond0, and two NICs beside it that nobody has configured."""
    machine: Server = server()
    machine.nics |= {f"stor{n}": Nic(f"stor{n}", 100, mac, f"0000:41:00.{n}", "1017") for n, mac in enumerate(STORED)}
    return installed(host(), machine, "by-path")


def bond(*ports: str, name: str = "bond1", **change: Any) -> dict[str, Any]:
    return {"name": name, "type": "bond", "state": "up", "mtu": 9000,
            "link-aggregation": {"mode": "802.3ad", "port": list(ports)}, **change}  # fmt: skip


NICS = ("enp65s0f0np0", "enp65s0f1np1")


def test_a_bond_gives_its_ports_its_address_and_takes_it_back_with_itself() -> None:
    before = factory()
    made = applied(before, {"interfaces": [bond(*NICS, ipv4=ADDRESS)]})
    assert {made[name]["mac-address"] for name in (*NICS, "bond1")} == {STORED[0]}
    assert {made[name]["controller"] for name in NICS} == {"bond1"}
    assert bonds(made)[-1] == OWN, "a switch meets the addresses that they were made with"
    gone = applied(made, {"interfaces": [{"name": "bond1", "type": "bond", "state": "absent"}]})
    assert [gone[name]["mac-address"] for name in NICS] == list(STORED)
    assert gone == before


@pytest.mark.parametrize("form", ["all", "bare"])
def test_a_port_shows_no_ip_and_its_controller_and_own_address_only_in_some_releases(form: str) -> None:
    made = applied(factory(), {"interfaces": [bond(*NICS)]})
    port = next(each for each in shown(made, form) if each["name"] == NICS[1])
    assert not {"ipv4", "ipv6"} & port.keys()
    assert (
        {"controller", "permanent-mac-address"} <= port.keys()
        if form == "all"
        else port.keys().isdisjoint({"controller", "permanent-mac-address"})
    )
    assert port["mac-address"] == STORED[0]


def test_a_port_that_another_bond_takes_leaves_its_own() -> None:
    made = applied(factory(), {"interfaces": [bond(*NICS)]})
    moved = applied(made, {"interfaces": [bond(NICS[1], name="nfs")]})
    assert moved["bond1"]["link-aggregation"]["port"] == [NICS[0]]
    assert (moved[NICS[1]]["controller"], moved[NICS[1]]["mac-address"]) == ("nfs", STORED[1])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([bond(*NICS), bond(NICS[0], name="nfs")], "Port enp65s0f0np0 is overbooked by two controller: nfs, bond1"),
        ([bond("eno9")], "needs eno9, which does not exist"),
        (
            [bond(*NICS), {"name": NICS[0], "type": "ethernet", "state": "up", "ipv4": ADDRESS}],
            "enp65s0f0np0 cannot have IP enabled as it is attached to a controller",
        ),
    ],
)
def test_what_nmstate_refuses_of_bonds(rows: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(NmstateError) as refused:
        applied(factory(), {"interfaces": rows})
    assert words in str(refused.value)


def test_a_port_taken_from_under_the_bridge_costs_the_gateway_though_its_bond_is_not_named() -> None:
    with pytest.raises(ProbeError, match="'ping'"):
        applied(factory(), {"interfaces": [bond("enp2s0np0", NICS[1])]})


def test_a_host_that_starts_again_has_the_bonds_that_its_handler_made_and_one_installed_anew_its_images() -> None:
    member = Member("gpu-1", "gpu-1", "worker", "192.0.2.31", (Bond("802.3ad", frozenset({"02:00:00:00:00:01"})),))
    made = applied(factory(), {"interfaces": [bond(*NICS)]})
    memory = {"gpu-1": HostMemory(network=copy.deepcopy(made))}
    assert OWN in in_force(member, memory, "Hdd")
    assert in_force(member, memory, "Cd") == member.bonds
    assert in_force(member, {"gpu-1": HostMemory()}, "Hdd") == in_force(member, {}, "Hdd") == member.bonds
