"""Switch figures against the sum of their ports; what plugs into what, and what is chosen for a length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwright.components.model.catalogue import CABLES, CAGES, OPTICS, SERVERS, SWITCHES
from podwright.components.model.catalogue.pairing import Ends, choices, choose, landed, paired, seated, trunk, would_do
from podwright.components.model.catalogue.switches import nearest, printed_tbps

CAGE = st.sampled_from(sorted(CAGES.values(), key=lambda cage: cage.name))
ENDS = st.builds(Ends, CAGE, CAGE, st.sampled_from([40, 100, 200, 400]))
LEAF_TO_SPINE = Ends(CAGES["QSFP-DD"], CAGES["QSFP-DD"], 400)
LEAF_TO_NIC = Ends(CAGES["QSFP-DD"], CAGES["QSFP112"], 400)
HUNDRED = Ends(CAGES["QSFP28"], CAGES["QSFP28"], 100)


@pytest.mark.parametrize("name", SWITCHES)
def test_throughput_one_way_is_the_sum_of_the_ports(name: str) -> None:
    switch = SWITCHES[name]
    assert switch.one_way_gbps == sum(group.count * group.gbps for group in switch.groups)


def test_figures_that_count_both_directions_are_comparable_with_those_that_do_not() -> None:
    """Data sheets print 12.8 Tb/s for 64 x 100G and for 32 x 400G; the second carries twice as much."""
    small, large = SWITCHES["N9K-C9364C-GX"], SWITCHES["N9K-C9332D-GX2B"]
    assert printed_tbps(small) == printed_tbps(large) == 12.8
    assert (small.one_way_gbps, large.one_way_gbps) == (6400, 12800)
    assert printed_tbps(SWITCHES["N9K-C9336C-FX2"]) == 7.2


@pytest.mark.parametrize("name", SWITCHES)
def test_no_breakout_makes_more_than_the_port_carries(name: str) -> None:
    for group in SWITCHES[name].groups:
        assert group.gbps in group.cage.speeds
        assert group.cage.fec.keys() <= set(group.cage.speeds)
        for each in group.cage.breakouts:
            assert each.count * each.gbps <= group.gbps
            assert each.count * group.parts(each.gbps) == 0 or each.word


def test_what_a_port_makes() -> None:
    fx2, gx2 = SWITCHES["N9K-C9336C-FX2"], SWITCHES["N9K-C9332D-GX2B"]
    assert (fx2.count(400), fx2.count(200), fx2.count(100), fx2.count(25)) == (0, 0, 36, 144)
    assert (gx2.count(400), gx2.count(200), gx2.count(100), gx2.count(50)) == (32, 64, 128, 0)
    quads = SWITCHES["N9K-C9364C-GX"]
    assert (quads.count(100), quads.count(50), quads.count(25)) == (64, 64, 128)  # only odd ports break out
    assert fx2.group(37) is None  # `interface Ethernet 1/1-48` of the requirements does not exist on this model
    assert (fx2.dlb_since, gx2.dlb_since) == (None, "10.5(1)F")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("9332D-GX2B", "N9K-C9332D-GX2B"),
        ("Nexus 9364D-GX2A", "N9K-C9364D-GX2A"),
        ("n9k-c9336c-fx2", "N9K-C9336C-FX2"),
        ("N9K-C9332D-GX2A", "N9K-C9332D-GX2B"),
        ("N9K-C93600-GX", "N9K-C93600CD-GX"),
    ],
)
def test_a_wrong_product_id_gets_the_nearest(wrong: str, meant: str) -> None:
    assert nearest(wrong)[0] == meant


@pytest.mark.parametrize(
    ("ends", "metres", "chosen"),
    [
        (LEAF_TO_SPINE, 2.5, "QDD-400-CU"),
        (LEAF_TO_SPINE, 3.5, "QDD-400-AOC"),
        (LEAF_TO_SPINE, 31, "QDD-400G-SR8-S"),
        (LEAF_TO_SPINE, 101, "QDD-400G-DR4-S"),
        (LEAF_TO_SPINE, 501, "QDD-400G-FR4-S"),
        (LEAF_TO_SPINE, 2001, "QDD-400G-LR4-S"),
        (LEAF_TO_NIC, 1, "QDD-400G-DR4-S"),
        (HUNDRED, 5, "QSFP-100G-CU"),
        (HUNDRED, 70, "QSFP-100G-SR4-S"),
    ],
)
def test_the_choice_follows_from_the_length(ends: Ends, metres: float, chosen: str) -> None:
    found = choose(ends, metres)
    assert found is not None
    assert found.near.name == chosen


def test_a_gpu_nic_takes_the_four_lane_module_and_no_copper() -> None:
    """Eight electrical lanes at the switch, four at the NIC: only a module that changes between them will do."""
    assert [(each.near.name, each.far.name) for each in choices(LEAF_TO_NIC)] == [("QDD-400G-DR4-S", "QSFP-400G-DR4")]
    assert {nic.cage for nic in SERVERS["UCSC-885A-M8"].rails} == {"QSFP112"}


def test_error_correction_must_be_the_same_at_both_ends() -> None:
    said = paired(OPTICS["QSFP-100G-SR4-S"], OPTICS["QSFP-100G-LR4-S"])
    assert said == "QSFP-100G-SR4-S corrects errors with RS-528, QSFP-100G-LR4-S with none: the link stays down"
    assert paired(OPTICS["QSFP-100G-DR-S"], OPTICS["QSFP-100G-DR-S"]) is None


@pytest.mark.parametrize(
    ("name", "cage", "gbps", "why"),
    [
        ("QDD-400G-DR4-S", "QSFP28", 400, "is a QSFP-DD module, the QSFP28 port takes QSFP28"),
        ("QSFP-100G-SR4-S", "QSFP-DD", 400, "runs at 100G, the link at 400G"),
        ("QDD-2X400G-FR4", "QSFP-DD", 400, "is a QSFP-DD800 module"),
        ("QDD-4X100G-FR-S", "QSFP-DD", 100, "carries 4 links of 100G"),
    ],
)
def test_what_does_not_work_in_a_port_says_why(name: str, cage: str, gbps: int, why: str) -> None:
    assert why in (seated(OPTICS[name], CAGES[cage], gbps) or "")


@given(ENDS, st.floats(0.1, 20000))
def test_a_choice_reaches_fits_both_ports_and_is_the_first_that_does(ends: Ends, metres: float) -> None:
    found = choose(ends, metres)
    every = list(choices(ends))
    if found is None:
        assert all(each.reach_m < metres for each in every)
        assert "nothing" in would_do(ends, metres)
        return
    assert found.reach_m >= metres
    assert seated(found.near, ends.near, ends.gbps) is None
    assert seated(found.far, ends.far, ends.gbps) is None
    assert paired(found.near, found.far) is None
    assert all(each.reach_m < metres for each in every[: every.index(found)])


@given(ENDS, st.floats(0.1, 10000), st.floats(0.1, 10000))
def test_a_longer_way_never_takes_a_shorter_reach(ends: Ends, one: float, other: float) -> None:
    short, long = choose(ends, min(one, other)), choose(ends, max(one, other))
    if long is not None:
        assert short is not None
        assert short.reach_m <= long.reach_m


@given(st.floats(0.1, 30))
def test_a_fixed_cable_is_sold_no_shorter_than_the_way(metres: float) -> None:
    cable = CABLES["QDD-400-AOC"]
    length = float(cable.product(metres).removeprefix(cable.name).removesuffix("M"))
    assert length >= metres
    assert all(each < metres for each in cable.lengths_m if each < length)


def test_products_with_their_length() -> None:
    assert CABLES["QDD-400-CU"].product(2.2) == "QDD-400-CU2.5M"
    with pytest.raises(ValueError, match="ends at 3 m"):
        CABLES["QDD-400-CU"].product(3.1)
    assert trunk(OPTICS["QDD-400G-DR4-S"], 12) == "CB-M12-M12-SMF15M"
    assert trunk(OPTICS["QDD-400G-DR4-S"], 45) == "MPO-12 APC OS2 trunk, 45 m"
    assert trunk(OPTICS["QDD-400G-SR8-S"], 20) == "MPO-16 APC OM4 trunk, 20 m"


def test_every_row_names_its_source() -> None:
    assert all(each.source for each in OPTICS.values())
    assert all(each.source for each in CABLES.values())


DD, Q28 = CAGES["QSFP-DD"], CAGES["QSFP28"]


def test_what_breaks_a_port_out_and_what_lands_at_the_far_ends() -> None:
    quarters = Ends(DD, Q28, 100, 4)
    names = [(each.near.name, each.far.name) for each in choices(quarters)]
    assert names == [("QDD-400G-DR4-S", "QSFP-100G-DR-S"), ("QDD-4X100G-FR-S", "QSFP-100G-FR-S")]
    assert choose(quarters, 700) == choices(quarters)[1]
    assert seated(OPTICS["QDD-400G-SR8-S"], DD, 100, 4) == "QDD-400G-SR8-S does not make 4 × 100G of a port"
    assert seated(CABLES["QDD-400-CU"], DD, 200, 2) == "QDD-400-CU does not make 2 × 200G of a port"
    assert "for a port broken out" in (seated(CABLES["QDD-2Q200-CU"], DD, 200) or "")
    assert seated(CABLES["QDD-2Q200-CU"], DD, 200, 2) is None


def test_copper_that_makes_four_of_a_400g_port_needs_fast_lanes_at_the_far_end() -> None:
    assert "lanes of 50G" in (landed(CABLES["QDD-4ZQ100-CU"], Ends(DD, Q28, 100, 4)) or "")
    why = landed(CABLES["QDD-2Q200-CU"], Ends(DD, CAGES["QSFP112"], 200, 2))
    assert why == "QDD-2Q200-CU is a QSFP56 module, the QSFP112 port takes QSFP112"


@pytest.mark.parametrize(
    ("model", "port", "word", "broken", "gone"),
    [
        ("N9K-C9364D-GX2A", 5, "100g-4x", (5,), ()),
        ("N9K-C9364C-GX", 3, "50g-2x", (1, 3), (2, 4)),
        ("N9K-C93600CD-GX", 22, "50g-2x", (21, 22, 23, 24), ()),
        ("N9K-C93600CD-GX", 23, "25g-4x", (21, 23), (22, 24)),
        ("N9K-C93600CD-GX", 27, "25g-4x", (27, 28), ()),
        ("N9K-C93600CD-GX", 29, "100g-4x", (29,), ()),
    ],
)
def test_ports_that_break_out_together(
    model: str, port: int, word: str, broken: tuple[int, ...], gone: tuple[int, ...]
) -> None:
    assert SWITCHES[model].together(port, word) == (broken, gone)
