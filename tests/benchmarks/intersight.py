"""`python -m tests.benchmarks.intersight [servers [milliseconds]]`: requests that Intersight gets for so many servers.

The plugin is a process of its own for each command, spoken to as the engine speaks to it; Intersight is the lab's, over
HTTPS, and counts. Three commands follow each other: a first apply, a refresh that finds nothing, and one changed BIOS
token in a policy that all servers share. A request is one exchange, whatever it carries: what a rate limit counts.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import yaml
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components import model
from podwright.components.design import compute
from podwright.components.design.compute import RolePlan
from podwright.components.model import Server
from podwright.components.model.management import Addresses
from podwright.components.providers.protocol.values import decode, encode
from podwright.lab.intersight.side import IntersightSide, start
from tests.benchmarks.counting import Count, Run
from tests.lab.bench import make_world

ROOT = Path(__file__).resolve().parents[2]
PARALLEL = 4 * (os.cpu_count() or 1)
"""Operations that the engine runs at once: its own default."""
MODELS = ("UCSC-C225-M8N", "UCSX-210C-M7")
"""A rack server, whose policies all servers share, and a blade, which has a LAN connectivity policy of its own."""
KEY_ID = "a/b/c"


@dataclass
class Resource:
    """One resource as the engine's state has it; `level` counts what must exist before it."""

    type: str
    spec: dict[str, Any]
    level: int
    id: str = ""
    outputs: dict[str, Any] = field(default_factory=dict)

    @property
    def about(self) -> dict[str, Any]:
        """How every request names it."""
        return {"urn": f"urn:pulumi:bench::podwright::{self.type}::{self.spec['name']}", "type": self.type}


def servers(count: int, server_model: str) -> dict[str, Server]:
    """So many servers of one model: all share one BIOS policy."""
    return {
        f"node-{n:03}": Server.model_validate(
            {
                "model": server_model, "index": n + 1, "pool": "training", "serial": f"WZP2{n:07}",
                "rack": "r1", "address": f"198.18.1.{n + 1}", "boot_mac": f"02:00:00:01:00:{n:02x}",
                "bmc": f"198.18.2.{n + 1}",
            }
        )
        for n in range(count)
    }  # fmt: skip


def world(given: dict[str, Server]) -> str:
    """The lab's world with these servers claimed."""
    hardware = {"intersight": True, "cpu": {"vendor": "amd", "sockets": 1, "cores": 32}, "memory_gib": 128}
    machines = {
        name: {
            **hardware, "model": each.model, "serial": each.serial, "bmc": str(each.bmc), "boot_mac": each.boot_mac,
            "uuid": f"00000000-0000-4000-8000-{number:012}",
        }
        for number, (name, each) in enumerate(given.items())
    }  # fmt: skip
    login = {"intersight": {"key_id": KEY_ID, "secret": "intersight-key"}}
    return yaml.safe_dump({"name": "bench", "servers": machines, "credentials": login})


def plan(given: dict[str, Server]) -> RolePlan:
    """Pools, policies and profiles as the compute layer makes them."""
    cluster = model.load(ROOT / "Pulumi.prod.yaml")
    assert cluster.intersight is not None
    addresses = Addresses.model_validate({"range": "203.0.113.2-250/24"})
    management = cluster.intersight.management.model_copy(update={"addresses": addresses})
    account = cluster.intersight.model_copy(update={"organization": "default", "management": management})
    return compute.role("bench", given, {}, account, cluster.site, cluster.fabric.frontend)


def resources(made: RolePlan) -> list[Resource]:
    """What the engine registers."""
    levels: dict[str, int] = {}
    found = []
    for each in (*made.pools, *made.policies):
        levels[each.name] = 1 + max((levels[name] for name in each.needs), default=0)
        kind = "Pool" if each in made.pools else "Policy"
        found.append(Resource(f"podwright:intersight:{kind}", each.spec("default"), levels[each.name]))
    last = 1 + max(levels.values())
    return found + [
        Resource("podwright:intersight:ServerProfile", dict(each.spec), last) for each in made.profiles.values()
    ]


def object_types(given: Iterable[Resource]) -> set[str]:
    """Types of the objects that a refresh reads."""
    found = set()
    for each in given:
        found |= {each.spec.get("object_type", "server.Profile")}
        found |= {child["object_type"] for child in each.spec.get("children", ())}
    return found


class Command:
    """One command of the engine: its plugin is configured once, and ends with it."""

    def __init__(self, stub: Any, parallel: int) -> None:
        self._stub = stub
        self._free = asyncio.Semaphore(parallel)

    async def _each(self, given: list[Resource], work: Callable[[Resource], Awaitable[None]]) -> None:
        async def one(resource: Resource) -> None:
            async with self._free:
                await work(resource)

        for level in sorted({each.level for each in given}):
            await asyncio.gather(*(one(each) for each in given if each.level == level))

    async def create(self, given: list[Resource]) -> None:
        """Make all of them."""

        async def work(each: Resource) -> None:
            asked = provider_pb2.CreateRequest(properties=encode({"spec": each.spec}), **each.about)
            made = await self._stub.Create(asked)
            each.id, each.outputs = made.id, decode(made.properties)

        await self._each(given, work)

    async def refresh(self, given: list[Resource]) -> list[str]:
        """Names of those that are not as they should be."""
        drifted = []

        async def work(each: Resource) -> None:
            inputs = encode({"spec": each.spec})
            asked = provider_pb2.ReadRequest(id=each.id, inputs=inputs, properties=encode(each.outputs), **each.about)
            seen = await self._stub.Read(asked)
            compared = provider_pb2.DiffRequest(
                id=each.id, old_inputs=seen.inputs, olds=seen.properties, news=inputs, **each.about
            )
            found = await self._stub.Diff(compared)
            if not seen.id or found.changes != provider_pb2.DiffResponse.DIFF_NONE:
                drifted.append(f"{each.spec['name']}: {sorted(found.detailedDiff)}")

        # All at once, in no order: what a refresh reads depends on nothing.
        await self._each([Resource(each.type, each.spec, 0, each.id, each.outputs) for each in given], work)
        return drifted

    async def update(self, given: list[Resource], wanted: list[Resource]) -> int:
        """Bring those that differ to what is wanted; how many these are."""
        changed = {id(after): before for before, after in zip(given, wanted, strict=True) if before.spec != after.spec}

        async def work(each: Resource) -> None:
            old = changed[id(each)]
            asked = provider_pb2.UpdateRequest(
                id=old.id, olds=encode(old.outputs), news=encode({"spec": each.spec}),
                old_inputs=encode({"spec": old.spec}), **each.about,
            )  # fmt: skip
            made = await self._stub.Update(asked)
            each.id, each.outputs = old.id, decode(made.properties)

        await self._each([each for each in wanted if id(each) in changed], work)
        return len(changed)


@asynccontextmanager
async def command(reach: Path, parallel: int = PARALLEL) -> AsyncIterator[Command]:
    """A plugin process, configured; so many operations at once."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "podwright.components.package", stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PODWRIGHT_REACH": str(reach)},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{int(await process.stdout.readline())}") as channel:
            stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
            args = encode({"intersight": {"key_id": KEY_ID, "secret": "intersight-key"}})
            await stub.Configure(provider_pb2.ConfigureRequest(args=args, acceptSecrets=True))
            yield Command(stub, parallel)
    finally:
        process.kill()
        await process.wait()


async def counted(side: IntersightSide, work: Awaitable[Any]) -> Run:
    """What `work` costs."""
    count = Count(side)
    await work
    return count.run()


def with_token(given: list[Resource]) -> list[Resource]:
    """The same resources, with another BIOS token in the policy that all servers share."""
    found = []
    for each in given:
        spec = dict(each.spec)
        if spec.get("object_type") == "bios.Policy":
            spec["properties"] = {**spec["properties"], "SrIov": "disabled"}
        elif "digest" in spec:
            spec["digest"] = "000000000000"
        found.append(Resource(each.type, spec, each.level))
    return found


async def measured(side: IntersightSide, reach: Path, given: list[Resource], parallel: int) -> dict[str, Run]:
    """The three commands, in order. Raises RuntimeError where a refresh finds a difference."""
    runs = {}
    async with command(reach, parallel) as engine:
        runs["first apply"] = await counted(side, engine.create(given))
    async with command(reach, parallel) as engine:
        drifted: list[str] = []

        async def refresh() -> None:
            drifted.extend(await engine.refresh(given))

        runs["refresh"] = await counted(side, refresh())
        if drifted:
            raise RuntimeError(f"the refresh finds {drifted[:3]}")
    async with command(reach, parallel) as engine:
        runs["shared change"] = await counted(side, engine.update(given, with_token(given)))
    return runs


def runs(
    count: int, server_model: str, latency_ms: float = 0.0, parallel: int = PARALLEL
) -> tuple[dict[str, Run], int]:
    """Measure in a lab of its own; the number of object types that a refresh reads too."""
    chosen = servers(count, server_model)
    given = resources(plan(chosen))
    with tempfile.TemporaryDirectory() as folder:
        site, lab = make_world(Path(folder), world(chosen))
        side = start(site, lab)
        reach = Path(folder) / "reach.json"
        secrets = str(Path(folder) / "secrets")
        reach.write_text(json.dumps({"forward": side.forward, "ca": str(lab.ca.path), "secrets": secrets}))
        try:
            side.fault({"latency_ms": latency_ms})
            return asyncio.run(measured(side, reach, given, parallel)), len(object_types(given))
        finally:
            side.stop()
            site.close()


def main() -> int:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    latency = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    print(f"{count} servers, {PARALLEL} operations at once, {latency:g} ms for each answer")
    for server_model in MODELS:
        found, types = runs(count, server_model, latency)
        for name, run in found.items():
            print(
                f"{server_model:14} {name:14} {run.total:6} requests {run.total / count:7.2f} a server "
                f"{run.total / types:7.2f} a type of {types:3} {run.seconds:8.1f} s",
                flush=True,
            )
            if os.environ.get("PODWRIGHT_BENCH_PATHS"):
                print("".join(f"    {number:6} {path}\n" for path, number in run.requests.items()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
