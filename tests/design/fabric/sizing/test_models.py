"""Sizes for real models: the worked table, what must hold of every proposal, and the asks that are impossible."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from podwright.components.design.fabric import sizing
from podwright.components.design.fabric.sizing.models import Ask, Option, propose, split
from podwright.components.design.hardware import SWITCHES
from podwright.components.model.catalogue.switches import lacking, unknown

LEAF32, LEAF64 = "N9K-C9332D-GX2B", "N9K-C9364D-GX2A"
ASKS = st.builds(
    Ask,
    servers=st.integers(1, 300),
    rails=st.sampled_from([1, 2, 4, 8]),
    gbps=st.sampled_from([100, 200, 400]),
    ratio=st.sampled_from([0.8, 1.0, 1.2, 2.0, 3.0]),
    layout=st.sampled_from(["rail", "rack", "packed"]),
)


def only(ask: Ask) -> Option:
    (option,) = propose(ask).options
    return option


@pytest.mark.parametrize(
    ("servers", "leaf", "leaves", "spines", "host_links", "fabric_links", "bisection"),
    [
        (4, LEAF32, 2, 2, 32, 32, 6.4),
        (8, LEAF32, 4, 2, 64, 64, 12.8),
        (16, LEAF32, 8, 2, 128, 128, 25.6),
        (32, LEAF32, 16, 4, 256, 256, 51.2),
        (64, LEAF32, 32, 8, 512, 512, 102.4),
        (128, LEAF32, 64, 16, 1024, 1024, 204.8),
        (4, LEAF64, 1, 0, 32, 0, 0.0),
        (8, LEAF64, 2, 2, 64, 64, 12.8),
        (16, LEAF64, 4, 2, 128, 128, 25.6),
        (32, LEAF64, 8, 4, 256, 256, 51.2),
        (64, LEAF64, 16, 8, 512, 512, 102.4),
        (128, LEAF64, 32, 16, 1024, 1024, 204.8),
    ],
)
def test_eight_nics_of_400g_without_oversubscription(
    servers: int, leaf: str, leaves: int, spines: int, host_links: int, fabric_links: int, bisection: float
) -> None:
    option = only(Ask(servers, 8, 400, leaf=leaf, spine=LEAF64))
    size = option.size
    assert (size.leaves, size.spines, size.host_links, size.fabric_links) == (leaves, spines, host_links, fabric_links)
    assert size.bisection_tbps == pytest.approx(bisection)
    assert size.oversubscription == (1.0 if spines else 0.0)
    assert option.modules == 2 * (host_links + fabric_links)
    assert option.single_point is (spines == 0)


def test_sixteen_servers_with_a_leaf_for_each_rail_are_the_same_eight_leaves() -> None:
    size = only(Ask(16, 8, 400, leaf=LEAF32, spine=LEAF64)).size
    assert (size.leaves, size.rails_per_leaf, size.hosts_per_leaf) == (8, 1, 16)


@settings(deadline=None, max_examples=60)
@given(ASKS)
def test_every_option_carries_what_was_asked(ask: Ask) -> None:
    for option in propose(ask).options:
        leaf, size, shared = SWITCHES[option.leaf], option.size, option.split
        assert size.leaves * size.hosts_per_leaf >= size.host_links == ask.servers * ask.rails
        assert size.hosts_per_leaf <= shared.down <= leaf.count(ask.gbps)
        assert ask.servers <= option.most_servers
        assert shared.ratio <= ask.ratio + 1e-9
        if option.spine is None:
            assert (size.leaves, size.spines, size.fabric_links) == (1, 0, 0)
            continue
        spine = SWITCHES[option.spine]
        uplinks = size.spines * size.links_per_pair
        assert size.spines >= 2
        assert uplinks <= shared.up
        assert size.fabric_links == size.leaves * uplinks, "links divide evenly over leaves and spines"
        assert size.leaves * size.links_per_pair <= spine.count(shared.up_gbps)
        down = size.hosts_per_leaf * ask.gbps
        assert size.oversubscription == pytest.approx(down / (uplinks * shared.up_gbps))
        assert size.oversubscription <= ask.ratio + 1e-9
        total = size.hosts_per_leaf * ask.gbps + uplinks * shared.up_gbps
        assert total <= leaf.one_way_gbps


@settings(deadline=None, max_examples=60)
@given(ASKS)
def test_every_leaf_model_is_offered_or_refused_with_a_reason(ask: Ask) -> None:
    answer = propose(ask)
    named = [option.leaf for option in answer.options] + [refusal.model for refusal in answer.refusals]
    assert sorted(named) == sorted(SWITCHES)
    assert all(refusal.why for refusal in answer.refusals)


@settings(deadline=None, max_examples=60)
@given(ASKS, st.integers(1, 100), st.sampled_from(sorted(SWITCHES)), st.sampled_from(sorted(SWITCHES)))
def test_more_servers_never_take_less(ask: Ask, more: int, leaf: str, spine: str) -> None:
    """With one pair of models leaves and links grow, and what was too large stays too large."""
    small = propose(replace(ask, leaf=leaf, spine=spine)).options
    large = propose(replace(ask, servers=ask.servers + more, leaf=leaf, spine=spine)).options
    assert len(large) <= len(small)
    for option, before in zip(large, small, strict=False):
        assert option.size.leaves >= before.size.leaves
        assert option.size.host_links > before.size.host_links
        assert option.single_point <= before.single_point


@settings(deadline=None, max_examples=60)
@given(ASKS)
def test_the_stated_end_of_two_tiers_is_the_end(ask: Ask) -> None:
    for option in propose(ask).options:
        if option.spine is None:
            continue
        most, pair = option.most_servers, {"leaf": option.leaf, "spine": option.spine}
        assert propose(Ask(most, ask.rails, ask.gbps, ask.ratio, ask.layout, **pair)).options
        beyond = propose(Ask(most + 1, ask.rails, ask.gbps, ask.ratio, ask.layout, **pair))
        assert not beyond.options
        assert f"end at {most} servers" in beyond.refusals[0].why


@settings(deadline=None, max_examples=60)
@given(ASKS, st.sampled_from([1.5, 2.0, 4.0]), st.sampled_from(sorted(SWITCHES)), st.sampled_from(sorted(SWITCHES)))
def test_more_oversubscription_never_takes_more_leaves(ask: Ask, factor: float, leaf: str, spine: str) -> None:
    tight = propose(replace(ask, leaf=leaf, spine=spine)).options
    loose = propose(replace(ask, ratio=ask.ratio * factor, leaf=leaf, spine=spine)).options
    assert len(tight) <= len(loose)
    for option, before in zip(tight, loose, strict=False):
        assert before.size.leaves <= option.size.leaves


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 60), st.sampled_from([1, 2, 4, 8]))
def test_rail_optimised_puts_a_rail_on_one_leaf_of_its_group(servers: int, rails: int) -> None:
    answer = propose(Ask(servers, rails, 400, leaf=LEAF32, spine=LEAF64))
    size = answer.options[0].size
    groups = size.leaves * size.rails_per_leaf / rails
    assert groups == int(groups)
    assert size.hosts_per_leaf >= -(-servers // int(groups)) * size.rails_per_leaf - size.rails_per_leaf


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 200), st.sampled_from([1, 2, 4, 8]))
def test_top_of_rack_keeps_a_server_on_one_leaf(servers: int, rails: int) -> None:
    answer = propose(Ask(servers, rails, 400, leaf=LEAF64, spine=LEAF64, layout="rack"))
    assume(answer.options)
    size = answer.options[0].size
    assert size.rails_per_leaf == rails
    assert size.hosts_per_leaf % rails == 0


def test_a_leaf_of_two_speeds() -> None:
    """28 x 100G down and 8 x 400G up is 0.875:1, as Cisco's blueprint of the 100G design draws it."""
    shared = split(SWITCHES["N9K-C93600CD-GX"], 100, 400, 1.0)
    assert shared == sizing.Split(28, 100, 8, 400)
    assert shared.ratio == 0.875


def test_host_ports_broken_out() -> None:
    option = only(Ask(128, 1, 100, leaf=LEAF32, spine=LEAF64))
    assert (option.split.down, option.split.up, option.parts) == (64, 16, 4)
    assert option.size.leaves == 2
    # at the leaves one module carries four links; at the servers and on both ends of an uplink one
    assert option.modules == 128 // 4 + 128 + 2 * 32


def test_a_twin_port_module_carries_two_links() -> None:
    assert (sizing.modules(64), sizing.modules(64, 2), sizing.modules(65, 2)) == (64, 32, 33)


# What the requirement documents claim, and is not so.


def test_eight_servers_of_400g_over_two_uplinks_of_400g_are_four_to_one_and_not_non_blocking() -> None:
    assert sizing.oversubscription(8, 400, 2, 400) == 4.0
    shared = sizing.Split(down=8, down_gbps=400, up=2, up_gbps=400)
    with pytest.raises(ValueError, match="4 leaves with 8 uplinks each do not fit"):
        sizing.clos(8, 4, sizing.Split(8, 400, 2, 400), 64)
    assert sizing.clos(8, 4, shared, 64, ratio=4.0).oversubscription == 4.0


@pytest.mark.parametrize(("leaf", "most"), [(LEAF32, 128), (LEAF64, 256), ("N9K-C9316D-GX", 64)])
def test_128_servers_need_a_third_tier_only_with_small_leaves(leaf: str, most: int) -> None:
    answer = propose(Ask(128, 8, 400, leaf=leaf, spine=LEAF64))
    if most >= 128:
        assert answer.options[0].most_servers == most
    else:
        assert f"two tiers with {leaf} end at {most} servers" in answer.refusals[0].why


@pytest.mark.parametrize(
    ("model", "ports", "gbps", "said"),
    [
        (
            "N9K-C9336C-FX2",
            32,
            400,
            "32 × 400G is not a N9K-C9336C-FX2, which has 36 × 100G: N9K-C9332D-GX2B has them",
        ),
        ("N9K-C9336C-FX2", 16, 200, "16 × 200G is not a N9K-C9336C-FX2, which has 36 × 100G: N9K-C93600CD-GX has them"),
        ("N9K-C9336C-FX2", 48, 100, "48 × 100G is not a N9K-C9336C-FX2, which has 36 × 100G: N9K-C93600CD-GX has them"),
        (
            "N9K-C9364C-GX",
            64,
            400,
            "64 × 400G is not a N9K-C9364C-GX, which has 64 × 100G: N9K-C9364D-GX2A has them",
        ),
        (LEAF64, 80, 400, f"80 × 400G is not a {LEAF64}, which has 64 × 400G: the most in one switch is 64 ({LEAF64})"),
        (
            LEAF64,
            64,
            800,
            f"64 × 800G is not a {LEAF64}, which has 64 × 400G: no Cloud Scale switch has 800G ports, "
            "nor breaks out into them",
        ),
    ],
)
def test_an_impossible_ask_names_the_model_that_would_do(model: str, ports: int, gbps: int, said: str) -> None:
    assert lacking(model, ports, gbps) == said


def test_models_that_no_fabric_is_sized_with_say_why() -> None:
    assert "did you mean N9K-C9332D-GX2B?" in (unknown("9332D-GX2B") or "")
    assert "is a Silicon One switch" in (unknown("N9364E-SG2-Q") or "")
    assert unknown(LEAF64) is None
    refused = propose(Ask(16, 8, 400, leaf="N9K-C9336C-FX2")).refusals[0].why
    assert refused == "400G is not a N9K-C9336C-FX2, which has 36 × 100G: N9K-C9364D-GX2A would do"
    assert "is not in the switch catalogue" in propose(Ask(16, 8, 400, spine="N9K-X")).refusals[0].why
