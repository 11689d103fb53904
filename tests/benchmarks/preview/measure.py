"""One `pulumi preview` in a folder of its own: wall time, processor time and memory of it and everything it starts."""

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TICK = 0.2
"""Seconds between two looks at the processes; what ends between two looks is counted up to the last."""


@dataclass(frozen=True)
class Taken:
    """Seconds, and bytes."""

    wall: float
    processor: float
    memory: int
    """Most that all processes had resident at one look; what several share counts for each."""


def least(taken: Sequence[Taken]) -> Taken:
    """The least wall time, processor time and memory among several runs of one command."""
    least_of_each = (min(each.wall for each in taken), min(each.processor for each in taken))
    return Taken(*least_of_each, min(each.memory for each in taken))


def measured(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str], output: Path) -> Taken:
    """Run a command to its end. Raises RuntimeError, with the end of what it wrote, where it fails."""
    start, seen, resident, ended = time.perf_counter(), dict[int, float](), [0], threading.Event()
    with output.open("wb") as into:
        process = subprocess.Popen(command, cwd=cwd, env=env, stdout=into, stderr=into, start_new_session=True)
        watching = threading.Thread(target=_watch, args=(process.pid, seen, resident, ended))
        watching.start()
        status = process.wait()
        wall = time.perf_counter() - start
        ended.set()
        watching.join()
    if status:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {status}\n{output.read_text()[-3000:]}")
    return Taken(wall, sum(seen.values()), max(resident))


def _watch(session: int, seen: dict[int, float], resident: list[int], ended: threading.Event) -> None:
    """Keep the processor time of every process of a session, and what all had resident at each look.

    A plugin that the engine kills is waited for by nobody, so that the kernel adds it to no other process.
    """
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    while not ended.wait(TICK):
        now = 0
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    fields = (folder / "stat").read_text().rpartition(") ")[2].split()
                except OSError:
                    continue
                # utime and stime are its own; a child that is reaped was counted while it lived.
                if int(fields[3]) == session or int(fields[2]) == session:
                    seen[int(folder.name)] = (int(fields[11]) + int(fields[12])) / tick
                    now += int(fields[21]) * page
        resident.append(now)
