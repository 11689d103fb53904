"""Pods on routed rails: what NVIDIA's IPAM gives each node is the link that its leaf port has, and nobody else's."""

import copy
import itertools
import json
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design import fabric, image_set, operators
from podwright.components.design.fabric.model import FabricPlan
from podwright.components.model.coherence import rails_problems
from podwright.lab.openshift.ipam import pool as arithmetic
from tests.design import whole
from tools.generated import ROOT

RAW: dict[str, Any] = yaml.safe_load((ROOT / "tests/examples/routed/Pulumi.routed.yaml").read_text())
ROUTED: dict[str, Any] = RAW["config"]["podwright:cluster"]
SPLIT = {"one": [list(range(8))], "two": [[0, 1, 2, 3], [4, 5, 6, 7]], "mixed": [[0, 2, 4, 6], [1, 3, 5, 7]]}
MOST = {1: 4, 2: 8}
"""Highest index of a server where a group has so many leaves of 32 host ports for its eight rails."""


def _cluster(**change: Any) -> model.Cluster:
    said = copy.deepcopy(ROUTED)
    said["fabric"] |= change
    return model.load(said)


def _settings(cluster: model.Cluster, kind: str) -> list[dict[str, Any]]:
    return [each for found in whole.operators(cluster) for each in found.settings if each["kind"] == kind]


def _leaf_address(plan: FabricPlan, leaf: str, port: str) -> IPv4Interface:
    """What the leaf's own configuration has on a port."""
    (line,) = (
        line for line in plan.switch(leaf).config[f"interface {port}"].splitlines() if line.startswith("ip address ")
    )
    return IPv4Interface(line.removeprefix("ip address "))


def _given_by_ipam(pools: list[dict[str, Any]], nodes: list[str]) -> dict[tuple[str, int], tuple[list[str], str]]:
    """Node and rail to the addresses that its pods may have and their gateway, by nv-ipam's arithmetic."""
    found = {}
    for each in pools:
        name, spec = each["metadata"]["name"], each["spec"]
        assert arithmetic.problems(name, spec) == []
        chosen = [node for node in nodes if arithmetic.selects(spec, node, {})]
        rows, left_out = arithmetic.allocated(spec, [], chosen)
        assert left_out == []
        for row in rows:
            rail = int(name.removeprefix("rail"))
            found[row["nodeName"], rail] = (list(arithmetic.addresses(row)), row["gateway"])
    return found


@st.composite
def _fabrics(draw: st.DrawFn) -> dict[str, Any]:
    """The example with other leaf groups, rails by leaf, leaf indexes, servers and pool of addresses."""
    said = copy.deepcopy(ROUTED)
    groups = draw(st.lists(st.integers(1, 63), min_size=1, max_size=3, unique=True))
    indexes = iter(draw(st.lists(st.integers(1, 31), min_size=6, max_size=6, unique=True)))
    leaves, servers = {}, {name: each for name, each in said["servers"].items() if "group" not in each}
    serial = itertools.count(100)
    for group in groups:
        layout = SPLIT[draw(st.sampled_from(sorted(SPLIT)))]
        for rails in layout:
            number = next(indexes)
            leaves[f"leaf-{number:02d}"] = {
                **said["fabric"]["leaves"]["leaf-01"], "index": number, "management": f"192.0.2.{number + 20}",
                "asn": 64600 + number, "rails": rails, "group": group,
            }  # fmt: skip
        for index in draw(st.sets(st.integers(1, MOST[len(layout)]), min_size=1, max_size=4)):
            number = next(serial)
            servers[f"gpu-{number}"] = {
                **said["servers"]["gpu-01"], "index": index, "group": group, "serial": f"WZP{number:08d}",
                "address": f"192.0.2.{number + 60}", "bmc": f"192.0.2.{number + 110}",
                "boot_mac": f"02:00:00:00:09:{number % 256:02x}",
            }  # fmt: skip
    for name, spine in said["fabric"]["spines"].items():
        spine["management"] = f"192.0.2.{60 + int(name[-1])}"
    said["fabric"] |= {"leaves": leaves, "links_per_pair": 2}
    said["fabric"]["addressing"]["hosts"] = draw(st.sampled_from(["10.64.0.0/16", "10.64.0.0/13", "172.20.0.0/16"]))
    said["servers"] = servers
    said["workloads"].pop("training")
    said["openshift"]["teams"]["research"]["gpus"] = 8
    said.pop("acceptance")
    return said


@settings(max_examples=40, deadline=None)
@given(_fabrics())
def test_a_node_s_pods_have_the_address_of_its_own_port_and_no_two_share_one(said: dict[str, Any]) -> None:
    cluster = model.load(said)
    plan = fabric.plan(cluster.network)
    pools = _settings(cluster, "CIDRPool")
    found = _given_by_ipam(pools, sorted(cluster.servers))
    assert set(found) == set(plan.host_ports)
    seen: set[IPv4Address] = set()
    for end, port in plan.host_ports.items():
        addresses, gateway = found[end]
        leaf = _leaf_address(plan, port.leaf, port.port)
        assert addresses == [str(port.address)]
        assert gateway == str(port.gateway) == str(leaf.ip)
        assert leaf.network.prefixlen == 31 and port.address in leaf.network
        assert not {port.address, leaf.ip} & seen
        seen |= {port.address, leaf.ip}
        reach = pools[0]["spec"]["routes"][0]["dst"]
        assert port.address in IPv4Interface(reach).network


def test_one_attachment_per_rail_and_namespace_serves_both_leaf_groups() -> None:
    networks = _settings(_cluster(), "SriovNetwork")
    names = {each["metadata"]["name"] for each in networks}
    spaces = ("research", "podwright-acceptance")
    assert names == {f"{space}-rail{rail}" for space in spaces for rail in range(8)}
    for each in networks:
        rail = each["spec"]["resourceName"]
        assert json.loads(each["spec"]["ipam"]) == {"type": "nv-ipam", "poolName": rail, "poolType": "cidrpool"}


def test_pools_follow_the_policy_that_brings_their_kind_and_are_where_they_count() -> None:
    (operator,) = (each for each in whole.operators(_cluster()) if each.name == "nvidia-network-operator")
    kinds = [sorted({each["kind"] for each in stage}) for stage in operator.stages]
    assert kinds == [["NicNodePolicy"], ["NicClusterPolicy"], ["CIDRPool", "NicConfigurationTemplate"]]
    assert {each["metadata"]["namespace"] for each in operator.stages[2]} == {"nvidia-network-operator"}
    (policy,) = operator.stages[1]
    assert policy["spec"]["nvIpam"] == {
        "image": "nvidia-k8s-ipam", "repository": "nvcr.io/nvidia/mellanox", "version": "network-operator-v26.4.1",
        "enableWebhook": False,
    }  # fmt: skip


def test_shared_subnets_have_neither_plugin_nor_pools() -> None:
    cluster = model.load(ROOT / "tests/examples/vrf/Pulumi.vrf.yaml")
    assert _settings(cluster, "CIDRPool") == []
    (policy,) = _settings(cluster, "NicClusterPolicy")
    assert "nvIpam" not in policy["spec"]
    assert {json.loads(each["spec"]["ipam"])["type"] for each in _settings(cluster, "SriovNetwork")} == {"whereabouts"}


def test_a_node_outside_the_pools_on_rails_has_no_part() -> None:
    """It would be given the first free one, which is another server's link."""
    for each in _settings(_cluster(), "CIDRPool"):
        spec = each["spec"]
        assert not any(arithmetic.selects(spec, name, {"pool": "x"}) for name in ("cp-01", "inf-01", "gpu-99"))
        assert [row["nodeName"] for row in spec["staticAllocations"]] == [f"gpu-0{number}" for number in range(1, 6)]


def test_a_job_takes_servers_of_both_groups_where_no_group_has_enough() -> None:
    wide = next(each for each in whole.workloads(_cluster()) if each["kind"] == "Job")
    pod = wide["spec"]["template"]
    assert "podwright.io/leaf-group" not in pod["spec"]["nodeSelector"]
    attached = pod["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"].split(",")
    assert attached == [f"research-rail{rail}@rail{rail}" for rail in range(8)]
    said = copy.deepcopy(ROUTED)
    said["workloads"]["training"]["pretrain"]["nodes"] = 3
    narrow = next(each for each in whole.workloads(model.load(said)) if each["kind"] == "Job")
    assert narrow["spec"]["template"]["spec"]["nodeSelector"]["podwright.io/leaf-group"] == "2"


def test_names_of_nodes_take_the_place_of_those_of_servers() -> None:
    cluster = _cluster()
    planned = fabric.paths(cluster.network, fabric.plan(cluster.network)).between({"gpu-01": "gpu-01.example.com"})
    rail = next(each for each in planned.networks.rails if (each.group, each.rail) == (1, 0))
    assert list(rail.hosts) == ["gpu-01.example.com", "gpu-02"]


def test_a_program_that_hands_over_rails_without_its_nodes_is_refused() -> None:
    """By the names of servers, where nodes have others: no CIDRPool would select them."""
    cluster = _cluster()
    (pool,) = (each for each in whole.rail_pools(cluster) if each.nics)
    planned = fabric.paths(cluster.network, fabric.plan(cluster.network))
    assert rails_problems([pool], planned.networks) == []
    other = planned.between({"gpu-01": "gpu-01.example.com"}).networks
    (problem,) = rails_problems([pool], other)
    assert "gpu-01 of pool training have no link of their own" in problem.message


def test_a_site_without_a_way_out_mirrors_the_plugin_where_it_is_used() -> None:
    image = {"name": "nvcr.io/nvidia/mellanox/nvidia-k8s-ipam:network-operator-v26.4.1"}
    routed = image_set.image_set(_cluster()).document["mirror"]["additionalImages"]
    lab = image_set.image_set(model.load(ROOT / "Pulumi.lab.yaml")).document["mirror"]["additionalImages"]
    assert image in routed and image not in lab


def test_another_link_of_a_node_is_a_live_change_that_acceptance_measures_again() -> None:
    old = _settings(_cluster(), "CIDRPool")[0]
    new = copy.deepcopy(old)
    new["spec"]["staticAllocations"][0]["prefix"] = "10.64.8.40/31"
    impact = object_impact(old, new)
    assert impact is not None and impact.change_class is ChangeClass.LIVE
    assert operators.concerns_rails(old)


def test_under_ospf_the_links_to_servers_are_carried_too() -> None:
    said = copy.deepcopy(ROUTED)
    said["fabric"]["underlay"] = {"kind": "ospf"}
    for switch in (*said["fabric"]["leaves"].values(), *said["fabric"]["spines"].values()):
        switch["asn"] = 65001
    cluster = model.load(said)
    leaf = fabric.plan(cluster.network).switch("leaf-01")
    lines = leaf.config["interface Ethernet1/1"].splitlines()
    assert {"ip router ospf UNDERLAY area 0.0.0.0", "ip ospf passive-interface"} <= set(lines)
