"""How much a change may disturb: above the limit a check fails, unless it is approved at that moment."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2

from podwright.components.changes.impact import impacts
from podwright.components.providers.nxos.switch import TOKEN, Switch
from podwright.components.providers.protocol.configuration import configuration_failures, parsed
from podwright.components.providers.protocol.kind import Context, Read, Values
from podwright.components.providers.protocol.limits import refusals, way_out
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.servicer import Servicer
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach
from tests.providers.nxos.rack import CONFIG
from tests.providers.nxos.rack import inputs as of_schema

URN = f"urn:pulumi:lab::podwright::{TOKEN}::leaf-01"
BGP = "router bgp 64601"
RENUMBERED = {**CONFIG, BGP: CONFIG[BGP].replace("remote-as 65001", "remote-as 65002")}
LATER, EARLIER = (f"{datetime.now(UTC) + timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}" for hours in (1, -1))


def inputs(config: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    return of_schema(config, **{"schema": 2, **changes})


class Rpc:
    """What the servicer asks of a call."""

    async def abort(self, code: grpc.StatusCode, sentence: str, *_: Any) -> None:
        raise RuntimeError(sentence)


class Paper(Switch):
    """A switch that is not reached."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.live: Values = {}

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        self.begun += 1
        return inputs

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read:
        return Read(self.live, self.live)


@asynccontextmanager
async def served(changes: Any = None) -> AsyncIterator[tuple[Servicer, Paper]]:
    kind = Paper()
    servicer = Servicer(Registry({}, [kind]), Reach)
    servicer.operations.config = {"nxos": {"user": "admin", "secret": "x"}, **({"changes": changes} if changes else {})}
    yield servicer, kind


async def check(servicer: Servicer, old: Values, new: Values) -> list[str]:
    request = provider_pb2.CheckRequest(urn=URN, type=TOKEN, olds=encode(old), news=encode(new))
    return [each.reason for each in (await servicer.Check(request, Rpc())).failures]


def approved(until: str, what: str = "two-ended", on: tuple[str, ...] = ("leaf-01",)) -> dict[str, Any]:
    return {"approve": [{"what": what, "on": list(on), "until": until}]}


async def test_a_change_of_two_ends_stops_at_the_check_and_says_the_way_out() -> None:
    async with served() as (servicer, _):
        (sentence,) = await check(servicer, inputs(), inputs(RENUMBERED))
        assert sentence.startswith("spec.config: leaf-01: router bgp 64601 / neighbor 10.2.0.1 / remote-as 65001")
        assert "two-ended: the session stands only with the AS that the far end has" in sentence
        assert "above this stack's limit, disruptive" in sentence
        assert 'approve: [{what: two-ended, on: [leaf-01], until: "<time>"}]' in sentence


@pytest.mark.parametrize(
    ("changes", "passes"),
    [
        (approved(LATER), True),
        (approved(LATER, on=()), True),
        (approved(LATER, on=("leaf-02",)), False),
        (approved(LATER, what="replaced"), False),
        (approved(EARLIER), False),
        ({"limit": "two-ended"}, True),
    ],
)
async def test_an_approval_lets_pass_what_it_names_until_it_ends(changes: dict[str, Any], passes: bool) -> None:
    async with served(changes) as (servicer, _):
        found = await check(servicer, inputs(), inputs(RENUMBERED))
        assert (found == []) is passes
        if changes == approved(EARLIER):
            assert f"its approval ended at {EARLIER}" in found[0]


@pytest.mark.parametrize(
    ("on", "passes"), [(["n1", "n2"], True), (["n1", "n2", "n3"], True), ([], True), (["n1"], False), (["t"], False)]
)
def test_restarts_of_a_roll_out_pass_when_each_of_its_servers_is_approved(on: list[str], passes: bool) -> None:
    nodes = [{"name": name, "serial": name, "digest": "1"} for name in ("n1", "n2", "n3")]
    spec = {"schema": 1, "pool": "t", "nodes": nodes, "trigger": "a"}
    after = [{**each, "digest": "1" if each["name"] == "n3" else "2"} for each in nodes]
    found = impacts("podwright:openshift:Rollout", spec, {**spec, "trigger": "b", "nodes": after})
    given = {"limit": "live", "approve": [{"what": "reboot", "on": on, "until": LATER}]}
    assert (refusals(found, {"changes": given}, datetime.now(UTC)) == []) is passes
    assert refusals(found, {"changes": {"limit": "live"}}, datetime.now(UTC)) != []


async def test_lines_of_the_stack_file_move_without_a_change_of_the_instance() -> None:
    old, new = ({"places": {"compute.roles.a": {"at": f"Pulumi.lab.yaml:{n}", "on": ["n1"]}}} for n in (3, 4))
    async with served() as (servicer, _):
        request = provider_pb2.DiffRequest(old_inputs=encode(old), olds=encode(old), news=encode(new))
        assert (await servicer.DiffConfig(request, Rpc())).changes == provider_pb2.DiffResponse.DIFF_NONE
        request = provider_pb2.DiffRequest(old_inputs=encode({}), olds=encode({}), news=encode(new))
        assert (await servicer.DiffConfig(request, Rpc())).changes == provider_pb2.DiffResponse.DIFF_NONE


async def test_places_that_come_as_one_text_stay_one_and_errors_name_them() -> None:
    places = {"compute.roles.a": {"at": "Pulumi.lab.yaml:3", "on": ["n1"]}}
    before, now = {"places": places}, {"places": json.dumps(places)}
    async with served() as (servicer, _):
        reply = await servicer.CheckConfig(provider_pb2.CheckRequest(news=encode(now), olds=encode(before)), Rpc())
        assert (decode(reply.inputs)["places"], list(reply.failures)) == (now["places"], [])
        request = provider_pb2.DiffRequest(old_inputs=encode(before), olds=encode(before), news=encode(now))
        assert (await servicer.DiffConfig(request, Rpc())).changes == provider_pb2.DiffResponse.DIFF_NONE
    assert "below compute.roles.a (Pulumi.lab.yaml:3)" in way_out(parsed(now), "wipe", "n1")


async def test_a_lower_limit_stops_what_is_disruptive() -> None:
    queuing = "policy-map type queuing QOS_EGRESS_PORT"
    changed = {**CONFIG, queuing: CONFIG[queuing].replace("950", "900")}
    async with served() as (servicer, _):
        assert await check(servicer, inputs(), inputs(changed)) == []
    async with served({"limit": "live"}) as (servicer, _):
        (sentence,) = await check(servicer, inputs(), inputs(changed))
        assert "disruptive: queues and thresholds are programmed anew" in sentence


async def test_what_is_new_has_no_limit() -> None:
    async with served() as (servicer, _):
        assert await check(servicer, {}, inputs()) == []


def test_no_approval_lets_a_refused_change_pass() -> None:
    spec = {"cluster": "lab", "gateway": "192.0.2.1"}
    found = impacts("podwright:openshift:Install", spec, {**spec, "gateway": "192.0.2.2"})
    (failure,) = refusals(found, {"changes": approved(LATER, on=())}, datetime.now(UTC))
    assert failure.path == ("spec", "gateway")
    assert failure.message == "lab: gateway: refused: nodes keep the gateway that they were installed with"


async def test_no_device_is_begun_after_the_approval_ended() -> None:
    async with served(approved(EARLIER)) as (servicer, kind):
        request = provider_pb2.UpdateRequest(
            id="leaf-01",
            urn=URN,
            type=TOKEN,
            old_inputs=encode(inputs()),
            olds=encode(inputs()),
            news=encode(inputs(RENUMBERED)),
        )
        with pytest.raises(RuntimeError, match=r"nothing was begun: leaf-01: .* its approval ended at"):
            await servicer.Update(request, Rpc())
        assert kind.begun == 0


async def test_putting_back_what_somebody_edited_is_no_change_of_ours() -> None:
    async with served() as (servicer, kind):
        kind.live = inputs(RENUMBERED)
        request = provider_pb2.ReadRequest(
            id="leaf-01", urn=URN, type=TOKEN, inputs=encode(inputs()), properties=encode(inputs())
        )
        seen = decode((await servicer.Read(request, Rpc())).inputs)
        assert await check(servicer, seen, inputs()) == []
        assert await check(servicer, seen, inputs(RENUMBERED)) != []
        diff = provider_pb2.DiffRequest(
            id="leaf-01", urn=URN, type=TOKEN, old_inputs=encode(seen), olds=encode(seen), news=encode(inputs())
        )
        changed = (await servicer.Diff(diff, Rpc())).detailedDiff
        assert list(changed) == ['spec.config["router bgp 64601"]']
        # A second look at the same edit, and one after it was put back.
        again = provider_pb2.ReadRequest(
            id="leaf-01", urn=URN, type=TOKEN, inputs=encode(seen), properties=encode(seen)
        )
        assert decode((await servicer.Read(again, Rpc())).inputs) == seen
        kind.live = inputs()
        assert decode((await servicer.Read(again, Rpc())).inputs) == inputs()


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"limit": "never"}, ("changes", "limit")),
        ({"approve": [{"what": "two-ended", "until": "tomorrow"}]}, ("changes", "approve", 0)),
        ({"approve": [{"what": "two-ended", "until": "2026-11-23T06:00:00"}]}, ("changes", "approve", 0)),
        ({"approve": [{"what": "refused", "until": LATER}]}, ("changes", "approve", 0)),
        ({"approves": []}, ("changes",)),
    ],
)
def test_an_instance_says_what_is_wrong_with_its_limits(changes: dict[str, Any], path: tuple[Any, ...]) -> None:
    (failure,) = configuration_failures({"changes": changes})
    assert failure.path == path
