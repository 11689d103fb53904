"""The bond of a host's two interfaces on the storage pair: in its image, and for a node that runs."""

import copy
from typing import Any

import pytest
import yaml

from podwright.components import model
from podwright.components.changes.impact import impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.design.compute.host_network import on_storage
from podwright.components.design.compute.standing_network import UNKNOWN_NICS
from podwright.components.providers.openshift.install.check import judge
from podwright.components.providers.openshift.install.files import agent_config, install_config
from podwright.components.providers.openshift.pools.host_network import HostNetworkKind
from podwright.components.providers.protocol.kind import CheckContext
from podwright.lab.openshift.install.config import agent_problems
from tests.design import whole
from tests.design.compute.test_host_network import interfaces
from tests.design.compute.test_standing_network import derived
from tests.model.changes import Said, both, drop, put
from tests.model.storage_bond_cases import MACS, NFS, OWN, PAIRS, PORT
from tools.generated import ROOT

GOLDEN = ROOT / "tests/design/compute/storage_bonds.yaml"
TOKEN = "podwright:openshift:HostNetwork"
TAGGED = both(
    put("fabric/storage/vlans/objects", {"id": 21, "subnet": "10.23.0.0/24", "purpose": "storage", "hosts": True}),
    put(f"{PORT}/vlans", [20, 21]),
)


def changed(*changes: Any) -> Said:
    said = copy.deepcopy(PAIRS)
    both(*changes)(said)
    return said


def network(said: Said, name: str = "gpu-01") -> dict[str, Any]:
    hosts = whole.compute(model.load(copy.deepcopy(said))).install["hosts"]
    found: dict[str, Any] = next(host for host in hosts if host["name"] == name).get("network") or {}
    return found


def stored(said: Said) -> dict[str, dict[str, Any]]:
    return {name: row for name, row in interfaces(network(said)).items() if on_storage(row)}


def rollout(said: Said) -> dict[str, Any]:
    return whole.host_networks(model.load(copy.deepcopy(said)))["training"]


def test_a_host_with_a_bond_on_each_pair_is_written_down() -> None:
    said = changed(TAGGED, put("servers/gpu-01/bond_mac", "02:00:00:00:02:41"))
    assert network(said) == yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))


def test_the_bond_speaks_lacp_over_both_interfaces_that_the_file_names() -> None:
    assert network(PAIRS)["interfaces"] == {"boot0": "02:00:00:00:02:01", "stor0": MACS[0], "stor1": MACS[1]}
    bundle = stored(PAIRS)["bond1"]["link-aggregation"]
    assert (bundle["mode"], bundle["port"]) == ("802.3ad", ["stor0", "stor1"])


def test_the_first_vlan_of_the_port_is_untagged_and_each_address_has_the_machine_networks_host_number() -> None:
    found = stored(changed(TAGGED))
    addresses = {name: row["ipv4"].get("address", [{}])[0].get("ip") for name, row in found.items()}
    assert addresses == {"stor0": None, "stor1": None, "bond1": "10.20.0.141", "bond1.21": "10.23.0.141"}
    assert found["bond1.21"]["vlan"] == {"base-iface": "bond1", "id": 21}
    alone = stored(changed(drop(f"{NFS}/hosts")))
    assert not alone["bond1"]["ipv4"]["enabled"], "a bond without an address: somebody else gives it one"


def test_the_route_out_and_the_machine_network_stay_on_the_frontend() -> None:
    said = changed(TAGGED)
    before = changed(drop(OWN), drop(f"{NFS}/hosts"))
    own, plain = network(said)["state"], network(before)["state"]
    assert [row for row in own["interfaces"] if not on_storage(row)] == plain["interfaces"]
    assert (own["routes"], own["dns-resolver"]) == (plain["routes"], plain["dns-resolver"])


@pytest.mark.parametrize("mtu", [9000, 4200])
def test_the_mtu_is_that_of_the_storage_pairs_hosts(mtu: int) -> None:
    found = stored(changed(TAGGED, put("fabric/storage/lossless/host_mtu", mtu)))
    assert {row["mtu"] for row in found.values()} == {mtu}


def test_a_file_without_the_key_plans_what_it_always_did() -> None:
    said = changed(drop(OWN), drop(f"{NFS}/hosts"))
    assert stored(said) == {}
    assert rollout(said)["macs"]["gpu-01"] == {"boot0": "02:00:00:00:02:01"}
    assert [row["name"] for row in rollout(said)["interfaces"]["gpu-01"]] == ["boot0.30"]


def test_the_installer_takes_what_is_planned() -> None:
    made = whole.compute(model.load(changed(TAGGED))).install
    assert judge({"spec": made}) == []
    secret = '{"auths":{"registry.example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}'
    assert agent_problems(agent_config(made), install_config(made, secret)) == []


def test_a_node_that_runs_is_brought_what_the_image_would_give_it() -> None:
    said = changed(TAGGED)
    found, image = rollout(said), network(said)
    wanted = [row for row in image["state"]["interfaces"] if on_storage(row) or row["name"] == "boot0.30"]
    assert found["interfaces"]["gpu-01"] == wanted
    assert found["macs"]["gpu-01"] == image["interfaces"]
    assert not HostNetworkKind().check({"spec": found, "kubeconfig": "{}"}, CheckContext())


def test_a_renamed_server_has_its_bond_under_the_name_of_its_node() -> None:
    found = rollout(changed(put("servers/gpu-01/object_name", "old-01")))
    assert "bond1" in [row["name"] for row in found["interfaces"]["old-01"]]


def test_by_hand_its_interfaces_have_names_that_nobody_knows() -> None:
    found = derived(PAIRS)
    assert UNKNOWN_NICS in found.left_out["gpu-01"]
    assert not [row for each in found.policies for row in each["spec"]["desiredState"]["interfaces"] if on_storage(row)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (put("fabric/storage/lossless/host_mtu", 4200), ChangeClass.DISRUPTIVE),
        (put(f"{NFS}/subnet", "10.77.0.0/24"), ChangeClass.DISRUPTIVE),
        (both(drop(OWN), drop(f"{NFS}/hosts")), ChangeClass.DISRUPTIVE),
    ],
)
def test_a_bond_that_changes_or_goes_disturbs_its_node(change: Any, expected: ChangeClass) -> None:
    old, new = rollout(PAIRS), rollout(changed(change))
    rows = [each for each in impacts(TOKEN, old, new) if "interfaces" in each.properties]
    assert {(row.change_class, tuple(row.nodes)) for row in rows} == {(expected, ("gpu-01",))}


def test_a_bond_that_comes_disturbs_nobody() -> None:
    old, new = rollout(changed(drop(OWN), drop(f"{NFS}/hosts"))), rollout(PAIRS)
    rows = [each for each in impacts(TOKEN, old, new) if "interfaces" in each.properties]
    assert {row.change_class for row in rows} <= {ChangeClass.LIVE}, rows
