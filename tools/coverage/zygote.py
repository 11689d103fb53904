"""A process that has loaded the libraries and forks a test run for each request: `python tools/coverage/zygote.py`.

Requests and answers are JSON lines: {"folder", "tests", "seconds"} and {"status", "output"}; `status` is pytest's exit
code, -1 when time was up. Nothing of the project is loaded here: each run loads what its folder holds.
"""

import importlib
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

LIBRARIES: Final = (
    "asyncssh", "cryptography.x509", "grpc", "hier_config", "hypothesis", "intersight", "jinja2", "networkx", "pulumi",
    "pulumi.provider.experimental", "pulumi_kubernetes", "pulumi_policy", "pydantic", "pytest", "requests", "rich",
    "typer", "yaml",
)  # fmt: skip
"""Loaded once instead of once per run; one that is missing costs time only."""
OPTIONS: Final = ("-q", "--tb=short", "-m", "", "-W", "ignore::pytest.PytestAssertRewriteWarning")
"""Quiet, whatever a test is marked with; a library that is loaded before pytest is no fault here."""
TIME_UP: Final = -1


def main() -> int:
    """Answer requests until standard input ends."""
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        status, output = _run(Path(request["folder"]), request["tests"], float(request["seconds"]))
        print(json.dumps({"status": status, "output": output}), flush=True)
    return 0


def _run(folder: Path, tests: Sequence[str], seconds: float) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+b") as output:
        child = os.fork()
        if child == 0:
            _pytest(folder, tests, output)
        deadline = time.monotonic() + seconds
        ended, status = os.waitpid(child, os.WNOHANG)
        while not ended and time.monotonic() < deadline:
            time.sleep(0.01)
            ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status) if ended else TIME_UP, output.read().decode(errors="replace")


def _pytest(folder: Path, tests: Sequence[str], output: IO[bytes]) -> None:
    """The forked child: it never returns."""
    status = 3
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        os.chdir(folder)
        sys.path[0] = str(folder)  # it was this file's own folder
        pytest = importlib.import_module("pytest")
        status = int(pytest.main([*tests, *OPTIONS]))
    except BaseException:  # noqa: BLE001 - the child ends here: what went wrong is its output
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
