"""Stack files that are based on others: what they come to, and where what is wrong with them stands."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

from podwright.components import model
from podwright.components.model.based import document
from podwright.components.model.problems import dotted
from tests.model.changes import Said
from tools.generated import ROOT

EXAMPLE = ROOT / "tests/examples/staging"
PRODUCTION = "Pulumi.production.yaml"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The example's files, to be changed."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "site", ignore=shutil.ignore_patterns("expected")))


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{old} stands {text.count(old)} times in {file.name}"
    file.write_text(text.replace(old, new))


def clusters(*files: Path) -> list[Said]:
    return [yaml.safe_load(file.read_text())["config"][model.KEY] for file in files]


def flat(lowest: Said, *higher: Said) -> Said:
    """What files come to, written by hand for this test."""
    made = dict(lowest)
    for each in higher:
        for key, value in each.items():
            if value is None and key in made:
                del made[key]
            elif isinstance(value, dict) and isinstance(made.get(key), dict):
                made[key] = flat(made[key], value)
            else:
                made[key] = value
    return made


@pytest.mark.parametrize("stack", ["staging", "production"])
def test_a_stack_with_a_base_is_the_stack_of_one_file(stack: str) -> None:
    file = EXAMPLE / f"Pulumi.{stack}.yaml"
    assert model.load(file) == model.load(flat(*clusters(EXAMPLE / "base.yaml", file)))


def test_a_file_without_the_key_is_read_alone(site: Path) -> None:
    change(site / PRODUCTION, "  podwright:base: base.yaml\n", "")
    assert document(site / PRODUCTION).value == clusters(site / PRODUCTION)[0]


def refused(site: Path) -> model.SpecErrors:
    """What is wrong with the stack."""
    with pytest.raises(model.SpecErrors) as caught:
        model.load(site / PRODUCTION)
    return caught.value


def test_later_bases_come_over_earlier_ones_and_each_is_read_once(site: Path) -> None:
    """The base of both is at the bottom: read again above the first it would undo what that one defines."""
    site.joinpath("first.yaml").write_text(
        "config:\n  podwright:base: base.yaml\n  podwright:cluster: {openshift: {version: 4.20.4, domain: a.example}}\n"
    )
    site.joinpath("second.yaml").write_text(
        "config:\n  podwright:base: base.yaml\n  podwright:cluster: {openshift: {domain: b.example}}\n"
    )
    change(site / PRODUCTION, "base: base.yaml", "base: [first.yaml, second.yaml]")
    found = model.load(site / PRODUCTION).openshift
    assert found is not None
    assert (found.version, found.domain) == ("4.20.4", "b.example")
    names = [Path(each).name for each in document(site / PRODUCTION).source.bases]
    assert names == ["base.yaml", "first.yaml", "second.yaml"]


def test_null_takes_out_a_section_and_an_entry(site: Path) -> None:
    change(site / PRODUCTION, "        pretrain: {nodes: 8}", "        pretrain: null")
    change(site / PRODUCTION, "        research: {gpus: 64}", "        research: null")
    change(site / PRODUCTION, "{max_unavailable: 2}", "{max_unavailable: 2, hugepages_gib: null}")
    found = model.load(site / PRODUCTION)
    assert (found.workloads.training, found.teams) == ({}, {})


def test_a_list_is_replaced_whole(site: Path) -> None:
    change(site / PRODUCTION, "    changes:", "    site: {ntp: [192.0.2.7, 192.0.2.8]}\n    changes:")
    change(site / PRODUCTION, '    site:\n      racks: {"r[1-3]": {}, "g[1-4]": {}}\n', "")
    change(site / "base.yaml", '        "*": {power', '        "r[1-3], g[1-4]": {power')
    assert [str(each) for each in model.load(site / PRODUCTION).site.ntp] == ["192.0.2.7", "192.0.2.8"]


IN_THE_BASE = [
    ("rails: true", "rails: maybe", "pools.training.rails", "maybe"),
    ("baseline:", "baselime:", "fabric.baselime", "baselime"),
    ("model: UCSC-885A-M8", "model: UCSC-885A-M9", "servers.gpu-01.model", "UCSC-885A-M9"),
    ("hugepages_gib: 16}", "hugepages_gib: 4000}", "pools.training.hugepages_gib", "4000"),
    ("version: 4.20.3", "version: 4.20.3\n      version: 4.20.4", "openshift.version", "version: 4.20.4"),
    ("team: research", "team: nobody", "workloads.training.pretrain.team", "nobody"),
]


@pytest.mark.parametrize(("old", "new", "loc", "under"), IN_THE_BASE, ids=[each[1] for each in IN_THE_BASE])
def test_what_is_wrong_in_a_base_is_shown_there(old: str, new: str, loc: str, under: str, site: Path) -> None:
    base = site / "base.yaml"
    change(base, old, new)
    errors = refused(site)
    found = next(each for each in errors.problems if dotted(each.loc) == loc)
    assert found.position is not None
    assert found.position.file.endswith("base.yaml")
    line = base.read_text().splitlines()[found.position.line - 1]
    assert line[found.position.column - 1 :].startswith(under), line
    text = errors.render()
    assert f"base.yaml:{found.position.line}:{found.position.column}: {loc}" in text
    assert f"    {line[: found.position.column - 1 + len(under)]}"[:80] in text
    assert re.search(r"in \S*Pulumi.production.yaml, based on \S*base.yaml$", text)


def test_what_the_stack_itself_has_wrong_is_shown_in_its_own_file(site: Path) -> None:
    change(site / PRODUCTION, "gpus: 64", "gpus: many")
    errors = refused(site)
    (found,) = errors.problems
    assert found.position is not None
    assert found.position.file == ""
    assert "based on" not in errors.render().splitlines()[-1]


def test_a_required_key_that_is_taken_out_is_missing_where_it_is_taken_out(site: Path) -> None:
    change(site / PRODUCTION, "      api_vip: 198.51.101.5\n", "      domain: null\n      api_vip: 198.51.101.5\n")
    errors = refused(site)
    (found,) = (each for each in errors.problems if dotted(each.loc) == "openshift.domain")
    assert found.message == "is missing"
    assert found.position is not None
    shown = (site / PRODUCTION).read_text().splitlines()[found.position.line - 1]
    assert shown[found.position.column - 1 :] == "null"


NAMED = [
    ("nothing.yaml", "nothing.yaml cannot be read: No such file or directory"),
    (".", "cannot be read: Is a directory"),
    ("empty.yaml", "empty.yaml is empty"),
    ('""', "is empty"),
    ("3", "is not the path of a file"),
    ("null", "is not the path of a file"),
    ("{a: base.yaml}", "is not the path of a file"),
    ("[]", "is an empty list"),
    ("[base.yaml, ./base.yaml]", '"./base.yaml" stands twice'),
    ("/etc/base.yaml", '"/etc/base.yaml" is where it is on one machine alone'),
    (PRODUCTION, f'"{PRODUCTION}" is based on this file: {PRODUCTION} → {PRODUCTION}'),
    ("base.yaml\n  podwright:base: base.yaml", "stands twice"),
]


@pytest.mark.parametrize(("value", "message"), NAMED, ids=[each[0] for each in NAMED])
def test_a_base_that_cannot_be_read_is_wrong_where_it_is_named(value: str, message: str, site: Path) -> None:
    site.joinpath("empty.yaml").write_text("# nothing\n")
    change(site / PRODUCTION, "podwright:base: base.yaml", f"podwright:base: {value}")
    errors = refused(site)
    (found,) = errors.problems
    assert message in found.message
    assert found.hint
    assert found.position is not None
    assert "podwright:base" in (site / PRODUCTION).read_text().splitlines()[found.position.line - 1]


CONTENT = [
    ("config:\n", "encryptionsalt: v1:a\nconfig:\n", "encryptionsalt", "is not read from a file that a stack"),
    ("config:\n", "config:\n  podwright:secrets: {a: b}\n", "config.podwright:secrets", "is not read from a file that"),
    ("config:\n", "config:\n  aws:region: x\n", "config.aws:region", "is not read from a file that a stack"),
    ("podwright:cluster:", "podwright:clusters:", "config.podwright:cluster", "is missing"),
    ("config:\n", "config:\n  podwright:base: Pulumi.production.yaml\n", "config.podwright:base", "is based on this"),
    ("rails: true", "rails: [", "", "is not valid YAML"),
]


@pytest.mark.parametrize(("old", "new", "loc", "message"), CONTENT, ids=[each[1] for each in CONTENT])
def test_a_base_holds_a_cluster_and_nothing_else(old: str, new: str, loc: str, message: str, site: Path) -> None:
    change(site / "base.yaml", old, new)
    errors = refused(site)
    found = next(each for each in errors.problems if message in each.message)
    assert dotted(found.loc) == loc
    assert found.position is not None
    assert found.position.file.endswith("base.yaml")


def test_a_base_that_is_a_list_is_no_cluster(site: Path) -> None:
    site.joinpath("base.yaml").write_text("config:\n  podwright:cluster: [1]\n")
    with pytest.raises(model.SpecErrors, match=r"base.yaml:2:22: config.podwright:cluster: is not a mapping"):
        model.load(site / PRODUCTION)


def test_files_without_end_are_refused(site: Path) -> None:
    for number in range(40):
        text = f"config:\n  podwright:base: f{number + 1}.yaml\n  podwright:cluster: {{}}\n"
        site.joinpath(f"f{number}.yaml").write_text(text)
    change(site / PRODUCTION, "base.yaml", "f0.yaml")
    with pytest.raises(model.SpecErrors, match="more than 32 files are read for one stack"):
        model.load(site / PRODUCTION)


def test_a_private_key_of_a_base_is_shown_nowhere(site: Path) -> None:
    change(site / "base.yaml", "team: research\n", 'team: "-----BEGIN RSA PRIVATE KEY-----hush"\n')
    errors = refused(site)
    assert "hush" not in errors.render()
