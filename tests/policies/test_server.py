"""The pack's process and its engine."""

import socket
import subprocess
import sys
import time

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
