"""`python -m tests.benchmarks.push`: planning and pushing 8, 64 and 256 switches, each line delayed as on a busy box.

The plugin is a process of its own, spoken to as the engine speaks to it; the switches are the lab's, over real SSH, in
this process. Wall time over the slowest single push says how far pushes stand in each other's way; memory and
processor time of the plugin are given per switch, without what an idle plugin takes.
"""

import asyncio
import copy
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import yaml
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from components import spec
from components.design import fabric
from components.design.fabric import SwitchPlan
from components.providers.protocol.values import encode
from tests.providers.nxos.rack import Rack, rack

ROOT = Path(__file__).resolve().parents[2]
SIZES = (8, 64, 256)
DELAY = float(os.environ.get("PODWRIGHT_BENCH_DELAY", "0.4"))
"""Seconds a switch thinks about each line."""
POD = 64
"""Switches of the largest single fabric measured; more of them are several such fabrics."""
PUSHED = ("feature ", "class-map ", "policy-map ", "system qos", "interface loopback", "interface Ethernet1/1")
"""Blocks that are pushed: the lossless class and a few ports, about what a change of it types."""
TYPE = "podwright:nxos:Switch"


@dataclass(frozen=True)
class Run:
    """What one size came to; seconds, bytes."""

    switches: int
    planned: float
    wall: float
    slowest: float
    alone: float
    memory: int
    processor: float


def cluster(switches: int) -> spec.Cluster:
    """A fabric of this many switches: an eighth of them spines, the others leaves of one rail each."""
    said: dict[str, Any] = copy.deepcopy(
        yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]["podwright:cluster"]
    )
    spines = max(1, switches // 8)
    one = {"model": "N9K-C9364D-GX2A", "rack": "r1"}
    said["fabric"]["links_per_pair"] = 1
    said["fabric"]["spines"] = {
        f"spine-{n:03}": one | {"index": n, "management": f"198.51.100.{200 + n}", "asn": 65001}
        for n in range(1, spines + 1)
    }
    said["fabric"]["leaves"] = {
        f"leaf-{n:03}": one
        | {
            "index": n,
            "management": f"198.51.100.{n}",
            "asn": 64600 + n,
            "rails": [(n - 1) % 8] if switches > 8 else ([n - 1] if n < 7 else [6, 7]),
            "group": (n - 1) // 8 + 1,
        }
        for n in range(1, switches - spines + 1)
    }
    return spec.Cluster.model_validate(spec.load(ROOT / "Pulumi.lab.yaml").model_dump() | {"fabric": said["fabric"]})


def plans(switches: int) -> tuple[list[SwitchPlan], float]:
    """Every switch's plan, and how long planning took."""
    clusters = [cluster(min(switches, POD)) for _ in range(max(1, switches // POD))]
    start = time.perf_counter()
    found = [switch for each in clusters for switch in fabric.plan(each).switches]
    return found, time.perf_counter() - start


def inputs(number: int, switch: SwitchPlan) -> dict[str, Any]:
    """The resource's inputs; number and address make switches of several fabrics different."""
    about = {"schema": 1, "hostname": f"switch-{number:03}", "management": f"10.99.{number // 250}.{number % 250 + 1}",
             "model": switch.model, "release": "10.4(5)", "role": switch.role, "credential": "switch-admin",
             "generation": 1, "links": {}, "lossless": None}  # fmt: skip
    config = {line: text for line, text in switch.config.items() if line.startswith(PUSHED)}
    return {"spec": {**about, "config": config}}


def world(given: list[dict[str, Any]]) -> str:
    """A world of just these switches."""
    switches = {
        each["spec"]["hostname"]: {
            "model": each["spec"]["model"], "serial": f"FDO{number:08}", "release": "10.4(5)", "rack": "r1",
            "power": "a", "management": each["spec"]["management"],
        }
        for number, each in enumerate(given)
    }  # fmt: skip
    site = {"name": "lab", "domain": "example.com", "api_vip": "192.0.2.200", "machine_network": "192.0.2.0/24"}
    return yaml.safe_dump(
        {"name": "bench", "switches": switches, "servers": {}, "cables": [], "cluster": site,
         "credentials": {"switch": {"user": "admin", "secret": "switch-admin"}}}
    )  # fmt: skip


async def push(stub: Any, given: dict[str, Any]) -> float:
    """Create one switch; seconds it took."""
    urn = f"urn:pulumi:bench::podwright::{TYPE}::{given['spec']['hostname']}"
    start = time.perf_counter()
    await stub.Create(provider_pb2.CreateRequest(urn=urn, type=TYPE, properties=encode(given)))
    return time.perf_counter() - start


async def measured(switches: int, lab: Rack, given: list[dict[str, Any]], planned: float, reach: Path) -> Run:
    """Push one switch alone, then all others side by side."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(ROOT / "components/providers"), stdout=asyncio.subprocess.PIPE,
        env={"PODWRIGHT_REACH": str(reach)},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{int(await process.stdout.readline())}") as channel:
            stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
            login = {"credentials": {"user": "admin", "secret": "switch-admin"}}
            await stub.Configure(provider_pb2.ConfigureRequest(args=encode(login), acceptSecrets=True))
            for device in lab.side.devices.values():
                device.faults.delay = DELAY
            alone = await push(stub, given[0])
            memory, processor = _memory(process.pid), _processor(process.pid)
            start = time.perf_counter()
            taken = await asyncio.gather(*(push(stub, each) for each in given[1:]))
            wall = time.perf_counter() - start
            memory, processor = _memory(process.pid) - memory, _processor(process.pid) - processor
            return Run(switches, planned, wall, max(taken), alone, memory // len(taken), processor / len(taken))
    finally:
        process.kill()
        await process.wait()


def _memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def runs(sizes: tuple[int, ...]) -> Iterator[Run]:
    """Measure each size in a world of its own."""
    for switches in sizes:
        found, planned = plans(switches)
        given = [inputs(number, switch) for number, switch in enumerate(found)]
        with tempfile.TemporaryDirectory() as folder, rack(Path(folder), world(given)) as lab:
            lab.write_reach(Path(folder) / "reach.json")
            yield asyncio.run(measured(switches, lab, given, planned, Path(folder) / "reach.json"))


def main() -> int:
    """Measure and print."""
    sizes = tuple(int(word) for word in sys.argv[1:]) or SIZES
    print(f"{DELAY} s per line; alone: one switch by itself; over: wall time / slowest push beside the others")
    print("switches   plan s   alone s   slowest s   wall s   over   MiB/switch   CPU s/switch")
    for run in runs(sizes):
        print(
            f"{run.switches:8}{run.planned:9.3f}{run.alone:10.1f}{run.slowest:12.1f}{run.wall:9.1f}"
            f"{run.wall / run.slowest:7.2f}{run.memory / 2**20:13.2f}{run.processor:15.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
