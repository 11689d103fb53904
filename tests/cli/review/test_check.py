"""`podwright check --format sarif`: problems at their lines, what is open, waivers that end; exit codes by severity."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli import sarif
from tests.cli.command import inside
from tests.cli.test_waivers import WATCHDOG, stack
from tools.generated import ROOT


def results(*words: str | Path) -> tuple[int, list[Any]]:
    answer = inside("check", *words, "--format", "sarif")
    found: list[Any] = sarif.check(json.loads(answer.stdout))["results"]
    return answer.returncode, found


def test_each_problem_is_an_error_at_its_line_with_its_hint(tmp_path: Path) -> None:
    wrong = tmp_path / "Pulumi.wrong.yaml"
    text = (ROOT / "Pulumi.lab.yaml").read_text().replace("links_per_pair: 20", "links_per_pairs: 20")
    wrong.write_text(text.replace("rack: r2}", "rack: r9}", 1))
    status, found = results(wrong)
    assert status == 1
    assert {(each["ruleId"], each["level"]) for each in found} == {("stack-file-can-be-built", "error")}
    by_path = {each["message"]["text"].partition(":")[0]: each for each in found}
    unknown = by_path["fabric.links_per_pairs"]
    region = unknown["locations"][0]["physicalLocation"]["region"]
    lines = text.splitlines()
    assert lines[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1] == "links_per_pairs"
    assert unknown["message"]["text"].endswith("\nhint: did you mean `links_per_pair`?")
    assert unknown["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == wrong.as_uri()


def test_what_is_open_is_a_note_and_the_path_is_as_it_was_given() -> None:
    status, found = results("Pulumi.lab.yaml", "Pulumi.prod.yaml")
    assert status == 0
    assert {(each["ruleId"], each["level"]) for each in found} == {("stack-file-leaves-nothing-open", "note")}
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in found}
    assert uris == {"Pulumi.lab.yaml", "Pulumi.prod.yaml"}
    (production,) = (
        each["message"]["text"]
        for each in found
        if each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "Pulumi.prod.yaml"
    )
    assert "what training job pretrain has learned is lost" in production, "the one thing that it leaves open"


def test_a_waiver_that_ends_soon_stands_at_its_line(tmp_path: Path) -> None:
    soon = datetime.now(UTC).date() + timedelta(days=3)
    path = stack(
        tmp_path,
        f"rule: {WATCHDOG}, resource: lab-leaf-01",
        f"rule: {WATCHDOG}, resource: lab-leaf-02, reason: why not, owner: us, until: {soon}",
    )
    (ending,) = (each for each in results(path)[1] if each["ruleId"] == "waivers-have-time-left")
    line = ending["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert "lab-leaf-02" in path.read_text().splitlines()[line - 1]
    assert "ends in " in ending["message"]["text"]


@pytest.mark.parametrize(("least", "status"), [("high", 0), ("medium", 0), ("low", 1)])
def test_it_fails_by_severity(least: str, status: int) -> None:
    assert inside("check", "Pulumi.lab.yaml", "--fail-on", least).returncode == status


def test_a_file_that_cannot_be_read_is_a_result_without_a_line(tmp_path: Path) -> None:
    answer = inside("check", tmp_path / "Pulumi.none.yaml", "--format", "sarif")
    ((result,),) = (json.loads(answer.stdout)["runs"][0]["results"],)
    assert answer.returncode == 1
    assert "cannot be read: No such file or directory" in result["message"]["text"]
    assert "region" not in result["locations"][0]["physicalLocation"]
