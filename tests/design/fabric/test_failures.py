"""Every single loss against brute force on a graph of its own, and against the arithmetic that gates a stack file."""

import copy
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import networkx as nx
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import FabricPlan, Link
from podwright.components.design.fabric.failures import Effect, effects, report
from podwright.components.design.fabric.failures.network import network
from podwright.components.model import coherence
from tests.benchmarks.clusters import pod
from tests.design.fabric.test_plan import LAB
from tools.generated import ROOT


@st.composite
def fabrics(draw: st.DrawFn) -> model.Cluster:
    """Small fabrics: one to four spines, one or two groups of leaves, servers and switches on up to three feeds."""
    said = copy.deepcopy(LAB)
    said["site"]["racks"] = {f"r{number}": {"power_domain": draw(st.sampled_from("abc"))} for number in (1, 2, 3)}
    racks = st.sampled_from(["r1", "r2", "r3"])
    box = {"model": "N9K-C9364D-GX2A"}
    groups, parts = draw(st.integers(1, 2)), draw(st.sampled_from([1, 2, 4]))
    width, spines = 8 // parts, draw(st.integers(1, 4))
    said["fabric"]["links_per_pair"] = draw(st.integers(1, 4))
    said["fabric"]["spines"] = {
        f"spine-{n}": box | {"index": n, "management": f"192.0.2.{60 + n}", "asn": 65001, "rack": draw(racks)}
        for n in range(1, spines + 1)
    }
    said["fabric"]["leaves"] = {}
    for number in range(groups * parts):
        group, part = divmod(number, parts)
        said["fabric"]["leaves"][f"leaf-{number + 1}"] = box | {
            "index": number + 1,
            "management": f"192.0.2.{10 + number}",
            "asn": 64601 + number,
            "rails": list(range(part * width, (part + 1) * width)),
            "group": group + 1,
            "rack": draw(racks),
        }
    for name in ("gpu-01", "gpu-02", "gpu-03", "gpu-04", "gpu-05"):
        said["servers"][name] |= {"group": draw(st.integers(1, groups)), "rack": draw(racks)}
    return model.Cluster.model_validate(said)


def flow(plan: FabricPlan, effect: Effect, one: Iterable[str], other: Iterable[str]) -> int:
    """Brute force: maximum flow between two sets of leaves over what a loss leaves of the spine layer."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["from", "to"])
    for link in plan.links:
        gone = link in effect.loss.links or {link.device, link.peer} & effect.loss.devices
        if link.role == "fabric" and not gone:
            for here, there in ((link.device, link.peer), (link.peer, link.device)):
                had = graph.get_edge_data(here, there, {"capacity": 0})["capacity"]
                graph.add_edge(here, there, capacity=had + link.gbps)
    for name in set(one) - effect.loss.devices:
        graph.add_edge("from", name)
    for name in set(other) - effect.loss.devices:
        graph.add_edge(name, "to")
    return int(nx.maximum_flow_value(graph, "from", "to"))


@settings(max_examples=40, deadline=None)
@given(fabrics())
def test_pairs_and_bisection_are_the_maximum_flow(cluster: model.Cluster) -> None:
    plan = fabric.plan(cluster.network)
    leaves = list(cluster.fabric.leaves)
    for effect in effects(cluster.network, plan):
        if effect.loss.kind in ("host-link", "supply", "optic") or (
            effect.loss.kind == "fabric-link" and "Ethernet1/33" not in effect.loss.name
        ):
            continue
        for pair in combinations(leaves, 2):
            # The spine layer only: no traffic of two leaves goes by way of a third, which would be a valley.
            assert effect.left.after.between(*pair) == flow(without(plan, pair), effect, pair[:1], pair[1:])
        halves = combinations(leaves, len(leaves) // 2)
        assert effect.left.bisection == min(flow(plan, effect, half, set(leaves) - set(half)) for half in halves)


def without(plan: FabricPlan, pair: tuple[str, str]) -> FabricPlan:
    links = tuple(link for link in plan.links if link.role != "fabric" or link.device in pair)
    return FabricPlan(plan.switches, links, plan.uplinks, plan.rails, plan.host_ports)


@settings(max_examples=60, deadline=None)
@given(fabrics(), st.data())
def test_losses_are_monotone_and_servers_add_up(cluster: model.Cluster, data: st.DataObject) -> None:
    plan = fabric.plan(cluster.network)
    before = network(plan)
    assert before.servers == {name: 8 * 400 for name, each in cluster.servers.items() if each.group}
    names = [switch.hostname for switch in plan.switches] + list(cluster.servers)
    less = frozenset(data.draw(st.lists(st.sampled_from(names), max_size=3)))
    more = less | frozenset(data.draw(st.lists(st.sampled_from(names), max_size=3)))
    gone: frozenset[Link] = frozenset(data.draw(st.lists(st.sampled_from(plan.links), max_size=4)))
    upper, lower = network(plan, less), network(plan, more, gone)
    leaves = tuple(cluster.fabric.leaves)
    for one, two in combinations(leaves, 2):
        assert lower.between(one, two) <= upper.between(one, two) <= before.between(one, two)
        assert lower.between(one, two) == lower.between(two, one)
    for name, was in before.servers.items():
        assert lower.servers.get(name, 0) <= upper.servers.get(name, 0) <= was
    for at in (upper, lower):
        assert (at.bisection(leaves) or 0) <= (before.bisection(leaves) or 0)
    assert (lower.bisection(leaves) or 0) <= (upper.bisection(leaves) or 0)
    assert before.less(gone) == network(plan, frozenset(), gone)
    for effect in effects(cluster.network, plan):
        lost = {
            name: sum(
                link.gbps
                for link in plan.links
                if link.peer == name
                and (link in effect.loss.links or {link.device, link.peer} & effect.loss.devices)
                and link.peer_port.startswith("rail")
            )
            for name in before.servers
        }
        assert {name: 3200 - left for name, left in effect.left.servers.items()} == {n: x for n, x in lost.items() if x}
        assert (effect.verdict == "fatal") == bool(any(lost.values()) or effect.left.apart)


GATES = {"spine": ("spine",), "fabric_link": ("fabric-link", "optic"), "leaf": ("leaf",), "feed": ("feed",)}


def left(found: tuple[Effect, ...], key: str) -> float:
    """What the worst loss of a kind leaves, by the graph."""
    measured = [each for each in found if each.loss.kind in GATES[key]]
    if key == "fabric_link":
        measured = [each for each in measured if all(link.role == "fabric" for link in each.loss.links)]
    of = {"leaf": "worst_server", "feed": "whole"}.get(key, "worst_pair")
    return min((getattr(each.left, of) for each in measured), default=1.0)


@settings(max_examples=80, deadline=None)
@given(fabrics())
def test_the_gate_in_the_stack_file_agrees_with_the_graph(cluster: model.Cluster) -> None:
    found = effects(cluster.network, fabric.plan(cluster.network))
    for key in GATES:
        share = left(found, key)
        for asked, refused in ((share, False), (min(1.0, share + 0.001), share < 1)):
            survive = model.Survive.model_validate({key: asked})
            said = cluster.model_copy(update={"fabric": cluster.fabric.model_copy(update={"survive": survive})})
            problems = [each for each in coherence.check(said) if each.loc[:2] == ("fabric", "survive")]
            assert bool(problems) == refused, (key, share, asked, problems)
            assert all(each.loc == ("fabric", "survive", key) for each in problems)


def test_groups_that_are_dark_are_not_missed_by_those_that_live() -> None:
    """The only spine shares a feed with every server of group 2: who is left of group 1 has nobody to reach."""
    said = copy.deepcopy(LAB)
    said["fabric"]["links_per_pair"] = 4
    said["fabric"]["spines"]["spine-01"]["rack"] = "r3"
    one, two = said["fabric"]["leaves"]["leaf-01"], said["fabric"]["leaves"]["leaf-02"]
    said["fabric"]["leaves"] |= {
        "leaf-03": one | {"index": 3, "management": "192.0.2.13", "asn": 64603, "group": 2, "rack": "r2"},
        "leaf-04": two | {"index": 4, "management": "192.0.2.14", "asn": 64604, "group": 2, "rack": "r2"},
    }
    for number in range(1, 6):
        said["servers"][f"gpu-0{number}"] |= {"group": 1, "rack": "r1"} if number < 4 else {"group": 2, "rack": "r3"}
    cluster = model.Cluster.model_validate(said)
    assert left(effects(cluster.network, fabric.plan(cluster.network)), "feed") == pytest.approx(0.4)
    for asked, count in ((0.4, 0), (0.41, 1)):
        survive = model.Survive(feed=asked)
        gated = cluster.model_copy(update={"fabric": cluster.fabric.model_copy(update={"survive": survive})})
        assert sum(each.loc[:2] == ("fabric", "survive") for each in coherence.check(gated)) == count


def prod() -> tuple[model.Cluster, tuple[Effect, ...]]:
    cluster = model.load(ROOT / "Pulumi.prod.yaml")
    return cluster, effects(cluster.network, fabric.plan(cluster.network))


def test_the_production_site_row_by_row() -> None:
    cluster, found = prod()
    told = {each.loss.name: each for each in found if each.loss.kind != "optic"}
    spine, leaf, feed = told["spine-01"], told["leaf-03"], told["feed-a"]
    assert (spine.verdict, spine.left.worst_pair, spine.left.bisection) == ("degraded", 0.5, 12800)
    assert spine.left.per_nic == {(f"leaf-0{number}", number - 1): 200 for number in range(1, 9)}
    assert (leaf.verdict, leaf.left.worst_server, len(leaf.left.servers)) == ("fatal", 0.875, 16)
    assert leaf.why == "16 servers without rail 2: jobs on all rails end"
    assert (feed.verdict, feed.left.whole, len(feed.left.cut_off)) == ("fatal", 0.0, 6)
    link = next(each for each in found if each.loss.kind == "fabric-link")
    assert (link.verdict, link.left.worst_pair, link.left.bisection) == ("degraded", 1 - 1 / 16, 25600 - 400)
    nic = next(each for each in found if each.loss.kind == "host-link")
    assert (nic.verdict, nic.left.worst_server, nic.left.cut_off) == ("fatal", 0.875, ())
    peer = told["front-01"]
    assert (peer.verdict, peer.left.homeless, peer.left.homes["gpu-01"]) == ("degraded", ("border-01",), 100)
    assert {each.verdict for each in found if each.loss.kind == "supply"} == {"not checked"}
    supplies = {each.loss.name for each in found if each.loss.kind == "supply"}
    assert {f"{name}, one of two" for name in (*cluster.fabric.leaves, *cluster.fabric.spines)} <= supplies
    railed = {name for name, server in cluster.servers.items() if server.group is not None}
    assert {name.removesuffix(", one of its") for name in supplies if name.endswith("its")} == railed
    # Each plug is a transceiver; nothing is lost by one that its cable would not lose.
    assert sum(each.loss.kind == "optic" for each in found) == 2 * len(fabric.plan(cluster.network).links)


def test_links_of_a_pair_go_one_by_one_too() -> None:
    cluster = model.load(ROOT / "Pulumi.prod.yaml")
    plan = fabric.plan(cluster.network)
    before = network(plan)
    for link in plan.links:
        assert before.less([link]) == network(plan, frozenset(), frozenset((link,)))


def test_nodes_without_their_pair_are_fatal() -> None:
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    for leaf in said["fabric"]["frontend"]["leaves"].values():
        leaf["rack"] = "r3"
    for name in ("leaf-07", "leaf-08"):
        said["fabric"]["leaves"][name]["rack"] = "r2"
    cluster = model.Cluster.model_validate(said)
    lost = next(each for each in effects(cluster.network, fabric.plan(cluster.network)) if each.loss.name == "r3")
    assert (lost.verdict, lost.left.servers, len(lost.left.homeless)) == ("fatal", {}, 20 + 2)


def test_a_known_supply_carries_the_switch() -> None:
    said = copy.deepcopy(LAB)
    for switch in said["fabric"]["spines"].values():
        switch["model"] = "N9K-C9364C-GX"
    cluster = model.Cluster.model_validate(said)
    found = {each.loss.name: each for each in effects(cluster.network, fabric.plan(cluster.network))}
    assert found["spine-01, one of two"].verdict == "none"
    assert found["leaf-01, one of two"].verdict == "not checked"


@pytest.mark.parametrize(
    ("survive", "said"),
    [
        ({"spine": 0.5}, "losing spine-01, the only spine, leaves 0, 0.5 is asked for"),
        ({"fabric_link": 0.96}, "losing one of a leaf's 20 uplinks leaves 0.95, 0.96 is asked for"),
        ({"leaf": 0.6}, "losing leaf-01, where 4 of 8 rails of gpu-01 end, leaves 0.5, 0.6 is asked for"),
        ({"feed": 0.1}, "losing power domain feed-a leaves 0, 0.1 is asked for"),
    ],
)
def test_the_gate_says_what_is_lost_and_what_would_do(survive: dict[str, Any], said: str) -> None:
    stack = copy.deepcopy(LAB)
    stack["fabric"]["survive"] = survive
    (problem,) = coherence.check(model.Cluster.model_validate(stack))
    assert problem.message == said
    assert "or null to accept it" in problem.hint


@settings(max_examples=25, deadline=None)
@given(fabrics())
def test_alike_losses_are_judged_once_with_the_figures_of_each(cluster: model.Cluster) -> None:
    found = effects(cluster.network, fabric.plan(cluster.network))
    each: dict[tuple[object, ...], list[str]] = {}
    for effect in found:
        row = report.figures(effect)
        key = (row[0], *row[2:8], len(effect.left.cut_off), effect.loss.unknown)
        each.setdefault(key, []).append(effect.loss.name)
    assert [(group.first.loss.name, group.count) for group in report.grouped(found)] == [
        (names[0], len(names)) for names in each.values()
    ]


def test_a_large_pod_has_few_losses_that_are_not_alike() -> None:
    network = model.Cluster.model_validate(pod(224)).network
    found = effects(network, fabric.plan(network))
    assert len(found) > 10_000
    assert len({each.left.alike for each in found}) < 300
