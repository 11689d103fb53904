"""What `make setup` really left on this machine: `make test` has run it just before."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from podwright.toolchain import overlay
from podwright.toolchain.bare import bare
from podwright.toolchain.environment import environment
from tests.toolchain.conftest import REAL

CLONE = REAL.parent


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "podwright.toolchain", *words],
        cwd=CLONE,
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, f"{done.stderr}: has `make setup` been run?"
    return done.stdout


def test_pulumi_is_in_the_accepted_range() -> None:
    match = re.fullmatch(r"v3\.(\d+)\.\d+\S*\n", run("run", "--", "pulumi", "version"))
    assert match is not None
    assert int(match[1]) >= 259


def test_pulumi_sees_both_plugins() -> None:
    plugins = json.loads(run("run", "--", "pulumi", "plugin", "ls", "--json"))
    releases = {plugin["name"]: plugin["version"] for plugin in plugins}
    assert releases["kubernetes"].startswith("4.25.")
    assert releases["command"].startswith("0.9.")


@pytest.mark.parametrize("program", ["kube-apiserver", "kube-controller-manager", "kube-scheduler"])
def test_the_control_plane_carries_its_stamp(program: str) -> None:
    assert run("run", "--", program, "--version") == "Kubernetes v1.36.3\n"


def test_the_definitions_are_those_of_the_lock() -> None:
    folder = Path(run("where", "crds").strip())
    found = {f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in folder.glob("*.yaml")}
    locked = {line for line in (REAL / "crds.lock").read_text().splitlines() if not line.startswith("#")}
    assert found == locked


def test_the_clone_runs_in_the_locked_environment() -> None:
    locked = Path(run("where", "python").strip()).parent.parent
    assert overlay.fits(CLONE, locked)


def test_an_activated_shell_sees_the_plugins_that_were_built() -> None:
    typed = ". .venv/bin/activate; pulumi plugin ls --json"
    env = bare(os.environ)
    done = subprocess.run(["sh", "-c", typed], cwd=CLONE, env=env, text=True, capture_output=True, check=True)
    assert {"kubernetes", "command"} <= {plugin["name"] for plugin in json.loads(done.stdout)}


def test_no_metadata_stands_beside_a_state_that_a_kill_could_cut_off(tmp_path: Path) -> None:
    """Every command fails on an empty `.attrs`: "failed to load checkpoint: EOF"."""
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    env = environment(bare(os.environ), CLONE, tmp_path / "state")

    def beside(stack: str, url: str) -> set[str]:
        command = ["pulumi", "stack", "init", stack]
        subprocess.run(command, cwd=tmp_path, env=env | {"PULUMI_BACKEND_URL": url}, capture_output=True, check=True)
        return {path.name for path in (tmp_path / "state").rglob(f"{stack}.*")}

    assert beside("lab", env["PULUMI_BACKEND_URL"]) == {"lab.json", "lab.json.bak"}
    assert "plain.json.attrs" in beside("plain", env["PULUMI_BACKEND_URL"].partition("?")[0]), "the trap it avoids"
