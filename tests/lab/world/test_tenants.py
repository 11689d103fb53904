"""RDMA from one tenant to another is refused by the fabric: read from what the switches have, not from a plan."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

import pytest

from podwright.components.design import fabric
from podwright.lab.nxos.session import Session
from podwright.lab.world.model import World
from podwright.lab.world.traffic import Flow
from tests.lab.prepared import prepared
from tests.lab.tenanted import STACK, rack

Standing = tuple[World, dict[str, Session]]


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    world, sessions = rack(tmp_path_factory.mktemp("tenants"))
    prepared(world)
    for host in world.hosts.values():
        host.power = "On"
    yield world, sessions
    world.close()


def _sent(world: World, source: str, target: str) -> tuple[bool, str]:
    (result,) = world.traffic([Flow(source, target)], 1)
    return result.gbps > 0, result.reason


@pytest.mark.parametrize(("source", "target"), [
    ("gpu-01:rail0", "gpu-02:rail0"),  # one leaf
    ("gpu-01:rail0", "gpu-02:rail4"),  # over the spines
    ("gpu-03:rail1", "gpu-05:rail7"),
])  # fmt: skip
def test_servers_of_a_tenant_reach_each_other(standing: Standing, source: str, target: str) -> None:
    assert _sent(standing[0], source, target) == (True, "")


@pytest.mark.parametrize(("source", "target"), [
    ("gpu-01:rail0", "gpu-03:rail0"),
    ("gpu-02:rail5", "gpu-04:rail1"),
    ("gpu-05:rail0", "gpu-01:rail0"),
])  # fmt: skip
def test_servers_of_two_tenants_do_not(standing: Standing, source: str, target: str) -> None:
    arrived, reason = _sent(standing[0], source, target)
    assert not arrived and "has no route to" in reason, reason


def test_what_joins_two_tenants_is_what_switches_have_and_not_what_was_planned(standing: Standing) -> None:
    """A person moves a spine's link to a leaf of the one tenant into the other's VRF."""
    world, sessions = standing
    plan = fabric.plan(STACK.network)
    link = next(each for each in plan.uplinks if (each.spine, each.leaf) == ("spine-01", "leaf-03"))
    block = plan.switch("spine-01").config[f"interface {link.spine_port}"].splitlines()
    address = next(line for line in block if line.startswith("ip address"))
    near = address.split()[-1].partition("/")[0]
    far = str(IPv4Address(near) + 1)
    terminal = sessions["spine-01"]
    for line in (
        "configure terminal", f"interface {link.spine_port}", "vrf member blue", address, "no shutdown", "exit",
        "router bgp 65001", "vrf blue", f"neighbor {far}", "remote-as 64603", "address-family ipv4 unicast", "end",
    ):  # fmt: skip
        answer = terminal.run(line)
        assert "%" not in answer, (line, answer)
    assert _sent(world, "gpu-01:rail0", "gpu-03:rail0")[0]
    for line in ("configure terminal", f"interface {link.spine_port}", "vrf member red", address, "end"):
        terminal.run(line)
    assert not _sent(world, "gpu-01:rail0", "gpu-03:rail0")[0]


def test_two_ports_of_one_switch_in_two_vrfs_do_not_reach_each_other(standing: Standing) -> None:
    world, sessions = standing
    assert _sent(world, "gpu-01:rail0", "gpu-02:rail1") == (True, "")
    rail = next(each for each in fabric.plan(STACK.network).rails.values() if (each.leaf, each.rail) == ("leaf-01", 1))
    own = f"ip address {rail.gateway}/{rail.subnet.prefixlen}"
    lines = ("configure terminal", "vrf context green", "exit", f"interface Vlan{rail.vlan}", "vrf member green", own)
    for line in (*lines, "end"):
        sessions["leaf-01"].run(line)
    arrived, reason = _sent(world, "gpu-01:rail0", "gpu-02:rail1")
    assert not arrived and reason.endswith("in VRF green"), reason
