"""`python -m tests.benchmarks.push [8 64 256]`: planning and pushing so many switches, each line delayed.

The plugin is a process of its own, spoken to as the engine speaks to it; the switches are the lab's, over real SSH, in
one process per core. Wall time over a push all alone, of a twin of the switch with the most lines, says how far pushes
stand in each other's way. Memory and processor time are the plugin's, per switch without what an idle plugin takes;
`rack` is the part of a core that the busiest process of the lab took: near 1 it is the lab that was measured.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import yaml
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import SwitchPlan
from podwright.components.providers.protocol.values import encode
from tests.benchmarks.switches import racks

ROOT = Path(__file__).resolve().parents[2]
SIZES = (8, 64, 256)
DELAY = float(os.environ.get("PODWRIGHT_BENCH_DELAY", "0.3"))
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
    """Judging and designing the fabrics, and the plugin's Check and Diff of every switch."""
    wall: float
    slowest: float
    alone: float
    peak: int
    memory: int
    """Beyond what the plugin held after one push; per switch."""
    processor: float
    """Per switch."""
    rack: float
    """Part of a core that the busiest process of the lab took."""


def said(switches: int) -> dict[str, Any]:
    """A fabric of this many switches: an eighth of them spines, the others leaves of one rail each."""
    said: dict[str, Any] = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]["podwright:cluster"]
    spines = max(1, switches // 8)
    one = {"model": "N9K-C9364D-GX2A", "rack": "r1"}
    said["fabric"] |= {"links_per_pair": 1, "addressing": said["fabric"]["addressing"] | {"hosts": "10.64.0.0/13"}}
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
    return said


def plans(switches: int) -> tuple[list[SwitchPlan], float]:
    """Every switch's plan, and how long judging and designing took."""
    files = [said(min(switches, POD)) for _ in range(max(1, switches // POD))]
    start = time.perf_counter()
    found = [switch for each in files for switch in fabric.plan(model.load(each).network).switches]
    return found, time.perf_counter() - start


def inputs(number: int, switch: SwitchPlan) -> dict[str, Any]:
    """The resource's inputs; number and address make switches of several fabrics different."""
    about = {"schema": 1, "hostname": f"switch-{number:03}", "management": f"10.99.{number // 250}.{number % 250 + 1}",
             "model": switch.model, "release": "10.4(5)", "role": switch.role, "credential": "switch-admin",
             "generation": 1, "links": {}, "lossless": None}  # fmt: skip
    config = {line: text for line, text in switch.config.items() if line.startswith(PUSHED)}
    return {"spec": {**about, "config": config}}


def switches_of(given: list[dict[str, Any]]) -> dict[str, Any]:
    """These switches as a world names them."""
    return {
        each["spec"]["hostname"]: {
            "model": each["spec"]["model"], "serial": f"FDO{number:08}", "release": "10.4(5)", "rack": "r1",
            "power": "a", "management": each["spec"]["management"],
        }
        for number, each in enumerate(given)
    }  # fmt: skip


def twin(given: list[dict[str, Any]]) -> dict[str, Any]:
    """Another switch with as much to push as the one with the most lines."""
    longest = max(given, key=lambda each: sum(text.count("\n") + 2 for text in each["spec"]["config"].values()))
    return {"spec": {**longest["spec"], "hostname": "twin", "management": "10.99.99.1"}}


async def planned(stub: Any, given: list[dict[str, Any]]) -> float:
    """Check every switch and compare it with one that has another first line; seconds."""
    start = time.perf_counter()
    for each in given:
        about: dict[str, Any] = {"urn": urn(each), "type": TYPE}
        news = encode(each)
        config = dict(each["spec"]["config"])
        config[next(iter(config))] = "changed"
        olds = encode({"spec": {**each["spec"], "config": config}})
        await stub.Check(provider_pb2.CheckRequest(news=news, **about))
        await stub.Diff(provider_pb2.DiffRequest(news=news, old_inputs=olds, olds=olds, **about))
    return time.perf_counter() - start


def urn(given: dict[str, Any]) -> str:
    """The resource's name for the engine."""
    return f"urn:pulumi:bench::podwright::{TYPE}::{given['spec']['hostname']}"


async def push(stub: Any, given: dict[str, Any]) -> float:
    """Create one switch; seconds it took."""
    start = time.perf_counter()
    await stub.Create(provider_pb2.CreateRequest(urn=urn(given), type=TYPE, properties=encode(given)))
    return time.perf_counter() - start


async def measured(given: list[dict[str, Any]], alone: dict[str, Any], reach: Path, lab: list[int]) -> Run:
    """Push one switch alone, then all others side by side."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "podwright.components.package", stdout=asyncio.subprocess.PIPE,
        env={"PODWRIGHT_REACH": str(reach)},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{int(await process.stdout.readline())}") as channel:
            stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
            login = {"credentials": {"user": "admin", "secret": "switch-admin"}}
            await stub.Configure(provider_pb2.ConfigureRequest(args=encode(login), acceptSecrets=True))
            once = await push(stub, alone)
            checked = await planned(stub, given)
            memory, processor, racked = _memory(process.pid), _processor(process.pid), [_processor(pid) for pid in lab]
            start = time.perf_counter()
            taken = await asyncio.gather(*(push(stub, each) for each in given))
            wall = time.perf_counter() - start
            peak, count = _memory(process.pid), len(given)
            return Run(
                switches=count, planned=checked, wall=wall, slowest=max(taken), alone=once, peak=peak,
                memory=(peak - memory) // count, processor=(_processor(process.pid) - processor) / count,
                rack=max(_processor(pid) - before for pid, before in zip(lab, racked, strict=True)) / wall,
            )  # fmt: skip
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
        found, designed = plans(switches)
        given = [inputs(number, switch) for number, switch in enumerate(found)]
        alone = twin(given)
        with (
            tempfile.TemporaryDirectory() as folder,
            racks(Path(folder), switches_of([*given, alone]), DELAY) as (reach, lab),
        ):
            run = asyncio.run(measured(given, alone, reach, lab))
            yield replace(run, planned=run.planned + designed)


def main() -> int:
    """Measure and print."""
    sizes = tuple(int(word) for word in sys.argv[1:]) or SIZES
    print(f"{DELAY} s per line; seconds, MiB; plan, memory and processor time for each switch")
    print("switches  plan ms  alone s  slowest s  wall s  wall/alone  peak MiB  MiB each  CPU s each  rack", flush=True)
    for run in runs(sizes):
        print(
            f"{run.switches:8}{1000 * run.planned / run.switches:9.2f}{run.alone:9.1f}{run.slowest:11.1f}"
            f"{run.wall:8.1f}{run.wall / run.alone:12.2f}{run.peak / 2**20:10.0f}{run.memory / 2**20:10.2f}"
            f"{run.processor:12.3f}{run.rack:6.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
