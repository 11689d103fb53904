"""The bare environment, and what has to work in it."""

import os
import subprocess
import threading

import pytest

from podwright.toolchain.bare import bare
from tests.toolchain.conftest import REAL

CLONE = REAL.parent
PATIENCE = 60.0
"""Seconds for one start of Python with the engine's packages, on a machine that is busy."""


def test_what_is_kept_is_path_home_language_and_package_indexes() -> None:
    kept = {
        "PATH": "/bin", "HOME": "/h", "LANG": "C.UTF-8", "PIP_INDEX_URL": "https://i", "PIP_CERT": "/c", "GOPROXY": "p",
        "npm_config_registry": "https://n", "SSL_CERT_FILE": "/c", "https_proxy": "http://p", "PODWRIGHT_CACHE": "/c",
    }  # fmt: skip
    lucky = {
        "PYTHONUNBUFFERED": "1", "PYTHONPATH": "/p", "PULUMI_BACKEND_URL": "s3://site", "PULUMI_ACCESS_TOKEN": "t",
        "PODWRIGHT_REACH": "/r", "VIRTUAL_ENV": "/v", "TERM": "xterm",
    }  # fmt: skip
    assert bare(kept | lucky) == kept


def test_a_command_is_run_in_it() -> None:
    done = subprocess.run(
        ["python3", "-m", "toolchain", "bare", "--", "env"],
        cwd=CLONE, env={**os.environ, "PYTHONUNBUFFERED": "1"}, text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert {line.partition("=")[0] for line in done.stdout.splitlines()} == bare(os.environ).keys()


@pytest.fixture
def pack() -> "subprocess.Popen[bytes]":
    """The policy pack as the engine starts it: a folder given to Python, a pipe for what it writes."""
    command = [str(CLONE / ".venv" / "bin" / "python"), "policies", "127.0.0.1:9"]
    return subprocess.Popen(command, cwd=CLONE, env=bare(os.environ), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def test_the_pack_tells_its_port_in_a_bare_environment(pack: "subprocess.Popen[bytes]") -> None:
    # Without its port the engine waits for ever at "Loading policy packs".
    assert pack.stdout is not None
    late = threading.Timer(PATIENCE, pack.kill)
    late.start()
    try:
        assert pack.stdout.readline().strip().isdigit(), f"no port within {PATIENCE:.0f} s"
    finally:
        late.cancel()
        pack.kill()
        pack.communicate()
