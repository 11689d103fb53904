"""The pack's process and its engine."""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import time

import pytest

from podwright.policies.rules.pack import server
from tests.test_sizes import ROOT

SECONDS = 60
"""Three looks of five seconds, on a busy machine."""


def test_the_pack_ends_when_its_engine_was_killed_and_not_before() -> None:
    engine = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{engine.getsockname()[1]}"
    command = [sys.executable, str(ROOT / "policies"), address, "."]
    with engine, subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as pack:
        try:
            assert pack.stdout is not None
            assert int(pack.stdout.readline()) > 0
            engine.settimeout(SECONDS)
            engine.accept()[0].close()  # it looked
            assert pack.poll() is None
            engine.close()
            begun = time.monotonic()
            assert pack.wait(SECONDS) == 0
            assert time.monotonic() - begun > 5, "one miss is not enough"
        finally:
            pack.kill()


ENGINE = """
import subprocess, sys
with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL) as pack:
    sys.stdin.read()
    __import__("os")._exit(9)
"""


def test_it_ends_with_its_engine_although_somebody_else_was_given_its_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        address = f"127.0.0.1:{somebody.getsockname()[1]}"
        command = [sys.executable, "-c", ENGINE, sys.executable, str(ROOT / "policies"), address, "."]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
        ) as engine:
            assert engine.stdin is not None and engine.stdout is not None
            try:
                assert int(engine.stdout.readline()) > 0
                engine.stdin.close()
                assert engine.wait(SECONDS) == 9
                with selectors.DefaultSelector() as waiting:
                    waiting.register(engine.stdout, selectors.EVENT_READ)
                    assert waiting.select(SECONDS), "the pack holds the pipe open"
                assert engine.stdout.read() == ""
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(engine.pid, signal.SIGKILL)


def test_it_ends_with_an_engine_that_is_killed_as_soon_as_it_has_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = [os.getppid()]
    monkeypatch.setattr(os, "getppid", lambda: parents[-1])
    monkeypatch.setattr(server, "print", lambda *_port, flush: parents.append(1), raising=False)
    monkeypatch.setattr(server, "EVERY_SECONDS", 10.0)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        monkeypatch.setattr(sys, "argv", ["policies", f"127.0.0.1:{nobody.getsockname()[1]}"])
    begun = time.monotonic()
    server.serve("podwright", [])
    assert time.monotonic() - begun < 30, "three misses told it, not its parent"
