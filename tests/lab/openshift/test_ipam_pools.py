"""A CIDRPool's arithmetic: what it refuses, who gets which part, and that nobody shares one."""

import hashlib
from ipaddress import ip_network
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.ipam.pool import addresses, allocated, gateway, problems, selects

PUBLISHED = "8c3dc0a4b95ce3b53022358b5bfcdaece2b81a732c06266728148390fabc67f5"
"""SHA-256 of deploy/crds/nv-ipam.nvidia.com_cidrpools.yaml of Mellanox/nvidia-k8s-ipam v0.4.0."""


def _spec(**change: Any) -> dict[str, Any]:
    whole = {"cidr": "10.64.0.0/16", "perNodeNetworkPrefix": 31, "gatewayIndex": 0, **change}
    return {key: value for key, value in whole.items() if value is not None}


def _row(prefix: str, node: str = "a", **more: str) -> dict[str, str]:
    return {"nodeName": node, "prefix": prefix, **more}


def test_the_definition_is_the_published_one() -> None:
    text = (Path(OWN) / "nv-ipam.nvidia.com_cidrpools.yaml").read_bytes()
    assert hashlib.sha256(text).hexdigest() == PUBLISHED


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"cidr": "10.64.0.0"}, "is invalid cidr"),
        ({"cidr": "10.64.0.1/16"}, "network prefix has host bits set"),
        ({"gatewayIndex": -1}, "must not be negative"),
        ({"gatewayIndex": 2}, "gateway index is outside of the node prefix"),
        ({"perNodeNetworkPrefix": 24}, "gateway index is outside of the node prefix"),
        ({"perNodeNetworkPrefix": 24, "gatewayIndex": 255}, "gateway index is outside of the node prefix"),
        ({"perNodeNetworkPrefix": 15}, 'must be less or equal than network prefix size in the "cidr" field'),
        ({"gatewayIndex": None, "routes": [{"dst": "10.64.0.0/16"}]}, "if spec.gatewayIndex is not set"),
        ({"routes": [{"dst": "ten"}]}, "is invalid subnet"),
        ({"routes": [{"dst": "fd00::/64"}]}, "is not same address family IPv4/IPv6"),
        ({"nodeSelector": {"nodeSelectorTerms": []}}, "must have at least one node selector term"),
        ({"staticAllocations": [_row("10.64.8")]}, "is not a valid network prefix"),
        ({"staticAllocations": [_row("10.64.8.1/31")]}, "network prefix has host bits set"),
        ({"staticAllocations": [_row("10.65.8.2/31")]}, "prefix is not part of the pool cidr"),
        ({"staticAllocations": [_row("10.64.8.0/30")]}, "prefix size doesn't match spec.perNodeNetworkPrefix"),
        ({"staticAllocations": [_row("10.64.8.2/31", gateway="10.64.8.4")]}, "is outside of the node prefix"),
        ({"staticAllocations": [_row("10.64.8.2/31"), _row("10.64.8.4/31")]}, "multiple entries for node a"),
        ({"staticAllocations": [_row("10.64.8.2/31"), _row("10.64.8.2/31", "b")]}, "entries for prefix 10.64.8.2/31"),
    ],
)
def test_a_wrong_pool_is_refused_with_the_reason(change: dict[str, Any], expected: str) -> None:
    (found,) = problems("rail0", _spec(**change))
    assert expected in found
    assert problems("rail0", _spec()) == []


def test_several_names_in_one_field_are_refused() -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]}
    (found,) = problems("rail0", _spec(nodeSelector={"nodeSelectorTerms": [term]}))
    assert "must be only one value" in found


def test_the_first_address_is_a_gateway_of_two_alone() -> None:
    assert gateway(ip_network("10.64.8.2/31"), 0) == "10.64.8.2"
    assert gateway(ip_network("10.64.8.2/31"), 1) == "10.64.8.3"
    assert gateway(ip_network("10.64.8.0/24"), 0) == ""
    assert gateway(ip_network("10.64.8.0/24"), 254) == "10.64.8.254"
    assert gateway(ip_network("10.64.8.0/24"), 255) == ""


def test_a_node_s_own_part_is_its_static_one_and_others_leave_it() -> None:
    spec = _spec(cidr="10.64.0.0/29", staticAllocations=[_row("10.64.0.0/31", "b"), {"prefix": "10.64.0.4/31"}])
    found, left_out = allocated(spec, [], ["a", "b", "c", "d"])
    assert found == [
        _row("10.64.0.2/31", "a", gateway="10.64.0.2"),
        _row("10.64.0.0/31", "b", gateway="10.64.0.0"),
        _row("10.64.0.6/31", "c", gateway="10.64.0.6"),
    ]
    assert left_out == ["d"]
    assert [list(addresses(row)) for row in found] == [["10.64.0.3"], ["10.64.0.1"], ["10.64.0.7"]]


def test_what_a_node_has_stays_until_it_is_wrong() -> None:
    has = [_row("10.64.9.0/31", "a", gateway="10.64.9.0")]
    assert allocated(_spec(), has, ["a"])[0] == has
    moved = _spec(staticAllocations=[_row("10.64.8.2/31", "a")])
    assert allocated(moved, has, ["a"])[0] == [_row("10.64.8.2/31", "a", gateway="10.64.8.2")]
    given_away = _spec(staticAllocations=[_row("10.64.9.0/31", "b")])
    assert allocated(given_away, has, ["a"])[0] == [_row("10.64.0.0/31", "a", gateway="10.64.0.0")]
    assert allocated(_spec(), has, [])[0] == []


def test_a_pool_is_for_the_nodes_that_a_term_names() -> None:
    named = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]} for name in ("a", "b")]
    labelled = {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["training"]}]}
    spec = _spec(nodeSelector={"nodeSelectorTerms": [*named, labelled]})
    assert selects(spec, "a", {}) and selects(spec, "b", {}) and selects(spec, "c", {"pool": "training"})
    assert not selects(spec, "c", {})
    assert selects(_spec(), "c", {})


@settings(max_examples=60, deadline=None)
@given(
    st.integers(28, 32),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), max_size=4),
    st.sets(st.sampled_from("abcdefgh")),
)
def test_no_two_nodes_share_an_address_and_each_static_part_is_kept(
    length: int, nodes: set[str], fixed: dict[str, int], before: set[str]
) -> None:
    parts = list(ip_network("10.64.0.0/28").subnets(new_prefix=max(length, 30)))
    chosen = {node: str(parts[number]) for node, number in fixed.items()}
    static = [_row(part, node) for node, part in {part: (node, part) for node, part in chosen.items()}.values()]
    spec = _spec(cidr="10.64.0.0/28", perNodeNetworkPrefix=max(length, 30), gatewayIndex=None, staticAllocations=static)
    assert problems("rail0", spec) == []
    earlier, _ = allocated(_spec(**{**spec, "staticAllocations": [], "gatewayIndex": None}), [], before)
    found, left_out = allocated(spec, earlier, nodes)
    assert {row["nodeName"] for row in found} | set(left_out) == nodes
    for one, other in combinations(found, 2):
        assert not ip_network(one["prefix"]).overlaps(ip_network(other["prefix"]))
    assert {row["nodeName"]: row["prefix"] for row in static if row["nodeName"] in nodes}.items() <= {
        row["nodeName"]: row["prefix"] for row in found
    }.items()
    assert allocated(spec, found, nodes)[0] == found
    assert not left_out or len(found) + len({row["nodeName"] for row in static} - nodes) == len(parts)
