"""The sizing table of Cisco's AI pods, and what must hold of any size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwright.components.design.fabric import sizing


@pytest.mark.parametrize(
    ("servers", "leaf_ports", "leaves", "spines", "fabric_links", "bisection"),
    [
        (8, 32, 4, 2, 64, 12.8),
        (16, 32, 8, 2, 128, 25.6),
        (32, 32, 16, 4, 256, 51.2),
        (64, 32, 32, 8, 512, 102.4),
        (128, 32, 64, 16, 1024, 204.8),
        (16, 64, 4, 2, 128, 25.6),
        (64, 64, 16, 8, 512, 102.4),
    ],
)
def test_eight_rail_pods(
    servers: int, leaf_ports: int, leaves: int, spines: int, fabric_links: int, bisection: float
) -> None:
    size = sizing.size(servers, 8, leaf_ports, 64)
    assert (size.leaves, size.spines, size.fabric_links) == (leaves, spines, fabric_links)
    assert size.bisection_tbps == pytest.approx(bisection)


@given(st.integers(1, 256), st.sampled_from([1, 2, 4, 8]), st.sampled_from([16, 32, 48, 64]))
def test_a_size_carries_its_servers_without_oversubscription(servers: int, rails: int, leaf_ports: int) -> None:
    spine_ports = 64
    if servers * rails > sizing.largest(leaf_ports, spine_ports):
        with pytest.raises(ValueError, match="third tier"):
            sizing.size(servers, rails, leaf_ports, spine_ports)
        return
    size = sizing.size(servers, rails, leaf_ports, spine_ports)
    down = leaf_ports // 2
    assert size.leaves * down >= size.host_links > (size.leaves - 1) * down
    assert size.spines >= 2
    assert size.leaves * size.links_per_pair <= spine_ports
    assert sizing.oversubscription(down, 400, size.spines * size.links_per_pair, 400) <= 1
