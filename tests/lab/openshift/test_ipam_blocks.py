"""An IPPool's arithmetic: what it refuses, and that no two nodes share an address."""

import hashlib
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.ipam.blocks import addresses, allocated, problems

PUBLISHED = "daa715fb3008aafc344626b8be0e3225d57f79f700cd6e1547799cf652faa220"
"""SHA-256 of deploy/crds/nv-ipam.nvidia.com_ippools.yaml of Mellanox/nvidia-k8s-ipam v0.4.0."""


def _spec(**change: Any) -> dict[str, Any]:
    return {"subnet": "198.51.100.0/26", "perNodeBlockSize": 8, "gateway": "198.51.100.1", **change}


def _out(start: str, end: str) -> dict[str, str]:
    return {"startIP": start, "endIP": end}


def test_the_definition_is_the_published_one() -> None:
    text = (Path(OWN) / "nv-ipam.nvidia.com_ippools.yaml").read_bytes()
    assert hashlib.sha256(text).hexdigest() == PUBLISHED


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"subnet": "198.51"}, "is invalid subnet"),
        ({"perNodeBlockSize": 0}, "must be at least 1"),
        ({"perNodeBlockSize": 63}, "is larger then amount of IPs available in the subnet"),
        ({"gateway": "198.51.100.64"}, "is not part of the subnet"),
        ({"exclusions": [_out("198.51.100.70", "198.51.100.3")]}, "is not part of the 198.51.100.0/26 subnet"),
        ({"exclusions": [_out("ten", "198.51.100.3")]}, "is invalid IP address"),
        ({"nodeSelector": {"nodeSelectorTerms": []}}, "must have at least one node selector term"),
    ],
)
def test_a_wrong_pool_is_refused_with_the_reason(change: dict[str, Any], expected: str) -> None:
    (found,) = problems("rail-0", _spec(**change))
    assert expected in found
    assert problems("rail-0", _spec()) == []


def test_blocks_are_given_in_order_and_stay() -> None:
    found, left_out = allocated(_spec(), [], ["b", "a"])
    assert found == [
        {"nodeName": "a", **_out("198.51.100.1", "198.51.100.8")},
        {"nodeName": "b", **_out("198.51.100.9", "198.51.100.16")},
    ]
    assert left_out == []
    later, _ = allocated(_spec(), found, ["b", "c"])
    assert [row["nodeName"] for row in later] == ["b", "c"]
    assert later[0] == found[1]
    assert later[1]["startIP"] == "198.51.100.1"
    assert allocated(_spec(), [], list("abcdefgh"))[1] == ["h"]


def test_an_excluded_block_is_nobody_s_and_the_gateway_no_pod_s() -> None:
    spec = _spec(exclusions=[_out("198.51.100.9", "198.51.100.16"), _out("198.51.100.2", "198.51.100.3")])
    first, second = allocated(spec, [], ["a", "b"])[0]
    assert list(addresses(spec, first)) == [f"198.51.100.{n}" for n in range(4, 9)]
    assert second["startIP"] == "198.51.100.17"


@settings(max_examples=60, deadline=None)
@given(st.integers(24, 31), st.integers(1, 20), st.integers(1, 12))
def test_no_two_nodes_share_an_address(length: int, size: int, count: int) -> None:
    subnet = ip_network(f"198.51.100.0/{length}")
    spec = _spec(subnet=str(subnet), perNodeBlockSize=size, gateway=str(subnet[1]))
    if problems("rail-0", spec):
        return
    found, left_out = allocated(spec, [], [f"n{number:02}" for number in range(count)])
    given_out = [each for row in found for each in addresses(spec, row)]
    assert len(given_out) == len(set(given_out))
    assert all(ip_address(each) in subnet and each != str(subnet[1]) for each in given_out)
    assert len(found) + len(left_out) == count
