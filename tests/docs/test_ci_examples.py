"""The CI files of the how-to: their structure, and that every podwright command and flag in them exists."""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from podwright.cli.__main__ import app
from tools.generated import ROOT

FOLDER = ROOT / "docs/how-to/ci"
FILES = sorted(FOLDER.glob("*.yml"))
DRIFT = ["status", "audit", "preview"]
DEFAULT = {
    "after_script", "artifacts", "before_script", "cache", "hooks", "id_tokens", "image", "identity", "interruptible",
    "retry", "services", "tags", "timeout",
}  # fmt: skip
"""What GitLab takes below `default` (gitlab-org/gitlab, app/assets/javascripts/editor/schema/ci.json)."""


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
    uploads = [(job, step) for job in jobs.values() for step in job["steps"] if "upload-sarif" in step.get("uses", "")]
    assert uploads
    for job, step in uploads:
        assert step["if"] == "always()", "a preview that stops is the one with findings"
        assert job["permissions"]["actions"] == "read", "a private repository's upload asks which workflow it is of"


def test_no_job_of_github_s_file_takes_another_s_turn() -> None:
    workflow = document("github")
    assert "concurrency" not in workflow, "one group has one pending run, and a newer one cancels that"
    groups = {name: job["concurrency"] for name, job in workflow["jobs"].items()}
    assert len({each["group"] for each in groups.values()}) == len(groups)
    assert "${{ github.ref }}" in groups["review"]["group"], "reviews of two changes do not wait for each other"
    assert groups["review"]["cancel-in-progress"] == "true"
    assert groups["apply"]["cancel-in-progress"] == "false", "an update that is stopped leaves its stack in part"


def test_each_step_of_github_s_drift_runs_whatever_the_one_before_found() -> None:
    steps = [each for each in document("github")["jobs"]["drift"]["steps"] if "run" in each]
    assert [each["run"].split()[1] for each in steps] == DRIFT
    assert all(each["if"] == "${{ !cancelled() }}" for each in steps[1:])


@pytest.mark.parametrize("failing", [*DRIFT, ""])
def test_each_command_of_gitlab_s_drift_runs_whatever_the_one_before_found(tmp_path: Path, failing: str) -> None:
    program = tmp_path / "podwright"
    program.write_text(f'#!/bin/sh\necho "$1"\ntest "$1" != "{failing}"\n')
    program.chmod(0o755)
    script = "\n".join(document("gitlab")["drift"]["script"])
    words = ["bash", "-e", "-o", "pipefail", "-c", script]  # as GitLab's runner has it
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(words, env={"PATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == DRIFT
    assert done.returncode == bool(failing)


def test_gitlab_takes_every_key_of_its_default() -> None:
    assert set(document("gitlab")["default"]) <= DEFAULT, "the pipeline is refused"


def test_one_job_at_a_time_of_gitlab_s_file_is_at_the_devices() -> None:
    pipeline = document("gitlab")
    assert pipeline["apply"]["resource_group"] == pipeline["drift"]["resource_group"]
    assert "resource_group" not in pipeline["review"], "a review waits for no update"


def test_a_review_of_gitlab_s_file_has_variables_of_its_own() -> None:
    pipeline = document("gitlab")
    names = {job: pipeline[job]["environment"]["name"] for job in ("review", "apply", "drift")}
    assert names["apply"] == names["drift"] != names["review"]
    assert all(pipeline[job]["environment"]["action"] in ("access", "verify") for job in ("review", "drift"))


def test_gitlab_s_file_has_what_a_pipeline_needs() -> None:
    pipeline = document("gitlab")
    jobs = {name: each for name, each in pipeline.items() if name not in ("stages", "default")}
    assert {each["stage"] for each in jobs.values()} == set(pipeline["stages"])
    assert all(each["script"] and each["rules"] for each in jobs.values())
    assert jobs["apply"]["rules"][0]["when"] == "manual"
    assert jobs["review"]["artifacts"]["when"] == "always"
    assert "tags" not in jobs["review"], "a review runs where no device is in reach"
