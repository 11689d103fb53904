"""`podwright explain values`: where each value of a stack is set, and what it took the place of."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import json_schema
from podwright.components.model.origins import HIDDEN
from tests.cli.command import inside as run
from tests.model.test_based import EXAMPLE, PRODUCTION, change
from tools.generated import ROOT

FOLDER = "tests/examples/staging"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "site", ignore=shutil.ignore_patterns("expected")))


def values(file: Path, *words: str) -> dict[str, dict[str, Any]]:
    done = run("explain", "values", file, "--json", *words)
    assert done.returncode == 0, done.stderr
    return {each["path"]: each for each in json.loads(done.stdout)["values"]}


def line(file: Path, text: str) -> int:
    return next(number for number, each in enumerate(file.read_text().splitlines(), 1) if text in each)


def test_each_value_has_its_file_its_line_and_what_it_replaced() -> None:
    base, own = EXAMPLE / "base.yaml", EXAMPLE / PRODUCTION
    found = values(own, "--all")
    quota = found["openshift.teams.research.gpus"]
    assert (quota["value"], quota["file"], quota["line"]) == (64, f"{FOLDER}/{PRODUCTION}", line(own, "{gpus: 64}"))
    assert quota["replaced"] == [{"value": 16, "file": f"{FOLDER}/base.yaml", "line": line(base, "{gpus: 16}")}]
    assert found["openshift.version"]["file"] == f"{FOLDER}/base.yaml"
    assert found["openshift.gateway"]["origin"] == "worked out"
    assert (found["fabric.lossless.priority"]["value"], found["fabric.lossless.priority"]["origin"]) == (3, "default")
    by_pattern = found["servers.gpu-07.rack"]
    assert (by_pattern["value"], by_pattern["written"]) == ("g4", "servers.gpu-*.rack")
    assert by_pattern["line"] == line(base, "gpu-*:")


def test_every_field_of_the_model_is_shown_once() -> None:
    found = [each["path"] for each in values(ROOT / "Pulumi.lab.yaml", "--all").values()]
    assert len(found) == len(set(found))
    sections = {each.partition(".")[0].partition("[")[0] for each in found}
    assert sections == set(model.Cluster.model_fields)


def test_without_a_path_what_no_file_sets_is_left_out() -> None:
    assert {each["origin"] for each in values(EXAMPLE / PRODUCTION).values()} == {"file"}
    assert "default" in {each["origin"] for each in values(EXAMPLE / PRODUCTION, "openshift").values()}


def test_a_path_shows_what_is_below_it() -> None:
    assert all(each.startswith("pools.training.") for each in values(EXAMPLE / PRODUCTION, "pools.training"))
    done = run("explain", "values", EXAMPLE / PRODUCTION, "workloads.training.pretrain.nodes")
    first, second = done.stdout.splitlines()
    assert first == f"{FOLDER}/{PRODUCTION}, based on {FOLDER}/base.yaml"
    at = line(EXAMPLE / "base.yaml", "nodes: 2")
    assert second.endswith(f", in place of 2 ({FOLDER}/base.yaml:{at})")


def test_what_is_taken_out_is_shown(site: Path) -> None:
    change(site / PRODUCTION, "{max_unavailable: 2}", "{max_unavailable: 2, rails: null}")
    found = values(site / PRODUCTION, "pools.training.rails")["pools.training.rails"]
    assert (found["origin"], found["replaced"][0]["value"]) == ("removed", True)


def test_a_path_that_is_wrong_is_answered_with_what_is_near() -> None:
    done = run("explain", "values", EXAMPLE / PRODUCTION, "openshift.versoin")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean openshift.version?" in done.stderr


def test_a_file_that_is_wrong_is_answered_as_check_does(site: Path) -> None:
    change(site / "base.yaml", "rails: true", "rails: maybe")
    done = run("explain", "values", site / PRODUCTION)
    assert done.returncode == 1
    assert done.stderr == run("check", site / PRODUCTION).stderr


def test_a_private_key_is_not_repeated(site: Path) -> None:
    change(site / "base.yaml", "command: [torchrun, train.py]", "command: [torchrun, train.py]\n          volumes: {}")
    key = "-----BEGIN RSA PRIVATE KEY-----"
    change(site / "base.yaml", "teams:\n        research: {gpus: 16}", f'teams: "{key} hush"')
    found = values(site / PRODUCTION, "openshift.teams")
    assert [each["replaced"][0]["value"] for each in found.values() if each["replaced"]].count(HIDDEN) > 0
    assert "hush" not in json.dumps(found)


def test_check_reports_a_base_in_its_own_file_to_programs_too(site: Path) -> None:
    change(site / "base.yaml", "rails: true", "rails: maybe")
    done = run("check", site / PRODUCTION, "--format", "sarif")
    (result,) = json.loads(done.stdout)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/base.yaml")
    assert place["region"]["startLine"] == line(site / "base.yaml", "maybe")


def test_add_takes_a_base_into_account(site: Path) -> None:
    file = site / "Pulumi.staging.yaml"
    change(file, "gpu-[01-04]", "gpu-[01-03]")
    change(file, "cp-[01-03]", "cp-[01-03]")
    done = run("add", "server", file, "gpu-04")
    assert done.returncode == 0, done.stderr
    assert "gpu-[01-04]" in file.read_text()


def test_the_schema_of_a_part_needs_no_key_and_takes_null() -> None:
    whole, part = json_schema.document(), json_schema.document(part=True)
    assert part == json.loads(run("schema", "--part").stdout)
    assert whole["$defs"]["Site"]["required"]
    assert not any("required" in each for each in part["$defs"].values())
    assert all({"type": "null"} in each["anyOf"] for each in part["$defs"]["OpenShift"]["properties"].values())
    assert part["$defs"]["Site"]["additionalProperties"] is False
    for each in (whole, part):
        assert "podwright:base" in each["properties"]["config"]["properties"]
