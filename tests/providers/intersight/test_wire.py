"""The module behind the real protocol: what the engine sends and what it gets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.server import start
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import KEY_ID, Stand

POLICY = "podwright:intersight:Policy"


def urn(token: str) -> str:
    return f"urn:pulumi:lab::podwright::{token}::it"


@pytest_asyncio.fixture
async def stub(stand: Stand) -> AsyncIterator[Any]:
    reach = Reach(forward=stand.side.forward, ca=stand.lab.ca.path, secrets=stand.lab.secrets)
    servicer = Servicer(Registry(), lambda: reach)
    server, port = await start(servicer)
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
    made = provider_pb2_grpc.ResourceProviderStub(channel)
    config = {"credentials": {"key_id": KEY_ID, "secret": "intersight-key"}, "endpoint": "intersight.com"}
    await made.Configure(provider_pb2.ConfigureRequest(args=encode(config)))
    yield made
    await servicer.engine.close()
    await channel.close(None)
    await server.stop(None)


async def create(stub: Any, token: str, spec: dict[str, Any], preview: bool = False) -> Any:
    request = provider_pb2.CreateRequest(urn=urn(token), type=token, properties=encode({"spec": spec}), preview=preview)
    return await stub.Create(request)


async def test_a_policy_goes_through_its_life_over_the_wire(stand: Stand, stub: Any) -> None:
    for spec in (specs.qos(), specs.vlans(), specs.lan()):
        made = await create(stub, POLICY, spec)
    assert made.id == "vnic.LanConnectivityPolicy/default/t-lan"
    inputs, state = {"spec": specs.lan()}, decode(made.properties)
    read = await stub.Read(
        provider_pb2.ReadRequest(
            id=made.id, urn=urn(POLICY), type=POLICY, inputs=encode(inputs), properties=encode(state)
        )
    )
    assert decode(read.inputs) == inputs
    stand.edit("vnic.EthIf", "eth1", {"Order": 9})
    read = await stub.Read(
        provider_pb2.ReadRequest(
            id=made.id, urn=urn(POLICY), type=POLICY, inputs=encode(inputs), properties=encode(state)
        )
    )
    found = await stub.Diff(
        provider_pb2.DiffRequest(
            id=made.id, urn=urn(POLICY), type=POLICY, old_inputs=read.inputs, news=encode(inputs), olds=read.properties
        )
    )
    assert list(found.detailedDiff) == ["spec.children[1].properties.Order"]
    updated = await stub.Update(
        provider_pb2.UpdateRequest(
            id=made.id, urn=urn(POLICY), type=POLICY, old_inputs=read.inputs, news=encode(inputs), olds=read.properties
        )
    )
    assert stand.live("vnic.EthIf", "eth1")["Order"] == 1
    await stub.Delete(
        provider_pb2.DeleteRequest(
            id=made.id, urn=urn(POLICY), type=POLICY, properties=updated.properties, old_inputs=encode(inputs)
        )
    )
    assert stand.live("vnic.LanConnectivityPolicy", "t-lan") is None


async def test_a_preview_needs_neither_key_nor_server(stand: Stand, stub: Any) -> None:
    (stand.lab.secrets / "intersight-key").unlink()
    requests = stand.side.gate.requests
    made = await create(stub, POLICY, specs.ntp(), preview=True)
    assert decode(made.properties)["spec"] == specs.ntp()
    token = "podwright:intersight:ServerProfile"
    made = await create(stub, token, specs.profile(("ntp.Policy", "t-ntp")), preview=True)
    assert stand.side.gate.requests == requests


async def test_a_profile_that_fails_is_kept_in_state_with_its_reason(stand: Stand, stub: Any) -> None:
    await create(stub, POLICY, specs.bios())
    stand.fault(fail_next="No power.")
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await create(stub, "podwright:intersight:ServerProfile", specs.profile(("bios.Policy", "t-bios")))
    details = dict(failed.value.trailing_metadata() or ())["grpc-status-details-bin"]
    assert b"No power." in details
    assert b"server.Profile/default/cp-01" in details


async def test_a_refusal_is_one_sentence(stand: Stand, stub: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await create(stub, POLICY, {**specs.ntp(), "organization": "nowhere"})
    told = failed.value.details() or ""
    assert "shows no organization 'nowhere'" in told
    assert "Traceback" not in told
