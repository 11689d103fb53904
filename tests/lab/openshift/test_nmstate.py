"""A host's interfaces as NMState's handler changes them: what nmstate refuses, what the kernel makes of it, probes."""

import copy
import hashlib
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.nmstate.host import NmstateError, ProbeError, applied, installed, shown
from podwright.lab.world.model import Nic, Server

PUBLISHED = {
    "nmstates": "c5ec62e75fed99d023a9747256675aa2da8511dd81eed072932c5e38dabec291",
    "nodenetworkconfigurationenactments": "cea7384e379052fa41883a4d1f92eaf0edcd8beebf4bbaedd0b19e4677ddf617",
    "nodenetworkconfigurationpolicies": "3b03cdbda5dc4a48064dd1ebec5fb24263eec09da486eb455d3e6fba61b9bab5",
    "nodenetworkstates": "bcabd0594e6e8fb550f95098f71db428eb6f290c02300d92f0138de355cd5877",
}
"""SHA-256 of deploy/crds/nmstate.io_<name>.yaml of nmstate/kubernetes-nmstate at c97527555ffa (July 2026)."""
MACS = ("02:00:00:00:00:01", "02:00:00:00:01:01")
ADDRESS = {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.31", "prefix-length": 24}]}


def server() -> Server:
    nics = {
        f"mgmt{port}": Nic(f"mgmt{port}", 25, mac, f"0000:0{port + 1}:00.0", "1017") for port, mac in enumerate(MACS)
    }
    return Server("gpu-1", "UCSC-885A-M8", "WZP00000001", "u", "192.0.2.101", MACS[0], nics=nics)


def host(tagged: bool = False) -> dict[str, Any]:
    """As podwright's plan of a bonded host, or anybody's, gives it to the installer."""
    nics = [{"name": f"boot{port}", "type": "ethernet", "state": "up", "mtu": 9000} for port in (0, 1)]
    bond = {"name": "bond0", "type": "bond", "state": "up", "mtu": 9000,
            "link-aggregation": {"mode": "802.3ad", "options": {}, "port": ["boot0", "boot1"]}}  # fmt: skip
    leading = "bond0.10" if tagged else "bond0"
    vlans = [vlan("bond0.10", ipv4=ADDRESS)] if tagged else []
    if not tagged:
        bond["ipv4"] = ADDRESS
    routes = {"config": [{"destination": "0.0.0.0/0", "next-hop-address": "192.0.2.1", "next-hop-interface": leading}]}
    rows = [{"name": f"boot{port}", "macAddress": mac} for port, mac in enumerate(MACS)]
    return {"interfaces": rows, "networkConfig": {"interfaces": [*nics, bond, *vlans], "routes": routes}}


def vlan(name: str, **change: Any) -> dict[str, Any]:
    base, _, number = name.rpartition(".")
    return {"name": name, "type": "vlan", "state": "up", "vlan": {"base-iface": base, "id": int(number)}, **change}


def names(tagged: bool = False) -> dict[str, dict[str, Any]]:
    return installed(host(tagged), server(), "by-path")


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_definitions_are_the_published_ones(name: str) -> None:
    text = (Path(OWN) / f"nmstate.io_{name}.yaml").read_bytes()
    assert hashlib.sha256(text).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize("tagged", [False, True])
def test_the_machine_network_is_on_the_bridge_and_nics_have_the_kernels_names(tagged: bool) -> None:
    found = names(tagged)
    leading = "bond0.10" if tagged else "bond0"
    assert found["br-ex"]["ipv4"] == ADDRESS
    assert found[leading]["ipv4"]["enabled"] is False
    assert found[leading]["controller"] == "br-ex"
    assert found["bond0"]["link-aggregation"]["port"] == ["enp1s0np0", "enp2s0np0"]
    assert found["enp1s0np0"]["mac-address"] == MACS[0]
    assert not {"boot0", "boot1"} & found.keys()


def test_a_host_without_a_configuration_shows_its_nics() -> None:
    assert set(installed({}, server(), "by-path")) >= {"enp1s0np0", "enp2s0np0"}


def test_a_vlan_comes_and_goes_and_all_else_stays() -> None:
    before = names()
    after = applied(before, {"interfaces": [vlan("bond0.20", mtu=9000, ipv4=ADDRESS)]})
    assert set(after) == {*before, "bond0.20"}
    assert after["bond0.20"]["ipv4"] == ADDRESS
    assert {name: each for name, each in after.items() if name != "bond0.20"} == before
    gone = applied(after, {"interfaces": [{"name": "bond0.20", "type": "vlan", "state": "absent"}]})
    assert gone == before
    assert [each["name"] for each in shown(after)] == sorted(after)


def test_applying_the_same_again_changes_nothing() -> None:
    state = {"interfaces": [vlan("bond0.20", mtu=9000, ipv4=ADDRESS)]}
    once = applied(names(), state)
    assert applied(copy.deepcopy(once), state) == once


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (vlan("bond1.20"), "needs bond1, which does not exist"),
        ({"name": "eno7", "type": "ethernet", "state": "up"}, "eno7 does not exist"),
        (vlan("bond0.20", mtu=9216), "mtu desire '9216', current '9000'"),
        (vlan("bond0.20", colour="red"), "unknown field `colour`"),
        ({"name": "bond0.20", "type": "vlan", "state": "up"}, "an id up to 4095 and a base-iface"),
        ({"name": "bond0", "type": "vlan", "vlan": {"base-iface": "enp1s0np0", "id": 5}}, "bond0 is bond, not vlan"),
    ],
)
def test_what_nmstate_refuses(row: dict[str, Any], expected: str) -> None:
    with pytest.raises(NmstateError, match="NmstateError") as refused:
        applied(names(), {"interfaces": [row]})
    assert expected in str(refused.value)


@pytest.mark.parametrize(
    "row",
    [
        {"name": "bond0", "type": "bond", "link-aggregation": {"mode": "active-backup", "port": []}},
        {"name": "bond0", "type": "bond", "state": "absent"},
        {"name": "enp1s0np0", "type": "ethernet", "state": "up", "mtu": 1500},
        {"name": "br-ex", "type": "ovs-interface", "state": "absent"},
    ],
)
def test_whoever_changes_what_is_under_the_bridge_loses_the_gateway(row: dict[str, Any]) -> None:
    with pytest.raises(ProbeError, match="'ping'"):
        applied(names(), {"interfaces": [row]})
