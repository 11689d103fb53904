"""The verbs of the Makefile, the command CI runs, and what the two tools leave alone."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.drawn import EACH_TIME, PARTS, left_out
from tests.toolchain.conftest import REAL
from tools import demo, preview

CLONE = REAL.parent
MAKEFILE = (CLONE / "Makefile").read_text()
VERBS = re.findall(r"^([a-z]+):(?!=)", MAKEFILE, re.MULTILINE)


def said(*words: str | Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    # What a make above this one hands down would show in the words of this one.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | environ
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=CLONE, env=env, text=True, capture_output=True, check=False)


def test_there_are_at_most_twelve_verbs() -> None:
    assert 0 < len(VERBS) <= 12


def test_help_is_the_default_and_tells_every_verb() -> None:
    listed = said("make", "--no-print-directory").stdout
    assert re.findall(r"^  make (\w+) +\S", listed, re.MULTILINE) == VERBS


def test_a_python_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old, new = tmp_path / "python3", tmp_path / "python3.12"
    old.write_text("#!/bin/sh\nexit 1\n")
    new.write_text("#!/bin/sh\nexit 0\n")
    for file in (old, new):
        file.chmod(0o755)
    planned = said("make", "-n", "setup", PATH=f"{tmp_path}:/usr/bin:/bin").stdout
    assert planned.split()[0] in {"python3.14", "python3.13", "python3.12"}, planned


def test_a_shell_without_bytecode_does_not_slow_the_verbs_down(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho bytecode=${PYTHONDONTWRITEBYTECODE:-written}\n")
    python.chmod(0o755)
    told = said("make", "setup", f"PYTHON={python}", PYTHONDONTWRITEBYTECODE="1").stdout
    assert told.splitlines()[-1] == "bytecode=written"


def test_ci_runs_the_command_of_the_readme() -> None:
    script = CLONE / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1].endswith("-m toolchain bare -- make --no-print-directory test rough")
    assert "PYTHONUNBUFFERED" not in script.read_text(), "it hides what hangs without it"
    readme = (CLONE / "README.md").read_text()
    assert "make test" in readme
    assert "make rough" in readme


def test_six_numbers_in_a_row_leave_no_drill_out() -> None:
    files = [str(each.relative_to(CLONE)) for each in (CLONE / "tests").rglob("test_*.py")]
    drawn = {each for each in files if not each.startswith(EACH_TIME)}
    runs = [drawn - left_out(files, number) for number in range(6, 6 + PARTS)]
    assert sorted(each for run in runs for each in run) == sorted(drawn)
    assert max(map(len, runs)) - min(map(len, runs)) <= 1
    lost = [begin for begin in EACH_TIME if not any(each.startswith(begin) for each in files)]
    assert lost == [], "a file that was renamed"


def test_a_draw_leaves_out_five_of_six_drills_and_none_of_each_time() -> None:
    words = ("-m", "pytest", "-q", "--collect-only", "-m", "rough", "--drawn", "tests/e2e/test_destroy.py",
             "tests/e2e/test_move.py", "tests/e2e/test_demo.py", "tests/lab/openshift/test_gangs.py",
             "tests/leaves/test_driven.py")  # fmt: skip
    found = [set(re.findall(r"/(\w+)\.py::", said(sys.executable, *words, PODWRIGHT_DRAW=str(number)).stdout))
             for number in range(PARTS)]  # fmt: skip
    assert sorted(name for run in found for name in run - set.intersection(*found)) == [
        "test_destroy", "test_driven", "test_gangs", "test_move"]  # fmt: skip
    assert set.intersection(*found) == {"test_demo"}


def test_a_preview_copy_holds_nothing_only_the_site_could_open() -> None:
    sealed = {"switch-admin": {"secure": "v1:abc"}}
    document = {
        "encryptionsalt": "v1:x", "secretsprovider": "awskms://k", "encryptedkey": "k",
        "config": {"podwright:cluster": {"name": "a", "hosts": [1]}, "podwright:secrets": sealed, "p:list": [sealed]},
    }  # fmt: skip
    assert preview.without_secrets(document) == {"config": {"podwright:cluster": {"name": "a", "hosts": [1]}}}


def test_a_preview_of_an_unknown_stack_names_the_known_ones() -> None:
    done = said(CLONE / ".venv" / "bin" / "python", "tools/preview.py", "nowhere")
    assert done.returncode == 2
    assert "there is no Pulumi.nowhere.yaml; stacks of this tree: lab" in done.stderr


def test_the_demo_names_what_a_stage_lacks() -> None:
    stage = demo.Stage("a stage", ("Makefile", "not/there.py"), ("true",))
    assert demo.absent(stage) == ["not/there.py"]


def test_the_demo_checks_before_it_builds() -> None:
    titles = [stage.title for stage in demo.stages()]
    assert titles.index("offline check and summary") < titles.index("set up Pulumi and the lab's programs")
