"""A provider served in this process and driven through the protocol's stubs; its one kind keeps a store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import grpc
from pulumi.runtime.proto import engine_pb2_grpc, provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Incomplete,
    Kind,
    ProviderError,
    Read,
    Secret,
    Values,
)
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.server import start
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach

TOKEN = "podwright:test:Box"
URN = f"urn:pulumi:lab::podwright::{TOKEN}::box-1"


class Box(Kind):
    """Things in memory, by id; `spec.fail` names how an operation goes wrong."""

    token = TOKEN
    schema = 2

    def __init__(self) -> None:
        self.store: dict[str, dict[str, Any]] = {}
        self.seen: list[tuple[str, Any]] = []
        self.entered = asyncio.Event()
        self.finished = asyncio.Event()

    def upgrade(self, inputs: Values) -> Values:
        spec = dict(inputs.get("spec", {}))
        if spec.get("schema") == 1:
            spec |= {"schema": 2, "colour": spec.pop("color", "red")}
        return {**inputs, "spec": spec}

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        config = inputs["spec"].get("config", {}) if isinstance(inputs.get("spec"), dict) else {}
        return [Failure(("spec", "config", key), f"line {key} is bad") for key in config if "bad" in key]

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        self.seen.append(("diff", (old_inputs, new_inputs, outputs)))
        return super().diff(old_inputs, new_inputs, outputs).replacing(("spec", "name"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        return {**inputs, "serial": outputs["serial"] if outputs else UNKNOWN}

    def notices(self, old_inputs: Values, new_inputs: Values) -> list[str]:
        return [f"{old_inputs['spec']['name']} will blink"] if new_inputs.get("password") else []

    def unfinished(self, outputs: Values) -> list[str]:
        return [f"box-1 lacks {outputs['lacks']}"] if outputs.get("lacks") else []

    async def create(self, inputs: Values, ctx: Context) -> Created:
        return Created("box-1", await self._make(inputs, ctx))

    async def _make(self, inputs: Values, ctx: Context) -> dict[str, Any]:
        spec = inputs["spec"]
        ctx.log("working")
        match spec.get("fail"):
            case "sentence":
                raise ProviderError(f"box-1 refused the login with {inputs.get('password')}")
            case "unforeseen":
                raise KeyError(inputs.get("password"))
            case "incomplete":
                outputs = {**inputs, "serial": "S1"}
                raise Incomplete("box-1", outputs, ["the lamp is dark", f"told {inputs.get('password')}"])
            case "slow":
                self.entered.set()
                await ctx.cancel.wait()
                self.finished.set()
                ctx.stop_here("the second half")
            case "secret":
                raise ProviderError(f"box-1 said {ctx.secret('box-admin')} is wrong")
        self.store["box-1"] = dict(inputs)
        return {**inputs, "serial": "S1", "key": Secret("made-by-the-box")}

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        live = self.store.get(id)
        return None if live is None else Read(live, {**live, "serial": "S1"})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        self.seen.append(("update", (old_inputs, outputs)))
        return await self._make(inputs, ctx)

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        self.store.pop(id, None)

    async def import_(self, id: str, ctx: Context) -> Read:
        return Read({"spec": {"schema": 2, "name": id}}, {"serial": "S1"})


class Listener(engine_pb2_grpc.EngineServicer):
    """An engine that only listens."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    async def Log(self, request: Any, context: Any) -> Any:
        from google.protobuf import empty_pb2

        self.said.append(request)
        return empty_pb2.Empty()


class Provider:
    """The stub, with plain Python values in and out."""

    def __init__(self, stub: Any, box: Box, listener: Listener, servicer: Servicer) -> None:
        self.stub = stub
        self.box = box
        self.listener = listener
        self.servicer = servicer

    async def check(self, inputs: Mapping[str, Any]) -> list[str]:
        reply = await self.stub.Check(provider_pb2.CheckRequest(urn=URN, type=TOKEN, news=encode(inputs)))
        assert decode(reply.inputs) == dict(inputs)
        assert not any(f.property for f in reply.failures)
        return [f.reason for f in reply.failures]

    async def diff(self, old: Mapping[str, Any], new: Mapping[str, Any], state: Mapping[str, Any] | None = None) -> Any:
        return await self.stub.Diff(
            provider_pb2.DiffRequest(
                id="box-1", urn=URN, type=TOKEN, old_inputs=encode(old), news=encode(new), olds=encode(state or old)
            )
        )

    async def create(self, inputs: Mapping[str, Any], *, preview: bool = False, limit: float = 0) -> Any:
        request = provider_pb2.CreateRequest(
            urn=URN, type=TOKEN, properties=encode(inputs), preview=preview, timeout=limit
        )
        return await self.stub.Create(request)

    async def update(
        self, old: Mapping[str, Any], new: Mapping[str, Any], state: Mapping[str, Any], *, preview: bool = False
    ) -> Any:
        return await self.stub.Update(
            provider_pb2.UpdateRequest(
                id="box-1",
                urn=URN,
                type=TOKEN,
                old_inputs=encode(old),
                news=encode(new),
                olds=encode(state),
                preview=preview,
            )
        )

    async def read(self, id: str, inputs: Mapping[str, Any], state: Mapping[str, Any]) -> Any:
        return await self.stub.Read(
            provider_pb2.ReadRequest(id=id, urn=URN, type=TOKEN, inputs=encode(inputs), properties=encode(state))
        )


@asynccontextmanager
async def provider(reach: Reach | None = None) -> AsyncIterator[Provider]:
    """A configured provider whose engine is a `Listener`."""
    listener = Listener()
    engine = grpc.aio.server()
    engine_pb2_grpc.add_EngineServicer_to_server(listener, engine)
    engine_port = engine.add_insecure_port("127.0.0.1:0")
    await engine.start()
    box = Box()
    servicer = Servicer(
        Registry({"nowhere": "podwright.components.providers.nowhere.module"}, [box]), lambda: reach or Reach()
    )
    server, port = await start(servicer)
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
    stub = provider_pb2_grpc.ResourceProviderStub(channel)
    shaken = await stub.Handshake(provider_pb2.ProviderHandshakeRequest(engine_address=f"127.0.0.1:{engine_port}"))
    assert shaken.accept_secrets
    assert not shaken.accept_outputs
    try:
        yield Provider(stub, box, listener, servicer)
    finally:
        await servicer.engine.close()
        await channel.close(None)
        await server.stop(None)
        await engine.stop(None)
