"""Room of the pod network, counted one subnet and one address at a time."""

from __future__ import annotations

import random
from ipaddress import IPv4Network

import pytest

from podwright.components import model
from podwright.components.model.coherence import cluster_networks
from podwright.components.model.coherence.platform import Installation
from tests.model.changes import LAB

BASE = model.load(LAB)
SEEDS = range(400)


def installation(networks: model.ClusterNetworks) -> Installation:
    assert BASE.openshift is not None
    shift = BASE.openshift.model_copy(update={"networks": networks, "machine_network": IPv4Network("192.0.0.0/8")})
    return Installation(shift, BASE.servers, BASE.site)


def counted(networks: model.ClusterNetworks) -> int:
    """Subnets of the host prefix, listed."""
    if networks.host_prefix < networks.cluster.prefixlen:
        return 0
    return sum(1 for _ in networks.cluster.subnets(new_prefix=networks.host_prefix))


def pods(networks: model.ClusterNetworks) -> int:
    """Addresses of one node's subnet without network, broadcast, gateway and the node's own."""
    return max(0, sum(1 for _ in IPv4Network(f"0.0.0.0/{networks.host_prefix}").hosts()) - 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cluster_is_refused_exactly_where_a_node_or_a_pod_would_have_no_address(seed: int) -> None:
    chance = random.Random(seed)
    length = chance.randint(9, 26)
    start = chance.getrandbits(32) >> (32 - length) << (32 - length)
    networks = model.ClusterNetworks(
        cluster=IPv4Network((start, length)),
        host_prefix=chance.randint(max(16, length - 2), min(27, length + 12)),
        max_nodes=chance.choice([None, chance.randint(9, 600)]),
    )
    given = installation(networks)
    found = [*cluster_networks._room(given), *cluster_networks._pods(given)]
    room = counted(networks) >= max(networks.max_nodes or 0, len(BASE.servers))
    assert bool(found) == (not room or pods(networks) < 250), (networks, found)


@pytest.mark.parametrize("length", range(8, 31))
def test_what_a_hint_says_to_write_is_coherent(length: int) -> None:
    networks = model.ClusterNetworks(cluster=IPv4Network("11.0.0.0/20"), host_prefix=length, max_nodes=40)
    found = list(cluster_networks._room(installation(networks)))
    for problem in found:
        width = int((problem.hint or "").partition("/")[2].partition(" ")[0])
        wider = networks.model_copy(update={"cluster": IPv4Network(f"11.0.0.0/{width}", strict=False)})
        assert not list(cluster_networks._room(installation(wider))), problem
    assert found or length >= 26
