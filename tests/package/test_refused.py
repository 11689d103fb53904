"""Every program of tests/components/incoherent.yaml as a call of Construct, as the engine makes it and is answered."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import errors_pb2, provider_pb2, resource_pb2, resource_pb2_grpc, status_pb2

from podwright.components.package import Served
from podwright.components.providers.protocol.construct import construct
from podwright.components.providers.protocol.values import encode
from podwright.components.schema.arguments import arguments
from podwright.components.schema.document import arguments_class
from podwright.components.schema.names import camel, written
from tests.components.test_incoherent import CASES, Case

SERVED = Served()


class _Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """The engine's side: nothing may be registered."""

    async def SupportsFeature(self, _request: Any, _rpc: Any) -> Any:
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)


class _Rpc:
    """Keeps the status that a call is ended with."""

    status: Any = None

    async def abort_with_status(self, status: Any) -> None:
        self.status = status
        raise grpc.aio.AbortError


def inputs(case: Case) -> dict[str, Any]:
    """The arguments as a program of another language writes them."""
    types = {each.name: each.annotation for each in arguments(arguments_class(case.kind))}
    return {camel(name): written(each, types[name]) for name, each in case.values.items()}


async def refused(case: Case) -> dict[str, str]:
    """Property path and reason of each error that Construct answers with."""
    given = encode(inputs(case))  # before there is a server: one that nobody stops hangs the tests after it
    server = grpc.aio.server()
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(_Monitor(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    request = provider_pb2.ConstructRequest(
        project="second",
        stack="lab",
        type=f"podwright:index:{case.component}",
        name="lab" if case.component == "AiCluster" else "incoherent",
        inputs=given,
        dryRun=True,
        monitorEndpoint=f"127.0.0.1:{port}",
    )
    rpc = _Rpc()
    try:
        with pytest.raises(grpc.aio.AbortError):
            await construct(SERVED, "127.0.0.1:1", request, rpc, {})
    finally:
        await server.stop(None)
    status = rpc.status
    assert status.code == grpc.StatusCode.INVALID_ARGUMENT
    details = status_pb2.Status.FromString(dict(status.trailing_metadata)["grpc-status-details-bin"]).details
    errors = errors_pb2.InputPropertiesError()
    assert details[0].Unpack(errors)
    return {each.property_path: each.reason for each in errors.errors}


@pytest.mark.parametrize("name", list(CASES))
def test_construct_answers_with_an_error_of_the_property(name: str) -> None:
    case = CASES[name]
    found = asyncio.run(refused(case))
    assert case.says in found[case.place], found
