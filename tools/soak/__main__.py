"""`python -m tools.soak SUITE [--seed N] [--seconds S] [--count C] [--jobs J]`: one run after another, each with the
next seed, `jobs` at a time, until the seconds are over or so many cases are counted.

It goes on where it stopped, also after Ctrl-C in the middle of a run: that run is not counted. A run that has begun
when the seconds are over is finished. Exit status 1 if a seed ever failed.
"""

import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tools.soak.progress import Failure, Progress, Record
from tools.soak.suites import SUITES, Suite

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".run" / "soak"
_TAIL_LINES = 60
_PASSED = 0


def command(suite: Suite, seed: int, environ: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Command line and environment of one run."""
    # What the lab wrote in an hour stands behind what failed, and only the end is kept.
    words = [sys.executable, "-m", "pytest", "-q", "--show-capture=no", *suite.words]
    if suite.seed:
        return words, {**environ, **suite.env, suite.seed: str(seed)}
    return [*words, f"--hypothesis-seed={seed}"], {**environ, **suite.env, "PODWRIGHT_EXPLORE": "1"}


def run_together(suite: Suite, seeds: Sequence[int]) -> list[str]:
    """Run the suite with each seed, all at once; returns the end of what each printed if it failed, else nothing."""
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in seeds]
        children = []
        try:
            for seed, file in zip(seeds, files, strict=True):
                words, env = command(suite, seed, os.environ)
                children.append(
                    subprocess.Popen(
                        words, cwd=ROOT, env=env, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
                    )
                )
            ended = [child.wait() for child in children]
        except BaseException:
            for child in children:
                os.killpg(child.pid, signal.SIGINT)  # pytest ends its labs
            for child in children:
                child.wait()
            raise
        return ["" if status == _PASSED else _end_of(file) for status, file in zip(ended, files, strict=True)]


def _end_of(file: IO[str]) -> str:
    file.seek(0)
    return "\n".join(file.read().splitlines()[-_TAIL_LINES:]) or "it printed nothing"


@dataclass(frozen=True)
class Until:
    """When no run begins any more: after so many seconds, or runs in all; `jobs` at a time."""

    seconds: float
    runs: int | None = None
    jobs: int = 1


def soak(record: Record, progress: Progress, until: Until, run: Callable[[Sequence[int]], Sequence[str]]) -> None:
    """Run seed after seed; what is done is written down after every run."""
    began = time.monotonic()
    while time.monotonic() - began < until.seconds:
        missing = until.jobs if until.runs is None else min(until.jobs, until.runs - progress.runs)
        if missing <= 0:
            return
        seeds, started = range(progress.next, progress.next + missing), time.monotonic()
        ended = run(seeds)
        taken = time.monotonic() - started
        progress.seconds += taken
        progress.runs += len(seeds)
        progress.failures += [Failure(seed, printed) for seed, printed in zip(seeds, ended, strict=True) if printed]
        record.save()
        for seed, printed in zip(seeds, ended, strict=True):
            print(f"seed {seed}: {'FAILED' if printed else 'passed'} in {taken:.0f} s", flush=True)


def main(words: list[str]) -> int:
    """Entry point; returns the exit status."""
    listed = "; ".join(f"{name}: {suite.what}" for name, suite in SUITES.items())
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("suite", choices=SUITES, metavar="SUITE", help=listed.replace("%", "%%"))
    parser.add_argument("--seed", type=int, help="first seed (default: go on with the latest; 1 if there is none)")
    parser.add_argument("--seconds", type=float, help="begin no run after that many (default 600; with a count: none)")
    parser.add_argument("--count", type=int, help="begin no run once so many cases are counted from the first seed on")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time (default 1)")
    options = parser.parse_args(words)
    suite = SUITES[options.suite]
    record = Record(FOLDER / f"{options.suite}.json")
    progress = record.resume(options.seed)
    runs = None if options.count is None else math.ceil(options.count / suite.cases)
    seconds = options.seconds if options.seconds is not None else 600.0 if runs is None else math.inf
    if progress.runs:
        print(f"{options.suite}: goes on after {progress.sentence(suite.cases, suite.unit)}")
    try:
        soak(record, progress, Until(seconds, runs, options.jobs), lambda seeds: run_together(suite, seeds))
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here")
    print(f"{options.suite}: {progress.sentence(suite.cases, suite.unit)}")
    for failure in progress.failures:
        words_, env = command(suite, failure.seed, {})
        again = " ".join([*(f"{name}={value}" for name, value in env.items()), *words_])
        print(f"\nseed {failure.seed}, again by: {again}\n{failure.printed}")
    return 1 if progress.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
