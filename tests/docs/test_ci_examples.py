"""The CI files of the how-to: their structure, and that every podwright command and flag in them exists."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
import yaml

from podwright.cli.__main__ import app
from tools.generated import ROOT

FOLDER = ROOT / "docs/how-to/ci"
FILES = sorted(FOLDER.glob("*.yml"))


def document(name: str) -> Any:
    return yaml.load((FOLDER / f"{name}.yml").read_text(), yaml.BaseLoader)  # `on` is no boolean to GitHub either


def lines(value: Any) -> Iterator[str]:
    """Every line that a job's shell runs."""
    if isinstance(value, dict):
        for key, each in value.items():
            found = [each] if isinstance(each, str) else each
            yield from (
                (line for text in found for line in text.splitlines()) if key in ("run", "script") else lines(each)
            )
    elif isinstance(value, list):
        for each in value:
            yield from lines(each)


def typed(name: str) -> list[list[str]]:
    """Words of each podwright command of a file, up to what is handed on to Pulumi."""
    parts = (part for line in lines(document(name)) for part in re.split(r"&&|\||[<>]|\$\(|\)", line))
    words = (shlex.split(part) if "podwright " in part and "pip" not in part else [] for part in parts)
    own = (each[: each.index("--")] if "--" in each else each for each in words)
    return [each for each in own if each[:1] == ["podwright"]]


def test_both_code_hosts_have_a_file() -> None:
    assert [path.stem for path in FILES] == ["github", "gitlab"]


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_every_command_and_flag_exists(name: str) -> None:
    root: Any = typer.main.get_command(app)
    found = typed(name)
    assert {each[1] for each in found} >= {"check", "preview", "up", "status", "audit"}
    for _, verb, *rest in found:
        command = root.commands[verb]
        known = {flag for parameter in command.params for flag in parameter.opts}
        flags = {word for word in rest if word.startswith("-")}
        assert flags <= known, f"podwright {verb} has no {flags - known}"


def test_github_s_file_has_what_a_workflow_needs() -> None:
    workflow = document("github")
    assert set(workflow["on"]) == {"pull_request", "push", "schedule"}
    jobs = workflow["jobs"]
    assert set(jobs) == {"review", "apply", "drift"}
    for job in jobs.values():
        assert job["runs-on"]
        assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    assert jobs["review"]["permissions"]["security-events"] == "write", "SARIF is refused without it"
    assert "PODWRIGHT_REACH" not in str(jobs["review"]), "a review reaches no device"
    assert jobs["apply"]["environment"], "the environment's reviewers approve"
    upload = next(step for step in jobs["review"]["steps"] if "upload-sarif" in step.get("uses", ""))
    assert upload["if"] == "always()", "a preview that stops is the one with findings"


def test_gitlab_s_file_has_what_a_pipeline_needs() -> None:
    pipeline = document("gitlab")
    jobs = {name: each for name, each in pipeline.items() if name not in ("stages", "default")}
    assert {each["stage"] for each in jobs.values()} == set(pipeline["stages"])
    assert all(each["script"] and each["rules"] for each in jobs.values())
    assert jobs["apply"]["rules"][0]["when"] == "manual"
    assert jobs["review"]["artifacts"]["when"] == "always"
    assert "tags" not in jobs["review"], "a review runs where no device is in reach"
