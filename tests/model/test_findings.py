"""What a wrong file is answered with: shape and coherence at once, and one finding for one cause."""

import json
from pathlib import Path

import pytest

from podwright.components import model
from podwright.components.model.problems import Problem, Source, dotted
from tools.generated import ROOT

LAB = (ROOT / "Pulumi.lab.yaml").read_text()
PROD = (ROOT / "Pulumi.prod.yaml").read_text()


def findings(text: str, folder: Path) -> model.SpecErrors:
    path = folder / "Pulumi.wrong.yaml"
    path.write_text(text)
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    return caught.value


def places(errors: model.SpecErrors) -> list[str]:
    return [dotted(each.loc) for each in errors.problems]


def test_shape_and_coherence_errors_come_at_once(tmp_path: Path) -> None:
    """A wrong number in one section hides no contradiction in another."""
    text = LAB.replace("links_per_pair: 20", "links_per_pair: 99").replace("all-1g.18gb", "all-1g.10gb")
    found = places(findings(text, tmp_path))
    assert found[:2] == ["fabric.links_per_pair", "pools.inference.mig"]


def test_a_malformed_field_hides_none_beside_it(tmp_path: Path) -> None:
    text = LAB.replace("links_per_pair: 20", 'links_per_pair: 99\n      lossless: {mtu: "x", dscp: 40}')
    assert places(findings(text, tmp_path)) == ["fabric.links_per_pair", "fabric.lossless.mtu", "fabric.lossless.dscp"]


def test_nothing_is_said_to_contradict_what_is_malformed_itself(tmp_path: Path) -> None:
    """Racks that cannot be read are there all the same: no device is told that its rack does not exist."""
    errors = findings(LAB.replace("power_domain: feed-a", "power_domain: 7", 1), tmp_path)
    assert len(errors.problems) == 1
    assert errors.problems[0].loc[:2] == ("site", "racks")


def test_a_mistyped_section_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    """Servers of pools under `pool:` are not each told that their pool does not exist."""
    assert places(findings(LAB.replace("    pools:\n", "    poolss:\n"), tmp_path)) == ["poolss"]


def test_a_section_that_stands_twice_is_not_checked(tmp_path: Path) -> None:
    errors = findings(LAB.replace("    pools:\n", "    pools: {}\n    pools:\n"), tmp_path)
    assert places(errors) == ["pools"]


@pytest.mark.parametrize(
    ("old", "new", "loc", "also"),
    [
        ("links_per_pair: 8", "links_per_pair: 12", "fabric.links_per_pair", 3),
        ("model: UCSC-885A-M8", "model: UCSC-885A-M9", "servers.gpu-01.model", 15),
        ("rack: g1", "rack: g11", "servers.gpu-01.rack", 1),
        ("asn: 65001", "asn: -1", "fabric.spines.spine-01.asn", 1),
        ("gpus: NVIDIA-H200", "gpuz: NVIDIA-H200", "servers.gpu-01.gpuz", 15),
    ],
)
def test_one_cause_is_one_finding(old: str, new: str, loc: str, also: int, tmp_path: Path) -> None:
    errors = findings(PROD.replace(old, new), tmp_path)
    assert places(errors) == [loc]
    assert len(errors.problems[0].also) == also


def test_a_finding_names_the_first_places_and_counts_the_rest(tmp_path: Path) -> None:
    text = str(findings(PROD.replace("model: UCSC-885A-M8", "model: UCSC-885A-M9"), tmp_path))
    named = ", ".join(f"servers.gpu-0{number}.model" for number in range(2, 6))
    assert f"  also: {named} and 11 more\n" in text
    assert text.endswith("1 problem in " + text.rsplit(" ", 1)[1])


def test_two_mistakes_of_one_kind_stay_two_findings(tmp_path: Path) -> None:
    """The same sentence about different values is not one cause."""
    text = PROD.replace("index: 5, pool", "index: 4, pool").replace("index: 9, pool", "index: 8, pool")
    assert places(findings(text, tmp_path)) == ["servers.gpu-05.index", "servers.gpu-09.index"]


def test_no_place_is_named_twice() -> None:
    same = Problem(("a",), "is wrong", "mend it")
    (found,) = model.SpecErrors([same, same], Source("x")).problems
    assert found == same


def test_a_mapping_is_checked_as_a_file_is() -> None:
    import yaml

    said = yaml.safe_load(LAB)["config"]["podwright:cluster"]
    said["fabric"]["links_per_pair"] = 99
    said["pools"]["inference"]["mig"] = "all-1g.10gb"
    with pytest.raises(model.SpecErrors) as caught:
        model.load(json.loads(json.dumps(said)))
    assert {"fabric.links_per_pair", "pools.inference.mig"} <= set(places(caught.value))
