"""Child processes of the lab: started with a log file each, ended by process id, last started first."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

GRACE_SECONDS = 2.0


class ProcessError(RuntimeError):
    """A child ended, or did not become ready; the message ends with the tail of its log."""


@dataclass
class Processes:
    """The children of one control plane. `note` hears each process id, so that others can end it too."""

    logs: Path
    note: Callable[[int, str], None]
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, arguments: Sequence[str | Path], temporary: Path | None = None) -> None:
        """Start one program in its own session, so that a Ctrl-C at the terminal does not reach it. `temporary` is its
        folder for temporary files; None: the system's."""
        self.logs.mkdir(parents=True, exist_ok=True)
        # The system's own proxy settings must not catch calls to loopback.
        environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        environment |= {"TMPDIR": str(temporary)} if temporary else {}
        with (self.logs / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(
                [str(a) for a in arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, env=environment,
            )  # fmt: skip
        self._running[name] = child
        self.note(child.pid, name)

    def wait_until(self, name: str, ready: Callable[[], bool], seconds: float) -> None:
        """Poll `ready` until true. Raises ProcessError when the child ends first or time is up."""
        deadline = time.monotonic() + seconds
        while not ready():
            code = self._running[name].poll()
            if code is not None:
                raise ProcessError(f"{name} ended with code {code}: {self._tail(name)}")
            if time.monotonic() > deadline:
                raise ProcessError(f"{name} was not ready after {seconds:.0f} s: {self._tail(name)}")
            time.sleep(0.05)

    def pids(self) -> dict[str, int]:
        """Process id per name, of those that still run."""
        return {name: child.pid for name, child in list(self._running.items()) if child.poll() is None}

    def freeze(self, name: str, frozen: bool) -> None:
        """Stop a program where it stands, or let it go on: how a member without peers looks from outside."""
        child = self._running.get(name)
        if child is not None and child.poll() is None:
            child.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def end(self, name: str) -> None:
        """Take one program away at once, as a power cut does; `start` may start it again."""
        child = self._running.pop(name, None)
        if child is not None:
            child.kill()
            child.wait()

    def stop(self) -> None:
        """End all, last started first; kill what does not go within the grace time."""
        for child in reversed(list(self._running.values())):
            if child.poll() is None:
                child.send_signal(signal.SIGTERM)
        for child in reversed(list(self._running.values())):
            try:
                child.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self._running.clear()

    def _tail(self, name: str) -> str:
        text = (self.logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        return " | ".join(text.strip().splitlines()[-3:])[-800:]
