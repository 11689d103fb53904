"""Reach belongs to the stack: with the reach file of another world nothing is dialled, and a sentence says why."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol.kind import Context, Created, Kind, Read, Values
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.server import start
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach, load

TOKEN = "podwright:test:Dialler"
URN = f"urn:pulumi:lab::podwright::{TOKEN}::leaf-01"
INSTANCE = "urn:pulumi:lab::podwright::pulumi:providers:podwright::site"
LOGIN = {"nxos": {"user": "admin", "secret": "switch-admin"}}


class Dialler(Kind):
    """Notes every endpoint it dials."""

    token = TOKEN
    schema = 1

    def __init__(self) -> None:
        self.dialled: list[tuple[str, int]] = []

    def _dial(self, ctx: Context) -> None:
        self.dialled.append(ctx.reach.endpoint("192.0.2.11", 22))

    async def create(self, inputs: Values, ctx: Context) -> Created:
        self._dial(ctx)
        return Created("leaf-01", inputs)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        self._dial(ctx)
        return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        self._dial(ctx)
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        self._dial(ctx)


class Site:
    """An instance whose reach file is `file`, and the operations on its one resource."""

    def __init__(self, stub: Any, dialler: Dialler, file: Path) -> None:
        self.stub = stub
        self.dialler = dialler
        self._file = file

    def reach(self, **document: Any) -> None:
        """Write the reach file anew."""
        self._file.write_text(json.dumps(document))

    async def check(self, news: dict[str, Any], olds: dict[str, Any] | None = None) -> tuple[dict[str, Any], list[str]]:
        """The instance's inputs as they are stored, and what is wrong with them."""
        request = provider_pb2.CheckRequest(urn=INSTANCE, news=encode(news), olds=encode(olds or {}))
        reply = await self.stub.CheckConfig(request)
        return decode(reply.inputs), [failure.reason for failure in reply.failures]

    async def configure(self, inputs: dict[str, Any]) -> None:
        await self.stub.Configure(provider_pb2.ConfigureRequest(args=encode(inputs)))

    async def sentences(self) -> set[str]:
        """What each operation on the resource says; an empty text where it works."""
        spec = encode({"spec": {"schema": 1}})
        place: dict[str, Any] = {"urn": URN, "type": TOKEN}
        olds: dict[str, Any] = {"id": "leaf-01", "old_inputs": spec}
        calls: list[Callable[[], Any]] = [
            lambda: self.stub.Create(provider_pb2.CreateRequest(**place, properties=spec)),
            lambda: self.stub.Read(provider_pb2.ReadRequest(**place, id="leaf-01", inputs=spec, properties=spec)),
            lambda: self.stub.Update(provider_pb2.UpdateRequest(**place, **olds, news=spec, olds=spec)),
            lambda: self.stub.Delete(provider_pb2.DeleteRequest(**place, **olds, properties=spec)),
        ]
        said = set()
        for call in calls:
            try:
                await call()
            except grpc.aio.AioRpcError as error:
                said.add(str(error.details()))
            else:
                said.add("")
        return said


@asynccontextmanager
async def instance(tmp_path: Path, environ: dict[str, str] | None = None) -> AsyncIterator[Site]:
    dialler = Dialler()
    file = tmp_path / "reach.json"
    given = {"PODWRIGHT_REACH": str(file)} if environ is None else environ
    server, port = await start(Servicer(Registry({}, [dialler]), lambda: load(given)))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Site(provider_pb2_grpc.ResourceProviderStub(channel), dialler, file)
    await server.stop(None)


async def test_the_first_up_takes_the_world_of_the_reach_file_in_force(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        site.reach(world="lab-1")
        inputs, failures = await site.check(LOGIN)
        assert (inputs, failures) == ({**LOGIN, "world": "lab-1"}, [])
        site.reach(forward={"192.0.2.11:22": "127.0.0.1:1"})
        assert (await site.check(LOGIN))[0]["world"] == "direct"
    async with instance(tmp_path, {}) as site:
        assert (await site.check(LOGIN))[0]["world"] == "direct"


async def test_later_the_state_s_world_stays_and_another_reach_file_is_a_sentence(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        site.reach(world="lab-2")
        inputs, failures = await site.check(LOGIN, {**LOGIN, "world": "lab-1"})
        assert inputs["world"] == "lab-1"
        assert failures == [
            "world: the devices of stack lab are in the world lab-1, and the reach file "
            f"{tmp_path}/reach.json in PODWRIGHT_REACH is that of lab-2; nothing was dialled. Set PODWRIGHT_REACH to "
            "the reach file of lab-1, or move the stack deliberately: `podwright reach lab --move`"
        ]


async def test_without_a_reach_file_the_sentence_says_so(tmp_path: Path) -> None:
    async with instance(tmp_path, {}) as site:
        _, failures = await site.check(LOGIN, {**LOGIN, "world": "lab-1"})
        assert len(failures) == 1
        assert "and without a PODWRIGHT_REACH it is direct; nothing was dialled" in failures[0]


async def test_no_operation_of_another_world_dials(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        site.reach(world="lab-2", forward={"192.0.2.11:22": "127.0.0.1:1"})
        await site.configure({**LOGIN, "world": "lab-1"})
        (sentence,) = await site.sentences()
        assert sentence.startswith("leaf-01: the devices of stack lab are in the world lab-1, and the reach file ")
        assert site.dialler.dialled == []


async def test_moved_endpoints_and_rotated_certificates_of_one_world_work(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        site.reach(world="lab-1", forward={"192.0.2.11:22": "127.0.0.1:1"}, ca="/old.pem")
        inputs, _ = await site.check(LOGIN)
        await site.configure(inputs)
        assert await site.sentences() == {""}
        site.reach(world="lab-1", forward={"192.0.2.11:22": "127.0.0.1:2"}, ca="/new.pem", known_hosts="/new")
        assert await site.check(LOGIN, inputs) == (inputs, [])
        assert await site.sentences() == {""}
        assert set(site.dialler.dialled) == {("127.0.0.1", 1), ("127.0.0.1", 2)}


async def test_the_program_moves_a_stack_by_naming_the_world(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        site.reach(world="lab-2")
        old, new = {**LOGIN, "world": "lab-1"}, {**LOGIN, "world": "lab-2"}
        assert await site.check(new, old) == (new, [])
        reply = await site.stub.DiffConfig(
            provider_pb2.DiffRequest(urn=INSTANCE, old_inputs=encode(old), news=encode(new))
        )
        assert set(reply.detailedDiff) == {"world"}
        assert not reply.replaces
        await site.configure(new)
        assert await site.sentences() == {""}
        assert (await site.check(LOGIN, new))[0] == new, "the state remembers the move"


async def test_a_state_of_an_earlier_release_names_no_world_and_works_as_it_did(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        site.reach(world="lab-2")
        await site.configure({"credentials": {"user": "admin", "secret": "s"}})
        assert await site.sentences() == {""}
        assert (await site.check(LOGIN, {"credentials": {"user": "admin", "secret": "s"}}))[0]["world"] == "lab-2"


async def test_a_reach_file_that_cannot_be_read_stops_no_preview_and_every_operation(tmp_path: Path) -> None:
    async with instance(tmp_path) as site:
        assert await site.check(LOGIN) == (LOGIN, [])
        await site.configure(LOGIN)
        (sentence,) = await site.sentences()
        assert "cannot be read" in sentence


@pytest.mark.parametrize("world", ["", 7])
def test_a_world_that_is_no_text_is_refused(tmp_path: Path, world: Any) -> None:
    from podwright.components.providers.reach import ReachError

    (tmp_path / "reach.json").write_text(json.dumps({"world": world}))
    with pytest.raises(ReachError, match="`world` must be a text"):
        load({"PODWRIGHT_REACH": str(tmp_path / "reach.json")})


def test_reach_without_a_file_is_direct() -> None:
    assert Reach().world == load({}).world == "direct"
