"""Commands that are cut off at a moment of their own progress, and what a person types afterwards."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.e2e.site import Site

ENDS_AFTER = 150.0
"""Seconds until a command whose plugin died, or that was interrupted, must have ended by itself."""

NOBODY = "nobody struck, it had ended"


@dataclass(frozen=True)
class Kill:
    """Who is killed, with what, when: after that many lines of progress and a fraction of a second."""

    victim: str
    lines: int
    delay: float

    @staticmethod
    def draw(dice: random.Random, longest: int) -> "Kill":
        """A kill at random; `longest` is about how many lines the whole command prints."""
        return Kill(dice.choice(["person", "engine", "plugin"]), dice.randrange(1, longest), dice.random())

    def of(self, site: Site, *words: str) -> str:
        """Run `pulumi <words>` and kill it; returns who was struck when. It may end by itself before its moment."""
        # A file and no pipe: plugins that outlive their engine would hold a pipe open.
        printed = site.folder / f"killed-{words[0]}-{self.lines}.log"
        began = time.monotonic()
        with printed.open("w") as log:
            running = _start(site, words, log)
        while printed.read_text().count("\n") < self.lines and running.poll() is None:
            time.sleep(0.1)
        time.sleep(self.delay)
        struck, seen = self._strike(running), printed.read_text().count("\n")
        moment = time.monotonic()
        try:
            running.wait(ENDS_AFTER)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            raise AssertionError(f"{words[0]} went on {ENDS_AFTER:.0f} s after {self}: see {printed}") from None
        when = f"after {seen} lines and {moment - began:.0f} s, ended {time.monotonic() - moment:.0f} s later"
        return f"{words[0]}: {struck} {when} with {running.returncode}"

    def _strike(self, running: "subprocess.Popen[bytes]") -> str:
        """Hit the victim; a plugin is waited for, as the first ones start some lines into a command."""
        while running.poll() is None:
            if self.victim == "person":
                os.killpg(running.pid, signal.SIGINT)  # a terminal sends Ctrl-C to every process in front of it
                return "Ctrl-C"
            if self.victim == "engine":
                running.kill()
                return "engine killed"
            if found := sorted(plugins(running.pid)):
                chosen = found[self.lines % len(found)]
                name = Path(f"/proc/{chosen}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                os.kill(chosen, signal.SIGKILL)
                return f"plugin {name} killed"
            time.sleep(0.05)
        return NOBODY


def _start(site: Site, words: tuple[str, ...], log: IO[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        ["pulumi", *words, "--stack", site.stack, "--non-interactive"],
        cwd=site.folder,
        env=site.environ,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def plugins(parent: int) -> Iterator[int]:
    """Resource plugins among the descendants of a process. The kernel lists children by the thread that made them."""
    listed = [task.read_text() for task in Path(f"/proc/{parent}/task").glob("*/children")]
    for child in " ".join(listed).split():
        try:
            line = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"pulumi-resource-" in line:
            yield int(child)
        yield from plugins(int(child))
