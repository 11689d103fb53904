"""Numbers that follow from names and values written once: what they come to, what they leave alone, what is wrong."""

import copy
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.model import pattern
from podwright.components.model.expand import expand
from podwright.components.model.problems import dotted
from tests.design import whole as plans
from tests.model.changes import LAB, PROD, Said, both, drop, put
from tools.generated import ROOT

COMPACT = ROOT / "tests/model/prod_compact.yaml"
"""Pulumi.prod.yaml with every number that follows from a name left out."""
MOST_BYTES = 4096


def test_a_compact_file_gives_the_same_plan() -> None:
    whole, compact = model.load(ROOT / "Pulumi.prod.yaml"), model.load(COMPACT)
    assert compact == whole
    assert [list(each.servers) for each in (compact, whole)] == [list(whole.servers)] * 2
    assert fabric.plan(compact.network) == fabric.plan(whole.network)
    for plan in (plans.compute, plans.platform, plans.storage, plans.workloads):
        assert plan(compact) == plan(whole)


def test_it_takes_less_than_a_third_of_the_bytes() -> None:
    assert COMPACT.stat().st_size <= MOST_BYTES < (ROOT / "Pulumi.prod.yaml").stat().st_size / 3


@pytest.mark.parametrize(
    ("written", "name", "comes_to"),
    [
        ("203.0.113.10+n", "leaf-07", "203.0.113.17"),
        ("203.0.113.250+n", "leaf-07", "203.0.114.1"),
        ("02:25:b5:00:03:00+n", "gpu-16", "02:25:b5:00:03:10"),
        ("02:25:b5:00:03:ff+n", "gpu-1", "02:25:b5:00:04:00"),
        ("64600+n", "leaf-07", 64607),
        ("-1+n", "leaf-07", 6),
        ("+n", "leaf-07", 7),
        ("Ethernet1/+n", "gpu-07", "Ethernet1/7"),
        ("Ethernet1/16+n", "gpu-07", "Ethernet1/23"),
        ("g+n/2", "gpu-07", "g4"),
        ("g+n/2", "gpu-08", "g4"),
        ("WZP26220000+n", "gpu-07", "WZP26220007"),
        ("N9K-C9332D-GX2B", "leaf-07", "N9K-C9332D-GX2B"),
        ([10, 20], "gpu-07", [10, 20]),
        (["-1+n"], "leaf-07", [6]),
        ("feed-[a-c]", "r2", ["feed-a", "feed-b", "feed-c"]),
        ("10.255.0.[1,3]", "border-02", ["10.255.0.1", "10.255.0.3"]),
    ],
)
def test_what_a_value_comes_to(written: object, name: str, comes_to: object) -> None:
    assert pattern.value(written, name, None) == comes_to


def test_a_list_in_turn_goes_by_the_number() -> None:
    feeds = ["feed-a", "feed-b", "feed-c"]
    assert [pattern.value(feeds, f"r{number}", str) for number in (1, 2, 3, 4)] == [*feeds, "feed-a"]
    assert pattern.value([[0, 1], [2, 3]], "leaf-02", tuple[int, ...]) == [2, 3]
    assert pattern.value([0, 1], "leaf-02", tuple[int, ...]) == [0, 1]


def test_explicit_values_win_and_closer_patterns_do() -> None:
    rack = {"power_domain": "feed-a"}
    made = expand(
        {
            "site": {
                "racks": {
                    "*": {**rack, "power_kw": 1},
                    "r*": {"power_kw": 2},
                    "r[1-3]": {"power_kw": 3},
                    "r2": {"power_kw": 4},
                    "r9": {},
                    "x": {},
                }
            }
        }
    ).value["site"]["racks"]
    assert {name: each["power_kw"] for name, each in made.items()} == {"r1": 3, "r2": 4, "r3": 3, "r9": 2, "x": 1}
    assert all(each["power_domain"] == "feed-a" for each in made.values())


def test_what_is_explicit_stays_as_it_is() -> None:
    for said in (LAB, PROD):
        assert model.Cluster.model_validate_json(__import__("json").dumps(expand(said).value)) == model.load(said)
        assert expand(said).problems == []


NUMBERED = {
    "spines": ("spine", {"model": "N9K-C9364D-GX2A", "rack": "r1", "management": "203.0.113.100+n"}),
    "leaves": ("leaf", {"model": "N9K-C9332D-GX2B", "rack": "r1", "management": "203.0.113.0+n", "rails": ["-1+n"]}),
}


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(1, 60), min_size=1, max_size=20), st.integers(1, 60), st.data())
def test_an_entry_that_comes_or_goes_changes_no_other(numbers: set[int], other: int, data: st.DataObject) -> None:
    """Values follow from an entry's own number, never from the place in the file or how many there are."""
    kind = data.draw(st.sampled_from(sorted(NUMBERED)))
    prefix, alike = NUMBERED[kind]
    order = data.draw(st.permutations(sorted(numbers)))
    fewer = {"*": alike, **{f"{prefix}-{number:02}": None for number in order}}
    more = {f"{prefix}-{other:02}": None, **fewer}
    one, two = (expand({"fabric": {kind: each}}).value["fabric"][kind] for each in (fewer, more))
    assert all(two[name] == entry for name, entry in one.items())
    assert {name: entry["index"] for name, entry in two.items()} == {
        f"{prefix}-{number:02}": number for number in {*numbers, other}
    }


def compact() -> Said:
    loaded: Said = yaml.safe_load(COMPACT.read_text())["config"]["podwright:cluster"]
    return loaded


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 16))
def test_a_server_that_goes_changes_only_ports_that_face_it(gone: int) -> None:
    said = compact()
    ranged = ",".join(
        part for part in (f"01-{gone - 1:02}" if gone > 1 else "", f"{gone + 1:02}-16" if gone < 16 else "") if part
    )
    for entries in (said["servers"], said["fabric"]["frontend"]["ports"]):
        entries[f"gpu-[{ranged}]"] = entries.pop("gpu-[01-16]")
    said["workloads"]["training"]["pretrain"]["nodes"] = 15
    said["openshift"]["teams"]["research"]["gpus"] = 120
    before, after = fabric.plan(model.load(COMPACT).network), fabric.plan(model.load(said).network)
    name = f"gpu-{gone:02}"
    for switch in after.switches:
        lines = {*before.switch(switch.hostname).text().split("\n\n")} ^ {*switch.text().split("\n\n")}
        facing = [part for part in before.switch(switch.hostname).text().split("\ninterface ") if name in part]
        assert len(lines) <= 2 * max(len(facing), 0) + 2, (switch.hostname, lines)
        kept = [line for line in before.switch(switch.hostname).text().splitlines() if line.startswith("router bgp")]
        assert kept == [line for line in switch.text().splitlines() if line.startswith("router bgp")]


DERIVED = both(
    *(drop(f"fabric/leaves/leaf-0{number}/{key}") for number in (1, 2) for key in ("index", "asn")),
    *(drop(f"fabric/spines/spine-01/{key}") for key in ("index", "asn")),
    *(drop(f"servers/gpu-0{number}/index") for number in range(1, 6)),
    drop("openshift/gateway"),
    drop("openshift/pull_secret"),
    drop("pools/training/purpose"),
    drop("pools/inference/purpose"),
)


def test_what_follows_from_a_name_need_not_be_written() -> None:
    said = copy.deepcopy(LAB)
    DERIVED(said)
    assert model.load(said) == model.load(LAB)


def test_another_base_is_written_once() -> None:
    said = copy.deepcopy(LAB)
    DERIVED(said)
    put("fabric/asn", {"spines": 4200000000, "leaves": 4200000100})(said)
    found = model.load(said).fabric
    assert [each.asn for each in (*found.spines.values(), *found.leaves.values())] == [
        4200000000,
        4200000101,
        4200000102,
    ]


def test_above_ospf_all_switches_of_the_backend_share_the_spines_number() -> None:
    said = copy.deepcopy(LAB)
    DERIVED(said)
    put("fabric/underlay", {"kind": "ospf"})(said)
    assert {each.asn for each in model.load(said).fabric.leaves.values()} == {65001}


WRONG = [
    ("rack: g+n/2", "rack: x+n/2", "servers.gpu-01.rack", 'there is no rack "x1"', "x+n/2"),
    (
        "address: 100+n",
        "address: 198.51.101.100+n",
        "servers.gpu-01.address",
        "outside the machine",
        "198.51.101.100+n",
    ),
    (
        "management: 203.0.113.30+n",
        "management: 255.255.255.255+n",
        "fabric.frontend.leaves.front-0[1-2].management",
        "is no IPv4",
        "255",
    ),
    (
        '"gpu-[01-16]": {vlans',
        '"gpu-[16-01]": {vlans',
        "fabric.frontend.ports.gpu-[16-01]",
        "ends before it begins",
        '"gpu-[16-01]"',
    ),
    ("bmc: 203.0.113.100+n", "bnc: 203.0.113.100+n", "servers.gpu-01.bnc", "unknown key", "bnc"),
    (
        'power_domain: "feed-[a-c]"',
        "power_domain: []",
        "site.racks.*.power_domain",
        "is an empty list",
        "[]",
    ),
    ("cp-[01-03],", "cp-[01-99999],", "servers.cp-[01-99999], inf-[01-03]", "makes more than 1000 entries", "cp-"),
]


@pytest.mark.parametrize(("old", "new", "loc", "message", "under"), WRONG, ids=[each[1] for each in WRONG])
def test_the_caret_points_at_what_was_written(
    old: str, new: str, loc: str, message: str, under: str, tmp_path: Path
) -> None:
    path = tmp_path / "Pulumi.wrong.yaml"
    assert old in COMPACT.read_text()
    path.write_text(COMPACT.read_text().replace(old, new))
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    found = next(each for each in caught.value.problems if dotted(each.loc) == loc and message in each.message)
    assert found.position is not None
    line = path.read_text().splitlines()[found.position.line - 1]
    assert line[found.position.column - 1 :].startswith(under), line
    assert found.hint


def test_one_wrong_pattern_is_one_finding(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.wrong.yaml"
    path.write_text(COMPACT.read_text().replace("model: UCSC-885A-M8", "model: UCSC-885A-M9"))
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    assert len(caught.value.problems) == 1


def test_a_name_without_a_number_says_that_it_needs_one() -> None:
    said = copy.deepcopy(LAB)
    leaf = said["fabric"]["leaves"].pop("leaf-02")
    del leaf["index"]
    said["fabric"]["leaves"]["leaf-b"] = leaf
    with pytest.raises(model.SpecErrors) as caught:
        model.load(said)
    found = next(each for each in caught.value.problems if dotted(each.loc) == "fabric.leaves.leaf-b.index")
    assert "the number its name ends in" in found.hint
