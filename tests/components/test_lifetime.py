"""A program ends when its engine does, and not before."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest

from podwright.components.lifetime import LANGUAGE_HOST, MISSES, watch
from tests.test_sizes import ROOT


class Answer(grpc.RpcError):  # type: ignore[misc]
    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code

    def code(self) -> grpc.StatusCode:
        return self._code


OTHER = grpc.StatusCode.UNIMPLEMENTED
GONE, SLOW = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([None, GONE, GONE, GONE], 4),
        ([GONE, GONE, None, GONE, GONE, GONE], 6),
        ([GONE, GONE, SLOW, GONE, GONE, GONE], 6),
        ([None, GONE, OTHER, OTHER], 4),
    ],
    ids=["gone", "back once", "slow", "somebody else at its port"],
)
def test_it_ends_after_three_questions_in_a_row_that_nobody_takes(
    answers: list[grpc.StatusCode | None], asked: int
) -> None:
    left, ended = list(answers), []

    def ask() -> None:
        code = left.pop(0)
        if code is not None:
            raise Answer(code)

    watch(ask, lambda: ended.append(len(answers) - len(left)), every=0)
    assert ended == [asked]
    assert MISSES == 3


ENGINE = """
import subprocess, sys
with subprocess.Popen([sys.argv[1], "-c", sys.argv[2], *sys.argv[3:]], stdin=subprocess.DEVNULL) as host:
    sys.stdin.read()
    __import__("os")._exit(9)
"""
HOST = """
import subprocess, sys
with subprocess.Popen([sys.argv[1], "-c", sys.argv[2]], stdin=subprocess.DEVNULL) as program:
    try:
        print("host", flush=True)
        program.wait()
        __import__("time").sleep(60)
    except KeyboardInterrupt:
        program.wait()
        print("asked to end, the program had ended", flush=True)
"""
PROGRAM = """
from podwright.components.lifetime import LanguageHost, watch
host = LanguageHost()
print("program", flush=True)
watch(lambda: None, host.leave, host.orphaned, every=0.05)
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("name", "words"), [(LANGUAGE_HOST, ["asked to end, the program had ended"]), ("sh", [])])
def test_after_a_killed_engine_the_program_ends_although_somebody_answers_and_its_host_is_asked_to(
    name: str, words: list[str], tmp_path: Path
) -> None:
    """A process that is given the port of the dead engine answers in its place."""
    python = tmp_path / name
    python.symlink_to(sys.executable)
    command = [sys.executable, "-c", ENGINE, str(python), HOST, sys.executable, PROGRAM]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ, start_new_session=True
    ) as engine:
        assert engine.stdin is not None and engine.stdout is not None
        try:
            assert {engine.stdout.readline(), engine.stdout.readline()} == {"host\n", "program\n"}
            time.sleep(0.3)
            engine.stdin.close()
            assert engine.wait(30) == 9
            printed = engine.stdout.readline() if words else ""
            assert printed.splitlines() == words
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(engine.pid, signal.SIGKILL)
