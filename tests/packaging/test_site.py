"""A person with the wheel, an own backend and passphrase, and Pulumi: a new site's plan, and a repair."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from podwright.toolchain.bare import bare
from podwright.toolchain.keys import cache_root
from tests.cli.test_new import ANSWERS
from tests.packaging.conftest import NEXT, Installed, environment, install

pytestmark = pytest.mark.rough

Run = Callable[..., subprocess.CompletedProcess[str]]


def commands(installed: Installed, folder: Path) -> Run:
    """Commands in a folder of their own; programs and plugins of the set-up, and nothing else of this machine."""
    settings = {
        "PODWRIGHT_CACHE": str(cache_root(bare(os.environ))), "PULUMI_CONFIG_PASSPHRASE": "a site's own",
        "PULUMI_BACKEND_URL": f"file://{folder / 'state'}",
    }  # fmt: skip
    (folder / "state").mkdir()

    def start(*words: str | Path, folder: Path = folder) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, words)], cwd=folder, env=installed.environ(**settings), capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip

    return start


@pytest.fixture
def run(installed: Installed, tmp_path: Path) -> Run:
    return commands(installed, tmp_path)


PULUMI = ("python", "-m", "podwright.toolchain", "run", "--", "pulumi")


def test_a_new_site_is_planned_under_the_pack(run: Run, tmp_path: Path) -> None:
    given = [each for answer in ANSWERS.items() for each in answer]
    assert run("podwright", "new", "pod-a", "--servers", "4", *given).returncode == 0
    site = tmp_path / "pod-a"
    assert run("podwright", "check", "Pulumi.pod-a.yaml", folder=site).returncode == 0
    assert run(*PULUMI, "stack", "init", "pod-a", folder=site).returncode == 0
    done = run("podwright", "preview", "pod-a", "--non-interactive", "--", "--json", folder=site)
    assert done.returncode == 0, done.stdout + done.stderr
    steps = json.loads(done.stdout)["steps"]
    types = {each["newState"]["type"] for each in steps}
    assert {"podwright:nxos:Switch", "podwright:intersight:ServerProfile", "podwright:openshift:Install"} <= types
    # Nothing of the interpreter or the place is an input: the state stays good when the environment moves.
    assert str(run("podwright", "where", "policies").stdout.strip()) in done.stderr
    planned = json.dumps([each["newState"].get("inputs") for each in steps])
    assert "site-packages" not in planned
    assert str(tmp_path) not in planned


def test_a_state_that_cannot_be_read_any_more_is_repaired(run: Run, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: site\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("import pulumi\npulumi.export('answer', 42)\n")
    assert run(*PULUMI, "stack", "init", "pod").returncode == 0
    attributes = tmp_path / "state/.pulumi/stacks/site/pod.json.attrs"
    assert attributes.stat().st_size > 0
    attributes.write_bytes(b"")
    assert "failed to load checkpoint: EOF" in run(*PULUMI, "stack", "export", "--stack", "pod").stderr
    done = run("podwright", "recover", "pod", "--", "--yes", "--skip-preview")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"removed {attributes}" in done.stderr
    assert run(*PULUMI, "stack", "output", "answer", "--stack", "pod").stdout == "42\n"


PROGRAM = """
import pulumi
from podwright.components.providers.resources import Join, Podwright
site = Podwright("site")
first = Join("first", {"schema": 1, "cluster": "pod", "ends": "the first wave"}, pulumi.ResourceOptions(provider=site))
Join("second", {"schema": 1, "cluster": "pod", "ends": "the second"}, pulumi.ResourceOptions(
    provider=site, depends_on=first))
pulumi.export("ready", first.ready)
"""


def test_a_later_wheel_finds_a_stack_as_it_left_it(wheel: Path, next_wheel: Path, tmp_path: Path) -> None:
    """Plugin, pack and program of the next version over a stack of this one: nothing to do, and the next can go on."""
    installed = environment(wheel, tmp_path)
    run = commands(installed, tmp_path)
    (tmp_path / "Pulumi.yaml").write_text("name: site\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(PROGRAM)
    assert run(*PULUMI, "stack", "init", "pod").returncode == 0
    done = run("podwright", "up", "pod", "--", "--yes", "--skip-preview")
    assert done.returncode == 0, done.stdout + done.stderr
    install(next_wheel, installed)
    assert run("python", "-c", "import podwright; print(podwright.__version__)").stdout == f"{NEXT}\n"
    planned = run("podwright", "preview", "pod", "--", "--diff", "--expect-no-changes", "--non-interactive")
    assert planned.returncode == 0, planned.stdout + planned.stderr
    again = run("podwright", "up", "pod", "--", "--yes", "--skip-preview", "--expect-no-changes")
    assert again.returncode == 0, again.stdout + again.stderr
    state = run(*PULUMI, "stack", "export", "--stack", "pod").stdout
    assert str(installed.environment) not in state
