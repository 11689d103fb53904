"""What the installer's stand-in refuses of a host's network, and what it makes of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from podwright.lab.openshift.install.config import host_problems
from podwright.lab.openshift.install.nmstate import bonds
from podwright.lab.world.inventory import Bond

HOST: dict[str, Any] = {
    "hostname": "gpu-01",
    "interfaces": [
        {"name": "one", "macAddress": "02:00:00:00:00:01"},
        {"name": "two", "macAddress": "02:00:00:00:00:02"},
    ],
    "networkConfig": {
        "interfaces": [
            {"name": "one", "type": "ethernet", "state": "up"},
            {"name": "two", "type": "ethernet", "state": "up"},
            {
                "name": "bond0",
                "type": "bond",
                "state": "up",
                "link-aggregation": {"mode": "802.3ad", "options": {"miimon": "100"}, "port": ["one", "two"]},
            },
            {"name": "bond0.20", "type": "vlan", "state": "up", "vlan": {"base-iface": "bond0", "id": 20}},
        ]
    },
}


def changed(place: int, **change: Any) -> dict[str, Any]:
    host = copy.deepcopy(HOST)
    host["networkConfig"]["interfaces"][place] |= change
    return host


def test_a_bond_over_two_interfaces_with_mac_addresses_is_taken_and_known_by_those() -> None:
    assert host_problems([HOST]) == []
    assert bonds(HOST) == (Bond("802.3ad", frozenset({"02:00:00:00:00:01", "02:00:00:00:00:02"})),)


@pytest.mark.parametrize(
    ("host", "word"),
    [
        ({**HOST, "interfaces": HOST["interfaces"][:1]}, "mac-interface mapping for interface two is missing"),
        (changed(1, name="three"), "mac-interface mapping for interface three is missing"),
        ({**HOST, "networkConfig": {"interface": []}}, "unknown field `interface`"),
        (changed(2, bonding={}), "unknown field `bonding` of interface bond0"),
        (changed(2, **{"link-aggregation": {"mode": "lacp", "port": ["one"]}}), "Bond bond0 has no mode"),
        (changed(2, **{"link-aggregation": {"mode": "802.3ad", "prot": []}}), "unknown field `prot` of bond bond0"),
        (changed(3, vlan={"base-iface": "bond0", "id": 4096}), "VLAN bond0.20"),
        (changed(3, vlan={"base-iface": "storage", "id": 20}), "mapping for interface storage is missing"),
        (changed(3, type="8021q"), "unknown type '8021q'"),
    ],
)
def test_what_nmstate_or_the_agent_could_not_apply_is_refused(host: dict[str, Any], word: str) -> None:
    found = host_problems([host])
    assert any(word in each for each in found), found
    assert all(each.startswith("hosts[0].networkConfig") for each in found)


def test_an_interface_by_the_name_that_the_kernel_gives_it_needs_no_mac_address() -> None:
    assert (
        host_problems([{**HOST, "interfaces": HOST["interfaces"][:1]} | {"networkConfig": _with("eno12399np0")}]) == []
    )


def _with(name: str) -> dict[str, Any]:
    first = HOST["networkConfig"]["interfaces"][0]
    return {"interfaces": [first, {"name": name, "type": "ethernet", "state": "up"}]}
