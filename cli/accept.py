"""`podwright accept STACK`: the acceptance plan of the stack file, run on demand against what exists now."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.cli import stack
from podwright.components import model
from podwright.components.design import acceptance, fabric
from podwright.components.design.platform import pools

RUNNER = (sys.executable, "-m", "podwright.components.providers.acceptance", "--json")
UNDER_THRESHOLD, NOT_PROVEN = 1, 2
SHOWN = 6
"""Places out of class that are spelled out under a failed run."""


def run(name: str, cluster: model.Cluster) -> int:
    """Run every test, print the table and what explains a failure, return the runner's exit code.

    A test that could not run fails the command, though not an update: whoever asks by hand wants every path proven.
    Raises StackError where there is no cluster yet.
    """
    if cluster.acceptance is None:
        raise stack.StackError(f"{name} defines no acceptance: add `acceptance:` with the image that has perftest")
    paths = fabric.paths(cluster.network, fabric.plan(cluster.network)).between(cluster.node_names)
    tests = acceptance.plan(cluster.acceptance, paths, pools.offered(cluster.pools, cluster.nodes))
    if not tests.tests:
        print(f"{name} has nothing to test: fewer than two servers share a rail")
        return 0
    known = stack.read(name)
    kubeconfig = known.kubeconfig
    if not kubeconfig:
        raise stack.StackError(f"the stack {name} has no kubeconfig yet; run `pulumi up --stack {name}` first")
    print(f"{len(tests.tests)} tests of {tests.settings['seconds']} s each", flush=True)
    done = subprocess.run(
        RUNNER,
        input=json.dumps(tests.document()),
        text=True,
        stdout=subprocess.PIPE,
        stderr=sys.stdout,
        env={**known.environ(os.environ), "PODWRIGHT_KUBECONFIG": kubeconfig},
        check=False,
    )
    if done.returncode == UNDER_THRESHOLD:
        failed = {each["name"] for each in json.loads(done.stdout) if each["measured"] and not each["passed"]}
        for line in _why(cluster, tests, failed, known.environ(os.environ)):
            print(line)
    if done.returncode == 0 and not all(each["measured"] for each in json.loads(done.stdout)):
        return NOT_PROVEN
    return done.returncode


def _why(
    cluster: model.Cluster, tests: acceptance.Acceptance, failed: set[str], environ: Mapping[str, str]
) -> Iterator[str]:
    """What the switches on the failed paths hold right now that the rules of the lossless class refuse."""
    from podwright.cli import status  # noqa: PLC0415 - a run that passes asks no switch for its configuration

    hops: Mapping[str, Any] = {test.name: {(hop.switch, hop.port) for hop in test.hops} for test in tests.tests}
    crossed = set().union(*(hops[name] for name in failed))
    switches = {switch for switch, _ in crossed}
    causes = [
        place.why
        for place in status.lossy_places(cluster, environ)
        if (place.switch, place.port) in crossed or (not place.port and place.switch in switches)
    ]
    if not causes:
        yield "every hop of the failed paths is in class: look at optics, NICs and cables"
        return
    yield "out of class on the failed paths:"
    yield from (f"  {cause}" for cause in causes[:SHOWN])
    if len(causes) > SHOWN:
        yield f"  and {len(causes) - SHOWN} more"
