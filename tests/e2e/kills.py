"""Commands that are cut off at a moment of their own progress, and what a person types afterwards."""

import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.e2e.site import Site

ENDS_AFTER = {"person": 150.0, "engine": 150.0, "plugin": 600.0}
"""Seconds until a command must have ended by itself, by who was struck. The engine misses a plugin only when it needs
it: that of the commands, struck early, at the end of a whole run."""

PLUGIN = re.compile(r"pulumi-resource-[a-z]+(?= )")
"""A plugin's program, at the end of a word of its command line."""
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
        patience = ENDS_AFTER[self.victim]
        try:
            running.wait(patience)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            raise AssertionError(f"{words[0]} went on {patience:.0f} s after {self}: see {printed}") from None
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
            # By name: numbers of processes begin anew, and a seed must strike the same one.
            if found := sorted((PLUGIN.findall(command(number)), number) for number in plugins(running.pid)):
                name, number = found[self.lines % len(found)]
                os.kill(number, signal.SIGKILL)
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


def command(process: int) -> str:
    """The command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def plugins(parent: int) -> Iterator[int]:
    """Resource plugins among the descendants of a process. The kernel lists children by the thread that made them."""
    listed = [task.read_text() for task in Path(f"/proc/{parent}/task").glob("*/children")]
    for child in " ".join(listed).split():
        if PLUGIN.search(command(int(child))):
            yield int(child)
        yield from plugins(int(child))
