"""Running a program so that it ends when we do, and says something useful when it fails."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_GRACE_S = 10


class Failed(Exception):  # noqa: N818 -- a fact about a program, judged by the caller
    """A program ended with a non-zero status; `output` is what it wrote, both streams."""

    def __init__(self, command: str, status: int, output: str) -> None:
        super().__init__(f"{command} ended with status {status}")
        self.command = command
        self.status = status
        self.output = output

    def tail(self, lines: int = 12) -> str:
        """The last lines of its output, indented for an error message."""
        return "\n".join("    " + line for line in self.output.strip().splitlines()[-lines:])


def run(command: Sequence[str | Path], env: Mapping[str, str], cwd: Path | None = None) -> str:
    """Run to the end and return standard output; raise Failed on a non-zero status.

    The program gets a process group of its own, which is ended with this call whatever ends
    it: a compiler left behind would go on writing and burn both cores.
    """
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env=dict(env),
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        try:
            output, complaints = child.communicate()
        except BaseException:
            _end(child)
            raise
    if child.returncode != 0:
        raise Failed(str(command[0]), child.returncode, output + complaints)
    return output


def _end(child: "subprocess.Popen[str]") -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, sign)
            child.wait(_GRACE_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
        return
