"""`python -m tests.benchmarks.status [64 256]`: what `podwright status` takes of a large cluster, in time and memory.

A real API server has the nodes, pods and NIC states of a cluster of that size. Beside our reading and comparing stands
the floor: the same collections, each read and parsed by one request after another, and kept; all pods of 256 servers
are more than one answer may be, and come page by page. Both run as processes of their own, by turns, and the least of
each counts.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from podwright.cli.status import expected
from podwright.components import model
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.status import live
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import COLLECTIONS
from tests.benchmarks.clusters import pod
from tests.benchmarks.status.crowd import SPACE, fill
from tests.design import whole
from tests.lab.openshift.manifests import operator
from tests.lab.openshift.rack import Rack

SIZES = (64, 256)
ROUNDS = 3
MOST_TIME, MOST_MEMORY = 1.2, 0.8
"""At most so much of the floor's time and memory: what no diagnosis looks at is not read."""


def status(kubeconfig: str, cluster: model.Cluster) -> str:
    """What the screen does of a cluster; returns what it could not do."""
    seen = asyncio.run(live.look(live.Wanted((), "", (), "", kubeconfig, objects=planned(cluster)), {}))
    if seen.snapshot is None:
        return seen.problem
    diagnose(seen.snapshot, expected(cluster))
    return "; ".join(seen.objects[:3])


def planned(cluster: model.Cluster) -> tuple[dict[str, Any], ...]:
    """Objects of the platform and of workloads, and the labels of every node."""
    platform = whole.platform(cluster)
    return (*platform.manifests, *platform.nodes, *whole.workloads(cluster))


def floor(kubeconfig: str) -> str:
    """Every collection, read and kept."""

    async def read() -> list[Any]:
        kube = Kube(kubeconfig)
        pods = COLLECTIONS["Pod"]
        return [
            await kube.items(pods),
            *[
                await kube.find(f"{path}{'&' if '?' in path else '?'}resourceVersion=0")
                for path in COLLECTIONS.values()
                if path != pods
            ],
        ]

    kept = asyncio.run(read())
    return "" if kept else "nothing was read"


def measured(what: str, kubeconfig: Path, servers: int) -> tuple[float, float]:
    """(seconds, MB at most) of one process. Raises RuntimeError where it could not do its work."""
    command = [sys.executable, "-m", "tests.benchmarks.status", what, str(kubeconfig), str(servers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{what} of {servers} servers: {done.stderr or done.stdout}")
    found = json.loads(done.stdout.splitlines()[-1])
    return float(found["seconds"]), float(found["megabytes"])


def run(servers: int) -> bool:
    """Measure one size; whether it keeps to the bounds."""
    cluster = model.load(pod(servers))
    with tempfile.TemporaryDirectory(prefix="podwright-") as folder:
        rack = Rack(Path(folder) / "rack", masters=1, workers=())
        try:
            rack.install()
            rack.apply(*operator("sriov-network-operator"))
            rack.approve("sriov-network-operator")
            rack.kubectl("create", "namespace", SPACE)
            rack.wait("its account", lambda: rack.get("serviceaccount", "default", "-n", SPACE) is not None)
            begun = time.perf_counter()
            count = asyncio.run(fill(Kube(rack.kubeconfig().read_text()), cluster))
            rack.apply(*planned(cluster))
            print(f"{count} objects made in {time.perf_counter() - begun:.0f} s", flush=True)
            rounds = [
                (measured("ours", rack.kubeconfig(), servers), measured("floor", rack.kubeconfig(), servers))
                for _ in range(ROUNDS)
            ]
        finally:
            rack.close()
    (seconds, megabytes), (least, smallest) = (
        tuple(min(figures) for figures in zip(*side, strict=True)) for side in zip(*rounds, strict=True)
    )
    good = bool(seconds <= MOST_TIME * least and megabytes <= MOST_MEMORY * smallest)
    print(
        f"{servers:4} GPU servers, {count} objects: {seconds:.2f} s, {megabytes:.0f} MB; reading alone {least:.2f} s, "
        f"{smallest:.0f} MB: {seconds / least:.2f} (limit {MOST_TIME}), {megabytes / smallest:.2f} "
        f"(limit {MOST_MEMORY}){'' if good else '  TOO MUCH'}",
        flush=True,
    )
    return good


def one(what: str, kubeconfig: str, servers: int) -> int:
    """The measured process."""

    cluster = model.load(pod(servers))
    text = Path(kubeconfig).read_text(encoding="utf-8")
    start = time.perf_counter()
    problem = status(text, cluster) if what == "ours" else floor(text)
    seconds = time.perf_counter() - start
    if problem:
        print(problem)
        return 1
    # Not ru_maxrss: a process begins with that of the one that started it.
    [most] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line]
    print(json.dumps({"seconds": seconds, "megabytes": int(most) / 1024}))
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ("ours", "floor"):
        raise SystemExit(one(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    raise SystemExit(0 if all([run(int(size)) for size in sys.argv[1:] or SIZES]) else 1)
