"""The bill of materials: closed forms of known fabrics, nothing counted twice, nothing unknown passed off as known."""

import copy
import json
from collections import Counter
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric, hardware
from podwright.components.design.fabric import materials
from podwright.components.design.fabric.sizing import bill
from podwright.components.design.fabric.sizing.models import Ask, propose
from podwright.components.model.catalogue import CABLES, OPTICS
from tests.design.fabric.test_plan import clusters
from tests.model.changes import LAB, PROD

LONG = {
    "longest_cable_m": 10_000,
    "headroom": {"buffer_bytes": 9_000_000, "pause_bytes": 200_000, "resume_bytes": 190_000},
}


def bill_of(spec: dict[str, Any]) -> materials.Bill:
    cluster = model.load(json.loads(json.dumps(spec)))
    return materials.bill(cluster.network, fabric.plan(cluster.network))


def counts(found: materials.Bill, kind: str) -> dict[str, int]:
    total: Counter[str] = Counter()
    for line in found.lines:
        if line.kind == kind:
            total[line.product] += line.count
    return dict(total)


def test_the_pod_of_sixteen_servers() -> None:
    """16 host ports and 8 + 8 uplinks for each backend leaf; lengths from the racks the file names."""
    found = bill_of(PROD)
    assert counts(found, "switch") == {"N9K-C93600CD-GX": 2, "N9K-C9332D-GX2B": 8, "N9K-C9364D-GX2A": 2}
    assert counts(found, "transceiver") == {"QDD-400G-DR4-S": 128, "QSFP-400G-DR4": 128}
    assert counts(found, "fibre") == {"CB-M12-M12-SMF25M": 128}
    # three leaves stand beside spine-01 and three beside spine-02, eight links each: copper of 3 m
    cables = {"QDD-400-CU3M": 48, "QDD-400-AOC5M": 64 + 2, "QDD-400-AOC7M": 16}
    assert counts(found, "cable") == cables
    assert sum(cables.values()) == 128 + 2
    assert {each.what.removeprefix("pluggables and cable of frontend "): each.count for each in found.open} == {
        "host links 100G": 40,
        "uplink links 400G": 2,
    }
    assert {each.why for each in found.open} == {"the far end is not in the catalogue"}


@settings(max_examples=40, deadline=None)
@given(clusters(), clusters())
def test_an_old_bill_and_what_changed_are_the_new_bill(one: dict[str, Any], two: dict[str, Any]) -> None:
    old, new = bill_of(one), bill_of(two)
    total = Counter({(line.product, line.where): line.count for line in old.lines})
    for line in materials.change(old, new).lines:
        assert line.count
        total[line.product, line.where] += line.count
    assert +total == Counter({(line.product, line.where): line.count for line in new.lines})
    back = {(each.what, each.why): -each.count for each in materials.change(new, old).open}
    assert back == {(each.what, each.why): each.count for each in materials.change(old, new).open}


def test_sizing_and_the_stack_file_come_to_the_same_parts() -> None:
    """Two ways to the same pod: sixteen servers asked for, and the file that says them, frontend left out."""
    ask = Ask(16, 8, 400, leaf="N9K-C9332D-GX2B", spine="N9K-C9364D-GX2A")
    (option,) = propose(ask).options
    asked = bill.bill(ask, option, bill.Lengths(host=25, fabric=5))
    said = copy.deepcopy(PROD)
    said["fabric"] |= {
        "cables": {"same_rack_m": 5, "other_rack_m": 25, "runs": {"r1": {"r2": 5, "r3": 5}, "r2": {"r3": 5}}}
    }
    del said["fabric"]["frontend"], said["storage"]["read"]
    for server in said["servers"].values():
        server.pop("bond_mac", None)
    found = bill_of(said)
    for kind in ("switch", "transceiver", "cable", "fibre"):
        assert counts(asked, kind) == counts(found, kind), kind
    assert asked.open == found.open == ()


def test_an_option_without_lengths_or_with_parts_nothing_lands_in_stays_open() -> None:
    ask = Ask(128, 1, 200, leaf="N9K-C9332D-GX2B", spine="N9K-C9364D-GX2A")
    (option,) = propose(ask).options
    found = bill.bill(ask, option, bill.Lengths(host=3, fabric=20_000))
    assert [each.why for each in found.open] == [
        "the catalogue has nothing for 200G between QSFP-DD broken out in 2 and QSFP112",
        "nothing in the catalogue reaches 20000 m; the farthest is QDD-400G-LR4-S (OS2, 10000 m)",
    ]
    assert counts(found, "switch") == {option.leaf: option.size.leaves, "N9K-C9364D-GX2A": option.size.spines}
    unsaid = bill.bill(ask, option, bill.Lengths()).open
    assert {each.why for each in unsaid} == {"their length is not defined"}


def test_four_hosts_of_100g_share_a_module_and_a_fan_out() -> None:
    ask = Ask(128, 1, 100, leaf="N9K-C9332D-GX2B", spine="N9K-C9364D-GX2A")
    (option,) = propose(ask).options
    found = bill.bill(ask, option, bill.Lengths(host=3, fabric=20_000))
    assert counts(found, "transceiver") == {"QDD-400G-DR4-S": 32, "QSFP-100G-DR-S": 128}
    assert counts(found, "fibre") == {"MPO-12 APC to 4 × duplex LC OS2 fan-out, 3 m": 32}
    assert [each.count for each in found.open] == [32]


def test_hosts_of_400g_face_the_400g_ports_of_a_leaf_with_two_speeds() -> None:
    ask = Ask(4, 8, 400, leaf="N9K-C93600CD-GX", spine="N9K-C9364D-GX2A")
    (option,) = propose(ask).options
    found = bill.bill(ask, option, bill.Lengths(host=20, fabric=20))
    assert counts(found, "transceiver") == {"QDD-400G-DR4-S": 32, "QSFP-400G-DR4": 32}
    assert counts(found, "cable") == {"QDD-400-AOC20M": 32}
    assert found.open == ()


def test_without_lengths_only_switches_are_known() -> None:
    found = bill_of(LAB)
    assert counts(found, "switch") == {"N9K-C9364D-GX2A": 3}
    assert not counts(found, "transceiver")
    assert [(each.count, each.why) for each in found.open] == [
        (40, "neither their length nor their ends are said"),
        (40, "neither their length nor their ends are said"),
    ]


def test_said_ends_without_lengths_are_counted_and_the_fibre_stays_open() -> None:
    said = copy.deepcopy(LAB)
    said["fabric"]["cables"] = {
        "fabric": {"near": "QDD-400G-DR4-S"},
        "host": {"near": "QDD-400G-DR4-S", "far": "QSFP-400G-DR4"},
    }
    found = bill_of(said)
    assert counts(found, "transceiver") == {"QDD-400G-DR4-S": 40 * 2 + 40, "QSFP-400G-DR4": 40}
    assert not counts(found, "fibre")
    assert [each.why for each in found.open] == ["its length is not defined in fabric.cables"] * 2


@settings(max_examples=25, deadline=None)
@given(clusters(), st.sampled_from([2.0, 20.0, 90.0, 450.0]), st.sampled_from([1.0, 30.0, 300.0]))
def test_every_link_takes_one_cable_or_two_modules_and_a_fibre(said: dict[str, Any], far: float, near: float) -> None:
    said["fabric"]["cables"] = {"other_rack_m": far, "same_rack_m": near}
    said["fabric"]["lossless"] = LONG
    cluster = model.load(json.loads(json.dumps(said)))
    plan = fabric.plan(cluster.network)
    found = materials.bill(cluster.network, plan)
    fixed, fibres = sum(counts(found, "cable").values()), sum(counts(found, "fibre").values())
    assert found.open == ()
    assert fixed + fibres == len(plan.links)
    assert sum(counts(found, "transceiver").values()) == 2 * fibres
    assert sum(counts(found, "switch").values()) == len(plan.switches)
    for product in counts(found, "cable"):
        assert any(product.startswith(name) for name in CABLES)


PRODUCTS = st.sampled_from([*OPTICS, *CABLES])
ENDS = st.fixed_dictionaries({"near": PRODUCTS}, optional={"far": PRODUCTS})
METRES = st.sampled_from([0.5, 3, 7, 30, 100, 450, 1500, 9000])
RUNS = {"runs": st.just({"r1": {"r2": 4}})}
CABLING = st.fixed_dictionaries(
    {},
    optional={
        "host": ENDS,
        "fabric": ENDS,
        "same_rack_m": METRES,
        "other_rack_m": METRES,
        "runs": st.just({"r1": {"r2": 4}}),
    },
)


@settings(max_examples=150, deadline=None)
@given(CABLING)
def test_what_is_not_refused_fits_reaches_and_is_counted(cables: dict[str, Any]) -> None:
    """Any products at any length: load refuses with what would do, or every link has parts that work."""
    said = copy.deepcopy(LAB)
    said["fabric"] |= {"cables": cables, "lossless": LONG}
    try:
        cluster = model.load(json.loads(json.dumps(said)))
    except model.SpecErrors as errors:
        assert all(problem.hint and problem.loc[:2] == ("fabric", "cables") for problem in errors.problems)
        return
    found = materials.bill(cluster.network, fabric.plan(cluster.network))
    for role, links in (("host", 40), ("fabric", 40)):
        names = [line for line in found.lines if line.where == f"{role} links 400G"]
        modules = sum(line.count for line in names if line.kind == "transceiver")
        fixed = sum(line.count for line in names if line.kind == "cable")
        still_open = sum(each.count for each in found.open if f"{role} links" in each.what)
        assert modules / 2 + fixed + still_open >= links
        assert modules / 2 + fixed <= links
        assert all(line.product not in OPTICS or OPTICS[line.product].gbps == 400 for line in names)


def rates(**items: dict[str, float]) -> model.Rates:
    said = {name.replace("_", "-"): rate for name, rate in items.items()}
    return model.Rates.model_validate(
        {"as_of": date(2026, 10, 1), "currency": "EUR", "source": "quote 17", "items": said, "good_for_days": 30}
    )


def test_unknown_figures_are_named_and_never_counted_as_nothing() -> None:
    found = bill_of(LAB)
    known = materials.price(found, rates(N9K_C9364D_GX2A={"price": 60000, "lead_days": 90, "watts": 1800}))
    assert (known.price, known.lead_days, known.watts) == (180000, 90, 5400)
    assert not any(known.unknown.values())
    nothing = materials.price(found, rates())
    assert (nothing.price, nothing.lead_days) == (0, None)
    assert nothing.unknown == {name: ("N9K-C9364D-GX2A",) for name in ("price", "lead_days", "watts")}
    zero = materials.price(found, rates(N9K_C9364D_GX2A={"price": 0}))
    assert (zero.price, zero.unknown["price"], zero.unknown["watts"]) == (0, (), ("N9K-C9364D-GX2A",))


def test_cables_have_a_price_and_no_draw() -> None:
    priced = materials.price(bill_of(PROD), rates(QDD_400_CU3M={"price": 100}))
    assert priced.price == 4800
    assert "QDD-400-AOC5M" in priced.unknown["price"]
    assert set(priced.unknown["watts"]) == {
        "N9K-C93600CD-GX", "N9K-C9332D-GX2B", "N9K-C9364D-GX2A", "QDD-400G-DR4-S", "QSFP-400G-DR4",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("today", "said"),
    [
        (date(2026, 10, 1), None),
        (date(2026, 10, 31), None),
        (date(2026, 11, 1), "the figures are 31 days old (2026-10-01), good for 30"),
        (date(2026, 9, 30), "the figures are of 2026-10-01, which is after today"),
    ],
)
def test_figures_go_stale(today: date, said: str | None) -> None:
    assert rates().stale(today) == said


def test_a_port_that_does_not_exist_has_no_group() -> None:
    assert hardware.port_group("N9K-C93600CD-GX", "Ethernet1/29/2").gbps == 400
    with pytest.raises(KeyError):
        hardware.port_group("N9K-C9336C-FX2", "Ethernet1/48")
