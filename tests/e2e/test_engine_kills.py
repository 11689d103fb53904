"""A fabric's engine is killed at any moment: the stack loads, one command goes on, the switches are as planned.

A killed engine leaves what it left: a lock, a state of the last moment, attributes half written, plugins that finish
the line they type. This is one stack of switches alone, so that a kill costs seconds; test_kills.py strikes at a whole
site, test_first_up_killed.py at each phase of its first update.
"""

import os
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.kills import command
from tests.e2e.project import Project, running_project

pytestmark = pytest.mark.rough

SEED = os.environ.get("PODWRIGHT_ENGINE_KILLS_SEED", "")
"""Any seed must pass; without one a few kills are enough."""
KILLS = 10 if SEED else 3
LONGEST = {"up": 10.0, "refresh": 5.0, "destroy": 5.0}
"""Seconds that an undisturbed command takes on an idle machine; a kill strikes before."""
PATIENCE = 120.0
"""Seconds until the plugins and programs of a killed engine must have ended by themselves."""
OF_PULUMI = "/pulumi-language-python "
"""Pulumi's own helper: it stays five minutes, or as long as another process that was given its engine's port."""
SWITCHES = ("spine-01", "spine-02", "leaf-01", "leaf-02")


BACKENDS = ("as podwright env gives it", "a folder as a user names it")


@pytest.fixture(params=BACKENDS)
def fabric(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    with running_project(tmp_path) as project:
        if request.param == BACKENDS[1]:
            url = project.env["PULUMI_BACKEND_URL"].partition("?")[0]
            project.env = {**project.env, "PULUMI_BACKEND_URL": url}
        yield project


def test_whatever_moment_an_engine_dies_at_one_command_goes_on(fabric: Project) -> None:
    dice = random.Random(SEED or "81517")
    file = fabric.file.read_text()
    undisturbed = {name: configuration(fabric, name) for name in SWITCHES}
    for number in range(KILLS):
        verb = dice.choice(list(LONGEST))
        if verb == "up":
            fabric.file.write_text(file.replace("dns: [192.0.0.1]", f"dns: [192.0.0.{number + 2}]"))
        print(f"PODWRIGHT_ENGINE_KILLS_SEED={SEED}: {number}: {killed(fabric, verb, dice)}", flush=True)
        fabric.type("podwright", "preview", "pod-a", "--", "--non-interactive")  # it loads
        if dice.random() < 0.5:  # otherwise the next command is killed over the rest of this one
            recovered(fabric)
        else:
            fabric.type("pulumi", "cancel", "--yes", "--stack", "pod-a")
    fabric.file.write_text(file)
    recovered(fabric)
    assert {name: configuration(fabric, name) for name in SWITCHES} == undisturbed
    fabric.type("podwright", "destroy", "pod-a", "--", "--yes", "--skip-preview")
    assert [name for name in SWITCHES if "podwrightowner" in fabric.shown(name)] == []


def recovered(fabric: Project) -> None:
    """One command brings the stack to what its file defines, and the next preview is empty."""
    fabric.type("podwright", "recover", "pod-a", "--cancel", "--", "--yes", "--skip-preview")
    fabric.type("podwright", "preview", "pod-a", "--", "--expect-no-changes")


def configuration(fabric: Project, switch: str) -> list[str]:
    """What stands on a switch, in no order: what was removed and came back may stand elsewhere."""
    return sorted(fabric.console(switch))


def killed(fabric: Project, verb: str, dice: random.Random) -> str:
    """Start a command, kill its engine at a moment of its time; returns when it was struck.

    Typed as `pulumi` or as `podwright`. Its plugins and its program must end by themselves.
    """
    program = dice.choice([["pulumi", verb, "--stack", "pod-a"], ["podwright", verb, "pod-a", "--"]])
    moment = dice.uniform(0.2, LONGEST[verb])
    with (fabric.site / "killed.log").open("w") as log:
        running = subprocess.Popen(
            [*program, "--yes", "--skip-preview", "--non-interactive"],
            cwd=fabric.site, env=dict(fabric.env), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        time.sleep(moment)
        left = session(running.pid)
        running.kill()
        status = running.wait()
    deadline = time.monotonic() + PATIENCE
    while alive := [each for each in left if Path(f"/proc/{each}/cmdline").exists() and command(each)]:
        assert time.monotonic() < deadline, [command(each) for each in alive]
        time.sleep(0.2)
    return f"{program[0]} {verb}: {status} after {moment:.1f} s"


def session(leader: int) -> list[int]:
    """Our processes of the session that a command leads: plugin, program, policy pack."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        process = int(stat.parent.name)
        if int(fields[3]) == leader != process and OF_PULUMI not in command(process):
            found.append(process)
    return found
