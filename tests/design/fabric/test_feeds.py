"""Racks on two feeds: which machines go with one of them, and what is not known is called so."""

from typing import Any

import pytest
import yaml

from podwright.cli import summary
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.failures import Effect, effects
from podwright.components.model import coherence
from podwright.components.model.feeds import half_carries
from tools.generated import ROOT

FOUR_OF_SIX = {"fitted": 6, "needed": 4}
ONE_OF_TWO = {"fitted": 2, "needed": 1}


def site(**supplies: dict[str, int]) -> model.Cluster:
    """The production site with each rack on two of three feeds."""
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    second = {"feed-a": "feed-b", "feed-b": "feed-c", "feed-c": "feed-a"}
    for rack in said["site"]["racks"].values():
        rack["second_feed"] = second[rack["power_domain"]]
    blades = {"UCSX-210C-M7": ONE_OF_TWO}
    said["site"]["supplies"] = {**blades, **{name.replace("_", "-"): each for name, each in supplies.items()}}
    said["fabric"].pop("survive", None)
    return model.load(said)


def losses(cluster: model.Cluster, kind: str = "feed") -> dict[str, Effect]:
    found = effects(cluster.network, fabric.plan(cluster.network))
    return {each.loss.name: each for each in found if each.loss.kind == kind}


EVERYTHING = {
    "UCSC_885A_M8": ONE_OF_TWO, "UCS_FI_6536": ONE_OF_TWO, "N9K_C9364D_GX2A": ONE_OF_TWO,
    "N9K_C9332D_GX2B": ONE_OF_TWO, "N9K_C93600CD_GX": ONE_OF_TWO,
}  # fmt: skip


def test_a_feed_takes_nothing_down_where_half_of_all_supplies_carries_its_machine() -> None:
    found = losses(site(**EVERYTHING))
    assert {each.verdict for each in found.values()} == {"none"}
    assert {each.loss.devices for each in found.values()} == {frozenset()}


def test_a_model_that_needs_more_than_half_goes_with_either_feed() -> None:
    cluster = site(**(EVERYTHING | {"UCSC_885A_M8": FOUR_OF_SIX}))
    lost = losses(cluster)["feed-a"]
    racks = {name for name, rack in cluster.site.racks.items() if "feed-a" in (rack.power_domain, rack.second_feed)}
    expected = {name for name, each in cluster.servers.items() if each.rack in racks and each.model == "UCSC-885A-M8"}
    assert lost.loss.devices & set(cluster.servers) == expected
    assert lost.verdict == "fatal"


def test_what_nobody_says_is_not_checked_and_says_what_to_write() -> None:
    found = losses(site())["feed-a"]
    assert found.verdict == "not checked"
    assert "UCSC-885A-M8" in found.why
    assert "write it in site.supplies" in found.why


def test_a_rack_on_one_feed_goes_whole_beside_others_on_two() -> None:
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    racks = said["site"]["racks"]
    racks["g1"]["second_feed"] = next(
        each for each in ("feed-a", "feed-b", "feed-c") if each != racks["g1"]["power_domain"]
    )
    said["site"]["supplies"] = {"UCSC-885A-M8": ONE_OF_TWO}
    cluster = model.load(said)
    lost = losses(cluster)[racks["g1"]["power_domain"]]
    assert lost.verdict == "fatal"
    assert not {name for name, each in cluster.servers.items() if each.rack == "g1"} & lost.loss.devices
    assert "g1" in losses(cluster, "rack")


@pytest.mark.parametrize(("supplies", "left"), [(ONE_OF_TWO, 1.0), (FOUR_OF_SIX, 0.3)])
def test_the_gate_counts_a_machine_that_needs_both_as_lost(supplies: dict[str, int], left: float) -> None:
    cluster = site(**(EVERYTHING | {"UCSC_885A_M8": supplies}))
    fabric_ = cluster.fabric.model_copy(update={"survive": model.Survive(feed=1.0)})
    problems = [each for each in coherence.check(cluster.model_copy(update={"fabric": fabric_})) if "feed" in each.loc]
    assert bool(problems) == (left < 1)


@pytest.mark.parametrize(
    ("supplies", "words"),
    [
        ({"UCSC_885A_M8": ONE_OF_TWO}, "; either carries it"),
        ({"UCSC_885A_M8": FOUR_OF_SIX}, "; it needs both"),
        ({}, "is not known, write site.supplies.UCSC-885A-M8"),
    ],
)
def test_explain_says_what_a_server_hangs_on(supplies: dict[str, Any], words: str) -> None:
    lines = list(summary.server(site(**supplies), "gpu-01"))
    assert lines[1].startswith("  power from feed-")
    assert " and feed-" in lines[1]
    assert words in lines[1]


def test_the_catalogue_answers_for_supplies_that_the_site_leaves_out() -> None:
    said = site()
    assert half_carries(said.site, "UCSC-880A-M8") is True
    assert half_carries(said.site.model_copy(update={"watts": {"UCSC-880A-M8": 19_201}}), "UCSC-880A-M8") is False
    assert half_carries(said.site, "UCS-FI-6536") is True
    assert half_carries(said.site, "UCS-FI-6454") is None
    assert half_carries(said.site, "UCSC-C220-M8S") is None
    assert half_carries(said.site, "UCSX-215C-M8") is None


@pytest.mark.parametrize(("supplies", "verdict"), [(FOUR_OF_SIX, "none"), ({"fitted": 4, "needed": 4}, "fatal")])
def test_one_supply_of_a_server_is_judged_where_the_site_says_how_many_carry_it(
    supplies: dict[str, int], verdict: str
) -> None:
    found = losses(site(UCSC_885A_M8=supplies), "supply")["gpu-01, one of its"]
    assert found.verdict == verdict
    assert found.loss.devices == (frozenset(("gpu-01",)) if verdict == "fatal" else frozenset())
    assert losses(site(), "supply")["gpu-01, one of its"].verdict == "not checked"
