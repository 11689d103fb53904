"""Running a command whose silence is noticed: what it prints is passed on, and a standstill is named.

A terminal stays a terminal for the command (it gets one of its own), so live displays keep working. A live display
repaints itself every second even when nothing happens; such a command is therefore judged by what is new in its lines,
numbers and dots aside, and any other by whether it prints at all.
"""

import fcntl
import os
import re
import selectors
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

LIMIT_S = 120.0
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9])")
_COUNTED = re.compile(r"[\d.⣾⣽⣻⢿⡿⣟⣯⣷⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏|/\\-]+")
_STEP = re.compile(r"(\S+) (\S+) (creating|updating|deleting|replacing|reading|refreshing|importing)\b")
_DONE = re.compile(r"(\S+) (\S+) (?:\*\*)?(created|updated|deleted|replaced|read|refreshed|imported|\w+ failed)\b")
_BLOCK = 65536


def in_progress(lines: Sequence[str]) -> str:
    """The resources that Pulumi's output says are being worked on: begun and not ended."""
    begun: dict[tuple[str, str], str] = {}
    for line in lines:
        if found := _DONE.search(line):
            begun.pop((found[1], found[2]), None)
        elif found := _STEP.search(line):
            begun[(found[1], found[2])] = f"{found[2]} ({found[1]}) {found[3]}"
    return ", ".join(begun.values())


@dataclass
class Watch:
    """What a command has printed, and since when nothing moved.

    `waits_for` gets every line so far and says in a few words what is waited for ("" if that cannot be told); with
    `repaints` a line counts only if it is new.
    """

    title: str
    waits_for: Callable[[Sequence[str]], str]
    repaints: bool = False
    limit: float = LIMIT_S
    lines: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _rest: str = ""
    _moved: float = field(default_factory=time.monotonic)
    _reported: int = 0

    def take(self, text: str) -> None:
        """Look at a piece of output."""
        pieces = re.split(r"[\r\n]+", self._rest + _ESCAPES.sub("", text))
        self._rest = pieces[-1]
        whole = [line.rstrip() for line in pieces[:-1] if line.strip()]
        self.lines += whole
        fresh = {_COUNTED.sub("", line) for line in (*whole, self._rest)} - self._seen - {""}
        self._seen |= fresh
        if fresh or not self.repaints:
            self._moved, self._reported = time.monotonic(), 0

    def standstill(self) -> str:
        """The sentence about a standstill, once for each `limit` seconds that it lasts; else nothing."""
        still = time.monotonic() - self._moved
        if still < self.limit * (self._reported + 1):
            return ""
        self._reported += 1
        last = self._rest.strip() or next(reversed(self.lines), "nothing yet")
        reason = self.waits_for(self.lines)
        why = f"waits for {reason}" if reason else f"the last line was: {last}"
        return f"── {self.title}: nothing has moved for {still:.0f} s; {why}"


def run(command: Sequence[str], cwd: Path, env: Mapping[str, str], watch: Watch) -> int:
    """Run the command, pass its output on, name each standstill; returns its exit status."""
    reading, writing = os.openpty() if sys.stdout.isatty() else os.pipe()
    if sys.stdout.isatty():
        with suppress(OSError):
            size = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(writing, termios.TIOCSWINSZ, size)
    sys.stdout.flush()
    with subprocess.Popen(command, cwd=cwd, env=dict(env), stdout=writing, stderr=writing) as child:
        os.close(writing)
        try:
            _pass_on(reading, child, watch)
        finally:
            os.close(reading)
    return child.returncode


def _pass_on(reading: int, child: "subprocess.Popen[bytes]", watch: Watch) -> None:
    os.set_blocking(reading, False)
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        ended = False
        while True:
            ready = selector.select(timeout=min(1.0, watch.limit / 4))
            data = _read(reading) if ready else None
            if data:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
                watch.take(data.decode(errors="replace"))
            elif data == b"" or ended:
                return
            # What a command leaves running (the lab) may hold the other end: its own end is what counts.
            ended = child.poll() is not None
            if not ended and (sentence := watch.standstill()):
                print(sentence, flush=True)


def _read(reading: int) -> bytes | None:
    try:
        return os.read(reading, _BLOCK)
    except BlockingIOError:
        return None
    except OSError:  # a terminal whose other end is closed
        return b""
