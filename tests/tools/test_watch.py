"""A step of the demo in which nothing moves says what it waits for."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools import demo, watch

UP = [
    "@ updating....",
    " +  pulumi:pulumi:Stack podwright-lab creating (0s)",
    " +  podwright:nxos:Switch leaf-01 creating (0s)",
    " +  podwright:nxos:Switch leaf-02 creating (0s)",
    " +  podwright:nxos:Switch leaf-01 created (12s)",
]


def silent(code: str, told: "watch.Watch", capfd: pytest.CaptureFixture[str]) -> list[str]:
    status = watch.run([sys.executable, "-u", "-c", code], Path.cwd(), os.environ, told)
    assert status == 0
    return capfd.readouterr().out.splitlines()


def test_a_silent_step_names_itself_how_long_and_its_last_line(capfd: pytest.CaptureFixture[str]) -> None:
    told = watch.Watch("pulumi up", lambda lines: "", limit=0.3)
    lines = silent("import time; print('Loading policy packs'); time.sleep(1); print('done')", told, capfd)
    assert lines[0] == "Loading policy packs"
    assert lines[-1] == "done"
    assert len(lines) > 3, "said again while it lasts"
    assert all(line.startswith("── pulumi up: nothing has moved for ") for line in lines[1:-1])
    assert lines[1].endswith(" s; the last line was: Loading policy packs")


def test_a_step_that_speaks_is_left_alone(capfd: pytest.CaptureFixture[str]) -> None:
    told = watch.Watch("set up", lambda lines: "", limit=2)
    code = "import time\nfor n in range(8):\n    print('step', n); time.sleep(0.3)"
    assert silent(code, told, capfd) == [f"step {n}" for n in range(8)]


def test_a_display_that_only_counts_does_not_move(capfd: pytest.CaptureFixture[str]) -> None:
    told = watch.Watch("pulumi up", watch.in_progress, repaints=True, limit=0.4)
    code = (
        "import time\nfor n in range(25):\n"  # long enough for a busy machine to look in between
        "    print(f'\\x1b[2K +  podwright:nxos:Switch leaf-02 creating ({n}s)', end='\\r\\n'); time.sleep(0.2)"
    )
    named = [line for line in silent(code, told, capfd) if line.startswith("── ")]
    assert named
    assert named[0].endswith("waits for leaf-02 (podwright:nxos:Switch) creating")


def test_the_exit_status_is_the_commands() -> None:
    told = watch.Watch("fails", lambda lines: "", limit=9)
    assert watch.run([sys.executable, "-c", "raise SystemExit(3)"], Path.cwd(), os.environ, told) == 3


def test_what_a_command_leaves_running_is_not_waited_for() -> None:
    told = watch.Watch("lab up", lambda lines: "", limit=9)
    left = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])"
    import time

    began = time.monotonic()
    assert watch.run([sys.executable, "-c", left], Path.cwd(), os.environ, told) == 0
    assert time.monotonic() - began < 4


@pytest.mark.parametrize(("lines", "expected"), [
    (UP, "podwright-lab (pulumi:pulumi:Stack) creating, leaf-02 (podwright:nxos:Switch) creating"),
    (["Previewing"], ""),
])  # fmt: skip
def test_resources_in_progress_are_read_from_the_engines_lines(lines: Sequence[str], expected: str) -> None:
    assert watch.in_progress(lines) == expected


def test_the_lab_names_the_part_that_is_starting(tmp_path: Path) -> None:
    log = tmp_path / "lab.log"
    log.write_text("t lab INFO side nxos starts\nt lab INFO side nxos is up\nt lab INFO side openshift starts\n")
    assert demo.part_of_the_lab(log) == f"the lab's part openshift to start (log: {log})"
    log.write_text("")
    assert demo.part_of_the_lab(log) == f"the lab to start (log: {log})"
    assert demo.part_of_the_lab(tmp_path / "none") == ""
