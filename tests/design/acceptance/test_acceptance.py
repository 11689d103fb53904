"""The acceptance plan: every rail under incast, every uplink crossed, and a digest that moves with both."""

from dataclasses import replace

import pytest

from podwright.components import model
from podwright.components.design import acceptance, fabric
from podwright.components.design.acceptance import Acceptance
from podwright.components.model import Cluster
from podwright.components.providers.acceptance.plan import Plan
from tests.design import whole
from tests.design.goldens import STACKS, cluster
from tools import goldens


@pytest.fixture(params=STACKS)
def said(request: pytest.FixtureRequest) -> Cluster:
    return cluster(request.param)


def _plan(said: Cluster) -> Acceptance:
    return whole.acceptance(said)


def test_the_runner_reads_it(said: Cluster) -> None:
    read = Plan.read(_plan(said).document())
    assert [test.name for test in read.tests] == [test.name for test in _plan(said).tests]
    assert read.traffic_class >> 2 == said.fabric.lossless.dscp


def test_every_rail_has_an_incast_of_its_own_leaf(said: Cluster) -> None:
    assert said.acceptance
    tests = {test.name: test for test in _plan(said).tests}
    for rail in fabric.plan(said.network).rails.values():
        test = tests[f"{rail.leaf}-rail{rail.rail}"]
        assert len(test.senders) == said.acceptance.fan_in
        ends = [*test.senders, test.receiver]
        assert len({end.server for end in ends}) == len(ends)
        assert {end.rail for end in ends} == {rail.rail}
        assert [(hop.switch, hop.port) for hop in test.hops] == [(end.leaf, end.port) for end in ends]


def test_every_uplink_is_crossed_both_ways(said: Cluster) -> None:
    plan = fabric.plan(said.network)
    crossed: dict[tuple[str, str], set[str]] = {}
    for test in _plan(said).tests:
        if test.receiver.leaf != test.senders[0].leaf:
            for hop in test.hops:
                crossed.setdefault((hop.switch, hop.port), set()).add(test.name)
    for uplink in plan.uplinks:
        assert len(crossed[uplink.leaf, uplink.leaf_port]) == 2
        assert len(crossed[uplink.spine, uplink.spine_port]) == 2


def test_every_pair_of_spares_crosses_what_the_test_crosses(said: Cluster) -> None:
    plan = _plan(said)
    document = plan.document()
    for test in plan.tests:
        near = {end.leaf for end in (*test.senders, *test.spare_senders)}
        far = {end.leaf for end in (test.receiver, *test.spare_receivers)}
        assert near == {test.senders[0].leaf}
        assert far == {test.receiver.leaf}
        assert not set(test.spare_senders) & {*test.senders, test.receiver}
        if near == far:
            ends = {end.server for end in (*test.senders, test.receiver, *test.spare_receivers)}
            group = said.servers[test.receiver.server].group
            assert ends == {
                name for name, server in said.servers.items() if group is not None and server.group == group
            }
        for end in (*test.spare_senders, *test.spare_receivers):
            assert document["nics"][end.key]["port"] == end.port


def test_a_spare_that_comes_measures_nothing_again() -> None:
    said = cluster("prod")
    plan = _plan(said)
    fewer = replace(plan, tests=tuple(replace(test, spare_senders=(), spare_receivers=()) for test in plan.tests))
    assert any(test.spare_senders for test in plan.tests)
    assert acceptance.trigger(plan, {}, {}, {}) == acceptance.trigger(fewer, {}, {}, {})


def test_what_was_not_run_is_read_back_from_what_was_printed() -> None:
    printed = (
        "ok   a: 388 of 360 Gb/s asked\nnot run b: too few NICs are free: gpu-01:rail0 (held by x/y)\n1 of 2 paths are"
    )
    assert acceptance.unproven(printed) == {"b": "too few NICs are free: gpu-01:rail0 (held by x/y)"}
    assert acceptance.unproven("") == {}


def test_the_threshold_is_a_share_of_the_receivers_link(said: Cluster) -> None:
    assert said.acceptance
    for test in _plan(said).tests:
        assert test.minimum_gbps == test.link_gbps * said.acceptance.minimum_percent // 100


def test_the_digest_moves_with_the_path_and_nothing_else() -> None:
    said = cluster("lab")
    plan = _plan(said)
    switches = {switch.hostname: "1" for switch in fabric.plan(said.network).switches}
    servers = whole.compute(said).digests
    base = acceptance.trigger(plan, switches, servers, {})
    assert acceptance.trigger(plan, dict(reversed(switches.items())), servers, {}) == base
    assert acceptance.trigger(plan, {**switches, "elsewhere": "9"}, {**servers, "inf-01": "9"}, {}) == base
    for name in switches:
        assert acceptance.trigger(plan, {**switches, name: "2"}, servers, {}) != base
    assert acceptance.trigger(plan, switches, {**servers, "gpu-05": "2"}, {}) != base
    assert acceptance.trigger(plan, switches, servers, {"rails": [1]}) != base


def test_one_server_alone_is_not_tested() -> None:
    said = cluster("lab")
    lonely = {name: server for name, server in said.servers.items() if not name.startswith("gpu-") or name == "gpu-01"}
    assert _plan(said.model_copy(update={"servers": lonely})).tests == ()


@pytest.mark.parametrize(("example", "tenants"), [("evpn", True), ("vrf", True), ("ospf", False)])
def test_no_test_asks_for_what_tenancy_forbids(example: str, tenants: bool) -> None:
    """Each tenant's leaves are crossed among themselves; without tenants the ring is one."""
    said = model.load(goldens.stack_file(example))
    crossed = {test.name for test in _plan(said).tests if "-to-" in test.name}
    one, two = {"leaf-01-to-leaf-02", "leaf-02-to-leaf-01"}, {"leaf-03-to-leaf-04", "leaf-04-to-leaf-03"}
    ring = {"leaf-01-to-leaf-02", "leaf-02-to-leaf-03", "leaf-03-to-leaf-04", "leaf-04-to-leaf-01"}
    assert crossed == (one | two if tenants else ring)
