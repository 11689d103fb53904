"""`python -m components.providers.acceptance < plan.json`: run the plan, print a table, end with 1 under threshold.

Tests run with the NICs that no other pod holds; who holds the others stands below the test. A test without free NICs
is no failure, or a full cluster could never be updated; its path is told as not run, and never as passed.

The kubeconfig's text comes in PODWRIGHT_KUBECONFIG, so that it stands on no command line. With `--json`, the
verdicts are printed as JSON on standard output and the table on standard error.
"""

import asyncio
import json
import os
import sys
from collections.abc import Sequence

from podwright.components.providers.acceptance.plan import Plan
from podwright.components.providers.acceptance.run import run
from podwright.components.providers.acceptance.verdict import Verdict
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import ReachError, SecretNotFoundError, load

PASSED, FAILED, NOT_RUN = 0, 1, 2
"""Exit codes: no test that ran failed; one is under threshold; a device or the API did not answer."""
SHOWN = 6
"""Holders that are spelled out of a test that could not run."""


def main(given: Sequence[str] | None = None) -> int:
    """Run the plan on standard input; the exit code says how it went. Without `given` the words are the command's."""
    words = sys.argv[1:] if given is None else given
    try:
        plan = Plan.read(json.load(sys.stdin))
        kubeconfig = os.environ.get("PODWRIGHT_KUBECONFIG", "")
        if not kubeconfig:
            return _not_run("PODWRIGHT_KUBECONFIG is empty; give it the text of the cluster's kubeconfig")
        verdicts = asyncio.run(run(plan, kubeconfig, load(os.environ), lambda line: print(line, file=sys.stderr)))
    except (ProviderError, SecretNotFoundError, ReachError, ValueError) as sentence:
        return _not_run(str(sentence))
    out = sys.stderr if "--json" in words else sys.stdout
    for verdict in verdicts:
        print("\n".join(_lines(verdict)), file=out)
    if "--json" in words:
        json.dump([verdict.as_json() for verdict in verdicts], sys.stdout)
    if idle := [verdict.name for verdict in verdicts if not verdict.measured]:
        print(f"{len(idle)} of {len(verdicts)} paths are not proven: measure them when their jobs have ended", file=out)
    return PASSED if all(verdict.passed for verdict in verdicts if verdict.measured) else FAILED


def _not_run(sentence: str) -> int:
    print(f"acceptance did not run: {sentence}", file=sys.stderr)
    return NOT_RUN


def _lines(verdict: Verdict) -> list[str]:
    if not verdict.measured:
        more = f" and {len(verdict.occupied) - SHOWN} more" if len(verdict.occupied) > SHOWN else ""
        return [f"not run {verdict.name}: too few NICs are free: {', '.join(verdict.occupied[:SHOWN])}{more}"]
    taken = [f"     without: {', '.join(verdict.occupied)}"] if verdict.occupied else []
    word = "ok  " if verdict.passed else "FAIL"
    sequence = "?" if verdict.out_of_sequence is None else verdict.out_of_sequence
    counted = f"drops {verdict.drops}, out of sequence {sequence}, pauses {verdict.pauses}, marks {verdict.marked}"
    if verdict.notified is not None:
        counted += f", notifications {verdict.notified}"
    first = f"{word} {verdict.name}: {verdict.gbps:.0f} of {verdict.threshold} Gb/s asked; {counted}"
    return [first, *(f"     {reason}" for reason in verdict.reasons), *taken]


if __name__ == "__main__":
    sys.exit(main())
