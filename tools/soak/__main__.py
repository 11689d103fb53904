"""`python -m tools.soak SUITE [--seed N] [--seconds S]`: one run after another, each with the next seed.

It goes on where it stopped, also after Ctrl-C in the middle of a run: that run is not counted. A run that has begun
when the seconds are over is finished. Exit status 1 if a seed ever failed.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.soak.progress import Failure, Progress, Record
from tools.soak.suites import SUITES, Suite

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".run" / "soak"
_TAIL_LINES = 60
_PASSED = 0


def command(suite: Suite, seed: int, environ: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Command line and environment of one run."""
    words = [sys.executable, "-m", "pytest", "-q", *suite.words]
    if suite.seed:
        return words, {**environ, suite.seed: str(seed)}
    return [*words, f"--hypothesis-seed={seed}"], {**environ, "PODWRIGHT_EXPLORE": "1"}


def run_once(suite: Suite, seed: int) -> str:
    """Run the suite with a seed; returns the end of what it printed if it failed, else nothing."""
    words, env = command(suite, seed, os.environ)
    with subprocess.Popen(
        words, cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as child:
        try:
            printed, _ = child.communicate()
        except BaseException:
            os.killpg(child.pid, signal.SIGINT)  # pytest ends its labs
            child.wait()
            raise
    return "" if child.returncode == _PASSED else "\n".join(printed.splitlines()[-_TAIL_LINES:])


def soak(record: Record, progress: Progress, seconds: float, run: Callable[[int], str]) -> None:
    """Run seed after seed until the seconds are over; what is done is written down after every run."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        seed, started = progress.next, time.monotonic()
        printed = run(seed)
        progress.seconds += time.monotonic() - started
        progress.runs += 1
        if printed:
            progress.failures.append(Failure(seed, printed))
        record.save()
        print(f"seed {seed}: {'FAILED' if printed else 'passed'} in {time.monotonic() - started:.0f} s", flush=True)


def main(words: list[str]) -> int:
    """Entry point; returns the exit status."""
    listed = "; ".join(f"{name}: {suite.what}" for name, suite in SUITES.items())
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("suite", choices=SUITES, metavar="SUITE", help=listed)
    parser.add_argument("--seed", type=int, help="first seed (default: go on with the latest; 1 if there is none)")
    parser.add_argument("--seconds", type=float, default=600.0, help="begin no run after that many (default 600)")
    options = parser.parse_args(words)
    record = Record(FOLDER / f"{options.suite}.json")
    progress = record.resume(options.seed)
    if progress.runs:
        print(f"{options.suite}: goes on after {progress.sentence()}")
    try:
        soak(record, progress, options.seconds, lambda seed: run_once(SUITES[options.suite], seed))
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here")
    print(f"{options.suite}: {progress.sentence()}")
    for failure in progress.failures:
        words_, _ = command(SUITES[options.suite], failure.seed, {})
        variable = SUITES[options.suite].seed
        again = f"{variable}={failure.seed} " if variable else "PODWRIGHT_EXPLORE=1 "
        print(f"\nseed {failure.seed}, again by: {again}{' '.join(words_)}\n{failure.printed}")
    return 1 if progress.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
