"""One instance for a site: a login per module inside, and what instances of earlier releases held."""

from __future__ import annotations

import json
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol.configuration import LOGINS
from podwright.components.providers.protocol.kind import Context, Created, Kind, Read, Secret, Values
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.server import start
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach
from tests.providers.protocol.harness import URN, provider

NXOS = {"user": "admin", "secret": "switch-admin", "drain": "maintenance"}
INTERSIGHT = {"key_id": "a/b/c", "secret": "intersight-key", "endpoint": "intersight.com"}
REDFISH = {"user": "operator", "secret": "bmc-admin"}
SITE = {"nxos": NXOS, "intersight": INTERSIGHT, "redfish": REDFISH, "secrets": {"switch-admin": "x"}}
OLD: dict[str, dict[str, Any]] = {
    "nxos": {"credentials": {"user": "admin", "secret": "switch-admin"}, "drain": "maintenance"},
    "intersight": {"credentials": {"key_id": "a/b/c", "secret": "intersight-key"}, "endpoint": "intersight.com"},
    "redfish": {"credentials": {"user": "operator", "secret": "bmc-admin"}},
    "openshift": {"credentials": {"user": "operator", "secret": "bmc-admin"}},
}


class Mirror(Kind):
    """Shows the configuration that its module gets, at every operation."""

    schema = 1

    def __init__(self, module: str) -> None:
        self.token = f"podwright:{module}:Mirror"

    async def create(self, inputs: Values, ctx: Context) -> Created:
        return Created("mirror", {"config": ctx.config})

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        return Read(inputs, {"config": ctx.config})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        return {"config": ctx.config}

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        assert ctx.config


async def shown(module: str, config: dict[str, Any]) -> Any:
    """What a kind of `module` sees in an instance with `config`; the sentence where it refuses."""
    servicer = Servicer(Registry({}, [Mirror(module)]), Reach)
    server, port = await start(servicer)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = provider_pb2_grpc.ResourceProviderStub(channel)
        await stub.Configure(provider_pb2.ConfigureRequest(args=encode(config)))
        token = f"podwright:{module}:Mirror"
        urn = f"urn:pulumi:lab::podwright::{token}::mirror-1"
        spec = encode({"spec": {"schema": 1}})
        checked = await stub.Check(provider_pb2.CheckRequest(urn=urn, type=token, news=spec))
        try:
            made = await stub.Create(provider_pb2.CreateRequest(urn=urn, type=token, properties=spec))
            live = await stub.Read(provider_pb2.ReadRequest(id="mirror", urn=urn, type=token, inputs=spec))
        except grpc.aio.AioRpcError as error:
            assert [f.reason for f in checked.failures] == [f"provider: {str(error.details()).split(': ', 1)[1]}"]
            return error.details()
        finally:
            await server.stop(None)
        assert not checked.failures
        assert decode(made.properties) == decode(live.properties)
        return decode(made.properties)["config"]


async def test_each_module_sees_its_own_login_and_the_site_s_secrets() -> None:
    secrets = {"switch-admin": "x"}
    switch = {"user": "admin", "secret": "switch-admin"}
    assert await shown("nxos", SITE) == {"credentials": switch, "drain": "maintenance", "secrets": secrets}
    key = {"key_id": "a/b/c", "secret": "intersight-key"}
    assert await shown("intersight", SITE) == {"credentials": key, "endpoint": "intersight.com", "secrets": secrets}
    for module in ("redfish", "openshift"):
        assert await shown(module, SITE) == {"credentials": REDFISH, "secrets": secrets}


@pytest.mark.parametrize("module", ["nxos", "intersight", "redfish"])
async def test_a_module_without_a_login_is_a_sentence_that_names_the_input(module: str) -> None:
    others = {name: login for name, login in SITE.items() if name != module}
    assert await shown(module, others) == (
        f"mirror-1: the provider instance has no login for {module}: give Podwright the input "
        f"{module}={LOGINS[module].example}"
    )


async def test_what_only_talks_to_the_cluster_needs_no_login() -> None:
    assert await shown("openshift", {"nxos": NXOS}) == {}


@pytest.mark.parametrize("module", list(OLD))
async def test_an_instance_of_an_earlier_release_still_serves_its_module(module: str) -> None:
    assert await shown(module, OLD[module]) == OLD[module]


@pytest.mark.parametrize("module", list(OLD))
async def test_from_the_old_shape_to_the_new_is_an_update(module: str) -> None:
    async with provider() as p:
        old, new = encode(OLD[module]), encode(SITE)
        for news in (old, new):
            assert not (await p.stub.CheckConfig(provider_pb2.CheckRequest(urn=URN, olds=old, news=news))).failures
        reply = await p.stub.DiffConfig(provider_pb2.DiffRequest(urn=URN, old_inputs=old, news=new))
        assert reply.changes == provider_pb2.DiffResponse.DIFF_SOME
        assert not reply.replaces
        kinds = {provider_pb2.PropertyDiff.Kind.Name(each.kind) for each in reply.detailedDiff.values()}
        assert not [kind for kind in kinds if "REPLACE" in kind]


async def test_what_is_wrong_with_a_login_is_told_at_once() -> None:
    async with provider() as p:
        wrong = {
            "nxos": {"user": "", "pass": "x", "drain": "soft"},
            "intersight": "admin",
            "redfish": {"user": "admin"},
            "world": "",
        }
        reply = await p.stub.CheckConfig(provider_pb2.CheckRequest(urn=URN, news=encode(wrong)))
        assert [f.reason.split(":")[0] for f in reply.failures] == [
            "nxos.pass",
            "nxos.user",
            "nxos.drain",
            "nxos.secret",
            "intersight",
            "redfish.secret",
            "world",
        ]


async def test_the_json_of_a_generated_sdk_is_the_same_configuration() -> None:
    flat = {**SITE, "nxos": json.dumps(NXOS), "secrets": Secret(json.dumps(SITE["secrets"]))}
    assert await shown("nxos", flat) == await shown("nxos", SITE)
    async with provider() as p:
        reply = await p.stub.CheckConfig(provider_pb2.CheckRequest(urn=URN, news=encode(flat)))
        inputs = decode(reply.inputs)
        assert inputs["nxos"] == NXOS
        assert inputs["secrets"] == Secret(SITE["secrets"])
        same = await p.stub.DiffConfig(
            provider_pb2.DiffRequest(urn=URN, old_inputs=encode(inputs), news=encode({**inputs, **flat}))
        )
        assert same.changes == provider_pb2.DiffResponse.DIFF_NONE
