"""Networks of hosts as the frontend pair has them: bonds, VLANs, MTU, addresses and the route out."""

import copy
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.design.compute import host_network
from podwright.components.model import coherence
from podwright.components.providers.openshift.install.check import judge
from podwright.components.providers.openshift.install.files import agent_config, install_config
from podwright.lab.openshift.install.config import agent_problems
from tests.design import whole
from tests.model.changes import LAB, PROD, Said, both, drop, put
from tools.generated import ROOT

GOLDEN = ROOT / "tests/design/compute/host_network.yaml"
RACK = {
    "model": "UCSC-C225-M8N",
    "bmc": "203.0.113.121",
    "domain": None,
    "boot_mac": "02:25:b5:00:01:03",
    "bond_mac": "02:25:b5:00:01:43",
}
"""A control-plane host that stands in a rack with ports of its own, instead of the blade."""
RACK_PORT = {"port": "Ethernet1/21", "channel": 121, "device": "cp-03", "vlans": [10, 20], "boots": True}


def spec(said: Said) -> dict[str, Any]:
    found: dict[str, Any] = whole.compute(model.load(said)).install
    return found


def networks(said: Said) -> dict[str, Any]:
    return {host["name"]: host.get("network") for host in spec(said)["hosts"]}


def changed(*changes: Any) -> Said:
    said = copy.deepcopy(PROD)
    both(*changes)(said)
    return said


def racked() -> Said:
    changes = [put(f"servers/cp-03/{key}", value) for key, value in RACK.items() if value is not None]
    return changed(*changes, drop("servers/cp-03/domain"), put("fabric/frontend/ports/cp-03", RACK_PORT))


def interfaces(network: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in network["state"]["interfaces"]}


def test_three_kinds_of_hosts_are_written_down() -> None:
    """A GPU server and a control-plane host in racks, and a blade."""
    found = networks(racked())
    made = {name: found[name] for name in ("gpu-01", "cp-03", "inf-01")}
    assert made == yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))


def test_a_bundle_of_the_switch_ends_in_one_of_the_host_and_an_interconnects_does_not() -> None:
    found = networks(racked())
    modes = {name: interfaces(network)["bond0"]["link-aggregation"]["mode"] for name, network in found.items()}
    assert {mode for name, mode in modes.items() if name.startswith(("gpu", "cp-03"))} == {"802.3ad"}
    assert {modes[name] for name in ("cp-01", "cp-02", "inf-01", "inf-03")} == {"active-backup"}
    servers = model.load(racked()).servers
    assert modes == {name: host_network.bonded(server) for name, server in servers.items()}


def test_a_bond_has_both_interfaces_that_the_file_names_and_the_installer_finds_them_by_mac() -> None:
    for name, server in model.load(PROD).servers.items():
        network = networks(PROD)[name]
        assert network["interfaces"] == {"boot0": server.boot_mac, "boot1": server.bond_mac}
        assert interfaces(network)["bond0"]["link-aggregation"]["port"] == ["boot0", "boot1"]


@pytest.mark.parametrize("mtu", [9000, 4200])
def test_the_mtu_is_that_of_the_pairs_hosts_on_every_interface(mtu: int) -> None:
    found = networks(changed(put("fabric/lossless/host_mtu", mtu)))
    assert {each["mtu"] for network in found.values() for each in network["state"]["interfaces"]} == {mtu}


def test_a_pair_with_a_class_of_its_own_has_an_mtu_of_its_own() -> None:
    found = networks(changed(put("fabric/frontend/lossless", {"host_mtu": 8000})))
    assert {each["mtu"] for network in found.values() for each in network["state"]["interfaces"]} == {8000}


def test_an_address_beside_the_machine_network_has_the_same_host_number_and_its_vlans_tag() -> None:
    own = interfaces(networks(PROD)["gpu-07"])
    assert own["bond0"]["ipv4"]["address"] == [{"ip": "198.51.100.107", "prefix-length": 24}]
    assert own["bond0.20"]["vlan"] == {"base-iface": "bond0", "id": 20}
    assert own["bond0.20"]["ipv4"]["address"] == [{"ip": "10.20.0.107", "prefix-length": 24}]
    assert "bond0.30" not in own, "services: no interface of a host"


def test_a_machine_network_that_is_tagged_has_an_interface_of_its_own_with_the_route() -> None:
    network = networks(changed(put("fabric/frontend/ports/gpu-01/vlans", [20, 10])))["gpu-01"]
    own = interfaces(network)
    assert own["bond0.10"]["ipv4"]["address"][0]["ip"] == "198.51.100.101"
    assert own["bond0"]["ipv4"]["address"][0]["ip"] == "10.20.0.101", "the storage VLAN is untagged here"
    assert [each["next-hop-interface"] for each in network["state"]["routes"]["config"]] == ["bond0.10"]
    assert network["state"]["routes"]["config"][0]["next-hop-address"] == "198.51.100.1"


def test_a_host_with_one_interface_keeps_one_and_gets_its_vlans_on_that() -> None:
    own = interfaces(networks(changed(drop("servers/gpu-01/bond_mac")))["gpu-01"])
    assert set(own) == {"boot0", "boot0.20"}
    assert own["boot0.20"]["vlan"]["base-iface"] == "boot0"


def test_what_no_file_asks_for_changes_nothing() -> None:
    assert set(networks(LAB).values()) == {None}, "no frontend pair: as it always was"
    said = changed(
        drop("fabric/frontend/vlans/storage/hosts"), *(drop(f"servers/{n}/bond_mac") for n in PROD["servers"])
    )
    assert set(networks(said).values()) == {None}, "one interface, one network"


def test_the_installer_takes_what_is_planned() -> None:
    for said in (PROD, racked(), changed(put("fabric/frontend/ports/gpu-01/vlans", [20, 10]))):
        made = spec(said)
        assert judge({"spec": made}) == []
        secret = '{"auths":{"registry.example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}'
        assert agent_problems(agent_config(made), install_config(made, secret)) == []


def test_a_server_that_was_renamed_is_bonded_under_the_name_of_its_node() -> None:
    cluster = model.load(changed(put("servers/gpu-01/object_name", "old-01")))
    pair, network = cluster.nodes_frontend, cluster.fabric.frontend_mtu
    assert pair is not None and cluster.openshift is not None
    assert not list(coherence.bonds_problems(cluster.nodes, pair))
    frontend = host_network.Pairs(pair, network)
    made = host_network.spec("old-01", cluster.nodes["old-01"], cluster.openshift, cluster.site, frontend)
    assert made["network"] == networks(PROD)["gpu-01"]


def test_a_blades_second_vnic_has_the_mac_address_that_its_bond_names() -> None:
    lan = next(each for each in whole.compute(model.load(PROD)).policies if each.name == "prod-lan-inf-01")
    macs = {child.name: child.properties.get("StaticMacAddress") for child in lan.children}
    assert macs == {"eth0": "02:25:B5:00:02:01", "eth1": "02:25:B5:00:02:41"}
