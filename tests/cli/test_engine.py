"""`podwright preview|up|refresh|destroy|recover`: the command line that Pulumi gets, exit codes, Ctrl-C, repairs."""

from __future__ import annotations

import json
import os
import platform
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.engine import invocation
from podwright.cli.engine.file_backend import FileBackend, address, without_attributes
from podwright.cli.stack import StackError
from tests.test_sizes import ROOT

PACK = str(ROOT / "policies")
FAKE = Path(__file__).with_name("fake_pulumi.py")


class Shell:
    """A project in a folder, with a `pulumi` on PATH that records its calls."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.project, self.backend = folder / "bin", folder / "project", folder / "state"
        for made in (self.bin, self.project, self.backend):
            made.mkdir()
        (self.project / "Pulumi.yaml").write_text("name: site\nruntime: python\n")
        program = self.bin / "pulumi"
        program.write_text(f"#!{sys.executable}\n{FAKE.read_text()}")
        program.chmod(0o755)
        self.log_in(f"file://{self.backend}")
        self.answers: dict[str, dict[str, Any]] = {
            "stack --show-name": {"prints": "pod\n"},
            "stack export": {"prints": json.dumps({"deployment": {}})},
        }

    def log_in(self, url: str) -> None:
        """As `pulumi login` notes it."""
        (self.project / ".pulumi").mkdir(exist_ok=True)
        (self.project / ".pulumi" / "credentials.json").write_text(json.dumps({"current": url}))

    def start(self, *words: str) -> subprocess.Popen[str]:
        (self.bin / "answers.json").write_text(json.dumps(self.answers))
        return subprocess.Popen(
            [sys.executable, "-m", "podwright.cli", *words], cwd=self.project, text=True, start_new_session=True,
            env={"PATH": f"{self.bin}{os.pathsep}/usr/bin:/bin", "HOME": str(self.project), "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and what is told the person."""
        process = self.start(*words)
        _, told = process.communicate(timeout=60)
        return process.returncode, told

    @property
    def calls(self) -> list[dict[str, Any]]:
        recorded = self.bin / "calls"
        return [json.loads(line) for line in recorded.read_text().splitlines()] if recorded.exists() else []

    @property
    def commands(self) -> list[list[str]]:
        """Commands that change something or show a plan, less what they were only asked, and less where events go."""
        words = [call["words"] for call in self.calls if call["words"][0] != "stack"]
        return [each[: each.index("--event-log")] if "--event-log" in each else each for each in words]

    def state_file(self, name: str, text: str = "{}") -> Path:
        path = self.backend / ".pulumi" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def lock(self, stack: str, **more: Any) -> None:
        told = {
            "pid": 2**22 + 7,
            "username": "operator",
            "hostname": platform.node(),
            "timestamp": "2026-11-22",
            **more,
        }
        self.state_file(f"locks/organization/site/{stack}/1.json", json.dumps(told))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(("typed", "expected"), [
    ("preview pod", ["preview", "--stack", "pod", "--policy-pack", PACK]),
    ("preview", ["preview", "--policy-pack", PACK]),
    ("up pod -- --yes --target a", ["up", "--stack", "pod", "--policy-pack", PACK, "--yes", "--target", "a"]),
    ("up -- --yes", ["up", "--policy-pack", PACK, "--yes"]),
    ("up pod --yes -p 4", ["up", "--stack", "pod", "--policy-pack", PACK, "--yes", "-p", "4"]),
    ("refresh pod", ["refresh", "--stack", "pod", "--run-program"]),
    ("destroy org/site/pod --yes", ["destroy", "--stack", "org/site/pod", "--run-program", "--yes"]),
])  # fmt: skip
def test_the_command_line_is_pulumis_and_is_shown(typed: str, expected: list[str], shell: Shell) -> None:
    status, told = shell.run(*typed.split())
    assert (status, shell.commands) == (0, [expected])
    assert told == f"+ {shlex.join(['pulumi', *expected])}\n"


def test_pulumi_finds_the_interpreter_and_the_plugin_of_this_package(shell: Shell) -> None:
    shell.run("preview")
    call = shell.calls[0]
    assert call["python"] == sys.executable
    assert str(Path(sys.executable).parent) in call["path"]
    assert call["path"][0] == str(shell.bin), "a person's own programs come first"
    assert invocation.environ({"PULUMI_PYTHON_CMD": "mine"})["PULUMI_PYTHON_CMD"] == "mine"


@pytest.mark.parametrize("verb", ["preview", "up", "refresh", "destroy", "recover"])
def test_the_exit_code_is_pulumis(verb: str, shell: Shell) -> None:
    shell.answers["up" if verb == "recover" else verb] = {"status": 255}
    assert shell.run(verb, "pod")[0] == 255


@pytest.mark.parametrize("verb", ["up", "recover"])
def test_ctrl_c_is_pulumis_to_answer(verb: str, shell: Shell) -> None:
    shell.answers["up"] = {"waits": 42}
    process = shell.start(verb, "pod")
    deadline = time.monotonic() + 60
    while not (shell.bin / "waiting").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # a terminal's Ctrl-C reaches the whole group
    _, told = process.communicate(timeout=60)
    assert process.returncode == 42
    assert "Traceback" not in told


def test_recover_goes_on_with_a_refresh_under_todays_program(shell: Shell) -> None:
    status, _ = shell.run("recover", "pod", "--", "--yes")
    update = ["up", "--stack", "pod", "--policy-pack", PACK, "--refresh", "--run-program", "--yes"]
    assert (status, shell.commands) == (0, [update])


def test_recover_forgets_creations_that_the_update_finished(shell: Shell) -> None:
    pending = {"deployment": {"pending_operations": [{"type": "creating", "resource": {"urn": "u"}}]}}
    shell.answers["stack export"] = {"prints": json.dumps(pending)}
    shell.run("recover", "pod", "--yes", "--target", "u")
    assert [words[0] for words in shell.commands] == ["up", "refresh"]
    assert shell.commands[1] == ["refresh", "--stack", "pod", "--run-program", "--clear-pending-creates", "--yes"]


def test_recover_lets_go_of_a_lock_whose_command_is_gone(shell: Shell) -> None:
    shell.lock("pod")
    shell.lock("other")
    status, told = shell.run("recover", "pod")
    assert status == 0
    assert shell.commands[0] == ["cancel", "--stack", "pod", "--yes"]
    assert "the stack pod is locked by operator on " in told
    assert "other" not in told


def test_recover_leaves_a_command_alone_that_is_at_work(shell: Shell) -> None:
    shell.lock("pod", pid=os.getpid())
    status, told = shell.run("recover", "pod")
    assert (status, shell.commands) == (3, [])
    assert "wait until it ends, or let go of the lock by --cancel" in told
    assert shell.run("recover", "pod", "--cancel")[0] == 0
    assert [words[0] for words in shell.commands] == ["cancel", "up"]


def test_recover_asks_which_stack_is_selected(shell: Shell) -> None:
    shell.lock("pod")
    assert shell.run("recover")[0] == 0
    assert shell.commands[0] == ["cancel", "--stack", "pod", "--yes"]
    assert "--stack" not in shell.commands[1]


def test_recover_removes_the_empty_attributes_of_this_stack_alone(shell: Shell) -> None:
    broken = shell.state_file("stacks/site/pod.json.attrs", "")
    beside = shell.state_file("stacks/site/pod.json.bak.attrs", "")
    others = [
        shell.state_file("stacks/site/pod.json"), shell.state_file("stacks/site/pod-2.json.attrs", ""),
        shell.state_file("stacks/other/pod.json.attrs", ""), shell.state_file("meta.yaml.attrs", ""),
    ]  # fmt: skip
    status, told = shell.run("recover", "pod")
    assert status == 0
    assert [path for path in (broken, beside) if path.exists()] == []
    assert all(path.exists() for path in others)
    assert f"removed {broken}: it was empty" in told


def test_recover_keeps_attributes_that_say_something(shell: Shell) -> None:
    whole = shell.state_file("stacks/site/pod.json.attrs", '{"md5": ""}')
    _, told = shell.run("recover", "pod")
    assert whole.exists()
    assert "removed" not in told


@pytest.mark.parametrize("url", ["https://api.example.com", "s3://bucket", ""])
def test_another_backend_is_not_looked_into(url: str, shell: Shell) -> None:
    shell.log_in(url)
    broken = shell.state_file("stacks/site/pod.json.attrs", "")
    assert shell.run("recover", "pod")[0] == 0
    assert broken.exists()
    assert [words[0] for words in shell.commands] == ["up"]


@pytest.mark.parametrize("verb", ["preview", "up", "refresh", "destroy"])
def test_a_state_whose_attributes_a_killed_command_left_empty_loads(verb: str, shell: Shell) -> None:
    broken, whole = (
        shell.state_file(f"stacks/site/{name}.json.attrs", text) for name, text in (("pod", ""), ("b", "{}"))
    )
    status, printed = shell.run(verb, "pod")
    assert (status, broken.exists(), whole.exists()) == (0, False, True)
    assert f"removed {broken}" in printed


def test_a_folder_gets_no_attributes_files_however_it_was_chosen(shell: Shell) -> None:
    home, here = {"HOME": str(shell.project)}, shell.project
    assert address(home, here) == f"file://{shell.backend}"
    ready = {**home, "PULUMI_HOME": str(shell.bin), "PULUMI_CREDENTIALS_PATH": str(shell.project / ".pulumi")}
    assert address(ready, here) == f"file://{shell.backend}", "a shell made ready by `podwright env`"
    (shell.project / "Pulumi.yaml").write_text("name: site\nruntime: python\nbackend: {url: 's3://projects'}\n")
    assert address(home, here) == "s3://projects"
    assert address({**home, "PULUMI_BACKEND_URL": "file://~"}, here) == "file://~"
    assert address({"PULUMI_HOME": "/nowhere"}, here / "elsewhere") == "s3://projects"
    assert address({"PULUMI_HOME": "/nowhere"}, shell.bin) == ""
    assert without_attributes("file://~") == "file://~?metadata=skip"
    assert without_attributes("file:///a?no_tmp_dir=true") == "file:///a?no_tmp_dir=true&metadata=skip"
    assert invocation.environ({"PULUMI_BACKEND_URL": "file:///a"})["PULUMI_BACKEND_URL"] == "file:///a?metadata=skip"
    assert invocation.environ({"PULUMI_BACKEND_URL": "s3://a"})["PULUMI_BACKEND_URL"] == "s3://a"


def test_a_lock_that_was_cut_off_is_nobodys(shell: Shell) -> None:
    shell.state_file("locks/organization/site/pod/1.json", "")
    backend = FileBackend.of(f"file://{shell.backend}", shell.project)
    assert backend is not None
    assert [lock.alive for lock in backend.locks("pod")] == [False]
    assert FileBackend.of("file://~", shell.project) == FileBackend(Path.home(), "site")


def test_where_the_pack_is(shell: Shell) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "podwright.cli", "where", "policies"], cwd=shell.project, text=True, check=True,
        capture_output=True,
    )  # fmt: skip
    assert done.stdout == f"{PACK}\n"
    status, told = shell.run("where", "rules")
    assert status == 2
    assert "`podwright where policies`" in told


def test_a_pack_outside_of_an_environment_says_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "site" / "lib" / "python3.11" / "site-packages" / "podwright" / "policies"
    folder.mkdir(parents=True)
    (folder / "PulumiPolicy.yaml").write_text((ROOT / "tools/wheel/PulumiPolicy.yaml").read_text())
    with pytest.raises(StackError, match="python3 -m venv ENVIRONMENT"):
        invocation.runnable(folder)
    python = tmp_path / "site" / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    assert invocation.runnable(folder) == folder
