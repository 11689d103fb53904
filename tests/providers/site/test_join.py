"""A join exists once what it ends does; it reaches nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.server import start
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach

TOKEN = "podwright:index:Join"
URN = f"urn:pulumi:lab::podwright::{TOKEN}::fabric-wave-1"
INPUTS: dict[str, Any] = {
    "spec": {"schema": 1, "cluster": "lab", "ends": "wave 1 of the fabric"},
    "ready": "fabric-wave-1",
}


@asynccontextmanager
async def joins() -> AsyncIterator[Any]:
    server, port = await start(Servicer(Registry(), Reach))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield provider_pb2_grpc.ResourceProviderStub(channel)
    await server.stop(None)


async def test_a_join_is_known_in_preview_and_made_at_once() -> None:
    async with joins() as stub:
        assert not (await stub.Check(provider_pb2.CheckRequest(urn=URN, type=TOKEN, news=encode(INPUTS)))).failures
        request = provider_pb2.CreateRequest(urn=URN, type=TOKEN, properties=encode(INPUTS), preview=True)
        assert decode((await stub.Create(request)).properties) == INPUTS
        request.preview = False
        made = await stub.Create(request)
        assert (made.id, decode(made.properties)) == ("fabric-wave-1", INPUTS)
        news = encode({**INPUTS, "spec": {**INPUTS["spec"], "ends": "wave 1"}})
        both = {"id": made.id, "urn": URN, "type": TOKEN, "olds": made.properties, "old_inputs": encode(INPUTS)}
        assert set((await stub.Diff(provider_pb2.DiffRequest(**both, news=news))).detailedDiff) == {"spec.ends"}
        updated = await stub.Update(provider_pb2.UpdateRequest(**both, news=news))
        assert decode(updated.properties) == decode(news)
        place = {"id": made.id, "urn": URN, "type": TOKEN, "properties": made.properties}
        read = await stub.Read(provider_pb2.ReadRequest(**place, inputs=encode(INPUTS)))
        assert (read.id, decode(read.inputs), decode(read.properties)) == (made.id, INPUTS, INPUTS)
        await stub.Delete(provider_pb2.DeleteRequest(**place))


async def test_an_older_schema_alone_is_no_difference() -> None:
    async with joins() as stub:
        older = encode({**INPUTS, "spec": {**INPUTS["spec"], "schema": 0}})
        request = provider_pb2.DiffRequest(id="x", urn=URN, type=TOKEN, old_inputs=older, news=encode(INPUTS))
        assert (await stub.Diff(request)).changes == provider_pb2.DiffResponse.DIFF_NONE


async def test_a_join_that_says_something_else_is_refused() -> None:
    async with joins() as stub:
        news = encode({"spec": {"schema": 1, "cluster": 7, "wave": 1}})
        reply = await stub.Check(provider_pb2.CheckRequest(urn=URN, type=TOKEN, news=news))
        assert [f.reason.split(":")[0] for f in reply.failures] == ["spec.ends", "spec.cluster", "spec.wave"]
