from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.intersight import account as accounts
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext, Context, Kind
from podwright.components.providers.reach import Reach
from podwright.lab.intersight.service import Call
from podwright.lab.intersight.side import IntersightSide, start
from podwright.lab.redfish.publish import PublishServer
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World
from tests.lab.bench import make_world

KEY_ID = "a/b/c"
LOGIN = {"endpoint": "intersight.com", "key_id": KEY_ID, "secret": "intersight-key"}
WORLD = """
name: bench
servers:
  inf-01:
    model: UCSC-845A-M8
    serial: WZP00000021
    uuid: 00000000-0000-4000-8000-000000000021
    bmc: 192.0.2.121
    boot_mac: "02:00:00:00:02:01"
    intersight: true
    cpu: {vendor: amd, sockets: 2, cores: 64}
    memory_gib: 512
  cp-01:
    model: UCSC-C225-M8N
    serial: WZP00000011
    uuid: 00000000-0000-4000-8000-000000000011
    bmc: 192.0.2.111
    boot_mac: "02:00:00:00:00:01"
    intersight: true
    cpu: {vendor: amd, sockets: 1, cores: 32}
    memory_gib: 128
  cp-99:
    model: UCSC-C225-M8N
    serial: WZP00000012
    uuid: 00000000-0000-4000-8000-000000000012
    bmc: 192.0.2.112
    boot_mac: "02:00:00:00:00:02"
    intersight: true
    cpu: {vendor: amd, sockets: 1, cores: 32}
    memory_gib: 128
  blade-01:
    model: UCSX-210C-M7
    serial: FCH00000031
    uuid: 00000000-0000-4000-8000-000000000031
    bmc: 192.0.2.131
    boot_mac: "02:00:00:00:03:01"
    intersight: true
    cpu: {vendor: intel, sockets: 2, cores: 32}
    memory_gib: 128
domains:
  x:
    model: UCS-FI-6536
    serials: {A: FDO000000A1, B: FDO000000B1}
    chassis: {x-1: {serial: FOX00000001, slots: {1: blade-01}}}
cables:
  - ["x-a:Ethernet1/9", "x-1:A1", 100]
  - ["x-a:Ethernet1/10", "x-1:A2", 100]
  - ["x-b:Ethernet1/9", "x-1:B1", 100]
  - ["x-b:Ethernet1/10", "x-1:B2", 100]
timing: {post_seconds: 0.05}
credentials: {intersight: {key_id: a/b/c, secret: intersight-key}}
"""
BY_TOKEN = {kind.token.rpartition(":")[2]: kind for kind in KINDS}


@dataclass
class Stand:
    """A lab Intersight and what a kind needs to reach it."""

    side: IntersightSide
    world: World
    lab: LabContext
    identity: str = "podwright/bench"
    said: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)

    def context(self, identity: str | None = None, key: str = "intersight-key", **secrets: str) -> Context:
        reach = Reach(forward=self.side.forward, ca=self.lab.ca.path, secrets=self.lab.secrets)
        config = {"credentials": {"key_id": KEY_ID, "secret": key}, "secrets": secrets}
        return Context(
            config=config,
            reach=reach,
            identity=identity or self.identity,
            log=self.said.append,
            warn=self.warned.append,
        )

    @property
    def store(self) -> Any:
        return self.side.service.store

    def live(self, object_type: str, name: str) -> Any:
        """The lab's own object, to be changed behind everybody's back or looked at."""
        with self.side.service.lock:
            return next((mo for mo in self.store.of(object_type) if mo.get("Name") == name), None)

    def edit(self, object_type: str, name: str, values: dict[str, Any]) -> None:
        with self.side.service.lock:
            self.store.update(self.live(object_type, name), values)

    def fault(self, **body: Any) -> None:
        self.side.fault(body)

    def act(self, identity: Any, action: str) -> None:
        """A person's order to a machine as equipment."""
        path = f"/api/v1/{self.side.service.schema.objects[identity['ObjectType']].path}/{identity['Moid']}"
        body = json.dumps({"AdminAction": action}).encode()
        self.side.service.handle(Call("PATCH", path, {}, {}, body))


class Driver:
    """Does with one resource what the engine does: check, create, read, diff, update, delete."""

    def __init__(self, stand: Stand, kind: Kind, spec: dict[str, Any], **context: Any) -> None:
        self.stand = stand
        self.kind = kind
        self.inputs: dict[str, Any] = {"spec": spec}
        self.id = ""
        self.outputs: dict[str, Any] = {}
        self._context = context

    @property
    def ctx(self) -> Context:
        return self.stand.context(**self._context)

    @property
    def spec(self) -> dict[str, Any]:
        return self.inputs["spec"]  # type: ignore[no-any-return]  # a property map

    def problems(self) -> list[str]:
        return [f"{'.'.join(map(str, f.path))}: {f.message}" for f in self.kind.check(self.inputs, CheckContext())]

    async def create(self) -> dict[str, Any]:
        assert self.problems() == []
        made = await self.kind.create(self.inputs, self.ctx)
        self.id, self.outputs = made.id, copy.deepcopy(dict(made.outputs))
        return self.outputs

    async def drift(self) -> list[str]:
        """Paths that a refresh finds changed."""
        seen = await self.kind.read(self.id, self.inputs, self.outputs, self.ctx)
        assert seen is not None, "gone"
        found = self.kind.diff(seen.inputs, self.inputs, seen.outputs)
        return sorted(".".join(map(str, path)) for path in found.changes)

    async def gone(self) -> bool:
        return await self.kind.read(self.id, self.inputs, self.outputs, self.ctx) is None

    async def update(self, change: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        old = copy.deepcopy(self.inputs)
        if change:
            change(self.spec)
        assert self.problems() == []
        self.outputs = copy.deepcopy(dict(await self.kind.update(self.id, self.inputs, old, self.outputs, self.ctx)))
        return self.outputs

    async def delete(self) -> None:
        await self.kind.delete(self.id, self.inputs, self.outputs, self.ctx)


@pytest.fixture
def stand(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stand]:
    """The lab; its parameter, where a test gives one, is a variant and its form."""
    variants = f"variants: {request.param}\n" if hasattr(request, "param") else ""
    with standing(tmp_path, variants) as made:
        yield made


@pytest.fixture
def image(tmp_path: Path) -> Iterator[str]:
    """URL of an image."""
    server = PublishServer(tmp_path / "publish")
    (server.directory / "image.iso").write_bytes(b"an image")
    yield f"{server.url}/image.iso"
    server.stop()


@contextmanager
def standing(folder: Path, more: str = "", text: str = WORLD) -> Iterator[Stand]:
    """A lab of its own for as long as it is used; `text` is its world file, and `more` stands at its end."""
    world, lab = make_world(folder, text + more)
    side = start(world, lab)
    side.fault({"validate": 0.05, "configure": 0.05})
    accounts._clients.clear()
    yield Stand(side, world, lab)
    side.stop()
    world.close()
