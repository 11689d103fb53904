"""Two resources for one device are refused in a preview, and so is the deletion of a device that is still planned."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.intersight.domain import DomainProfileKind
from podwright.components.providers.intersight.profile import ServerProfileKind
from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.protocol.kind import Kind, Values
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.server import start
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import encode
from podwright.components.providers.reach import Reach
from podwright.components.providers.redfish.server import ServerKind
from tests.providers.protocol.harness import TOKEN, Box


class Boxed(Box):
    """A box that is told by its lid."""

    def devices(self, inputs: Values) -> Mapping[Any, str]:
        return {("spec", "lid"): inputs["spec"].get("lid", "")}


class Program:
    """One operation's provider."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    async def check(self, name: str, lid: str) -> list[str]:
        news = encode({"spec": {"schema": 2, "lid": lid}})
        reply = await self._stub.Check(provider_pb2.CheckRequest(urn=self._urn(name), type=TOKEN, news=news))
        return [each.reason for each in reply.failures]

    async def delete(self, name: str, lid: str) -> str:
        """The sentence of a refusal; nothing where it went."""
        old = encode({"spec": {"schema": 2, "lid": lid}})
        request = provider_pb2.DeleteRequest(id="box-1", urn=self._urn(name), type=TOKEN, old_inputs=old)
        try:
            await self._stub.Delete(request)
        except grpc.aio.AioRpcError as error:
            return error.details() or ""
        return ""

    def _urn(self, name: str) -> str:
        return f"urn:pulumi:lab::podwright::{TOKEN}::{name}"


@asynccontextmanager
async def program() -> AsyncIterator[Program]:
    server, port = await start(Servicer(Registry({}, [Boxed()]), Reach))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Program(provider_pb2_grpc.ResourceProviderStub(channel))
    await server.stop(None)


async def test_two_resources_on_one_device_fail_the_preview() -> None:
    async with program() as run:
        assert await run.check("lab-leaf-01", "red") == []
        assert await run.check("lab-leaf-02", "blue") == []
        assert await run.check("lab-leaf-02b", "blue") == [
            "spec.lid: blue is planned for lab-leaf-02 already: a device is one resource"
        ]
        assert await run.check("lab-leaf-01", "red") == [], "a resource is checked in preview and in up"
        assert await run.check("lab-leaf-01", "green") == []
        assert await run.check("lab-leaf-03", "red") == [], "given up by the one that had it"
        assert await run.check("lab-leaf-04", "") == []
        assert await run.check("lab-leaf-05", "") == [], "unknown is nobody's"


async def test_a_device_that_is_still_planned_is_not_deleted() -> None:
    async with program() as run:
        assert await run.check("lab-leaf-02b", "blue") == []
        assert await run.delete("lab-leaf-02", "blue") == (
            "lab-leaf-02 is not deleted: blue is planned as lab-leaf-02b, which is the same device. Write "
            "`renamed_from` in the new entry, with the name of the old one, and run again"
        )
        assert await run.delete("lab-leaf-02b", "blue") == "", "replaced, or destroyed beside its program"
        assert await run.delete("lab-leaf-01", "red") == ""


async def test_a_plain_destroy_asks_no_program() -> None:
    async with program() as run:
        assert await run.delete("lab-leaf-02", "blue") == ""


@pytest.mark.parametrize(
    ("kind", "spec", "values"),
    [
        (Switch(), {"management": "192.0.2.11", "serial": "FDO1"}, {"192.0.2.11", "FDO1"}),
        (Switch(), {"management": "192.0.2.11"}, {"192.0.2.11"}),
        (ServerKind(), {"address": "192.0.2.101", "serial": "WZP1"}, {"192.0.2.101", "WZP1"}),
        (ServerProfileKind(), {"serial": "WZP1"}, {"WZP1"}),
        (DomainProfileKind(), {"serials": {"A": "FDO1", "B": "FDO2"}}, {"FDO1", "FDO2"}),
    ],
    ids=["switch", "switch-without-serial", "redfish", "profile", "domain"],
)
def test_what_tells_a_device_from_others(kind: Kind, spec: dict[str, Any], values: set[str]) -> None:
    assert set(kind.devices({"spec": spec}).values()) == values
