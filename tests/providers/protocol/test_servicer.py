from __future__ import annotations

import asyncio
import base64
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import engine_pb2, provider_pb2, status_pb2

from podwright.components.providers.protocol.kind import UNKNOWN, Secret, Unknown
from podwright.components.providers.protocol.values import decode, encode
from podwright.components.providers.reach import Reach
from tests.providers.protocol.harness import TOKEN, URN, provider

SPEC = {"schema": 2, "name": "box-1", "config": {"interface Ethernet1/1": "mtu 9216"}}
CANARY = 'kanarie-"7\\x Z'


async def failure(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


async def test_inputs_come_back_as_they_went_and_every_failure_is_told_at_once() -> None:
    async with provider() as p:
        inputs = {"spec": {**SPEC, "config": {"bad one": "", "bad.two/x": "", "fine": ""}}, "refs": [UNKNOWN]}
        assert await p.check(inputs) == [
            'spec.config["bad one"]: line bad one is bad',
            'spec.config["bad.two/x"]: line bad.two/x is bad',
        ]


@pytest.mark.parametrize("schema", [None, 0, 3, "2", True])
async def test_a_schema_this_release_does_not_know_is_refused(schema: Any) -> None:
    async with provider() as p:
        failures = await p.check({"spec": {"schema": schema}})
        assert [sentence.split(":")[0] for sentence in failures] == ["spec.schema"]


async def test_preview_leaves_what_is_not_known_yet_unknown() -> None:
    async with provider() as p:
        reply = await p.create({"spec": SPEC, "ref": UNKNOWN}, preview=True)
        outputs = decode(reply.properties)
        assert reply.id == ""
        assert isinstance(outputs["serial"], Unknown)
        assert isinstance(outputs["ref"], Unknown)
        assert outputs["spec"] == SPEC
        assert p.box.store == {}


async def test_secrets_stay_secret_in_outputs_wherever_they_reappear() -> None:
    async with provider() as p:
        spec = {**SPEC, "url": f"https://admin:{CANARY}@box"}
        outputs = decode((await p.create({"spec": spec, "password": Secret(CANARY)})).properties)
        assert outputs["password"] == Secret(CANARY)
        assert outputs["spec"]["url"] == Secret(spec["url"])
        assert outputs["key"] == Secret("made-by-the-box")
        assert outputs["spec"]["name"] == "box-1"


async def test_diff_names_the_leaf_and_asks_for_replacement_only_where_the_kind_says() -> None:
    async with provider() as p:
        new = {"spec": {**SPEC, "name": "box-2", "config": {"interface Ethernet1/1": "mtu 1500"}}}
        reply = await p.diff({"spec": SPEC}, new)
        kinds = {path: provider_pb2.PropertyDiff.Kind.Name(d.kind) for path, d in reply.detailedDiff.items()}
        assert kinds == {"spec.name": "UPDATE_REPLACE", 'spec.config["interface Ethernet1/1"]': "UPDATE"}
        assert all(d.inputDiff for d in reply.detailedDiff.values())
        assert list(reply.replaces) == ["spec"]
        assert reply.changes == provider_pb2.DiffResponse.DIFF_SOME


async def test_the_same_inputs_make_no_diff_even_when_marked_secret_or_stored_by_an_older_release() -> None:
    async with provider() as p:
        new = {"spec": {"schema": 2, "colour": "blue"}, "password": "x"}
        old = {"spec": {"schema": 1, "color": "blue"}, "password": Secret("x")}
        reply = await p.diff(old, new)
        assert reply.changes == provider_pb2.DiffResponse.DIFF_NONE
        assert not reply.detailedDiff


async def test_the_cluster_s_name_is_stamped_on_what_stands_without_touching_it() -> None:
    async with provider() as p:
        stamped = {"spec": SPEC, "cluster": "lab"}
        assert await p.check(stamped) == []
        for old, new in (({"spec": SPEC}, stamped), (stamped, {**stamped, "cluster": "prod"})):
            assert (await p.diff(old, new)).changes == provider_pb2.DiffResponse.DIFF_NONE
        await p.create({"spec": SPEC})
        assert decode((await p.read("box-1", stamped, stamped)).inputs) == stamped
        assert decode((await p.read("box-1", {"spec": SPEC}, {"spec": SPEC})).inputs) == {"spec": SPEC}


async def test_update_sees_old_inputs_and_old_outputs() -> None:
    async with provider() as p:
        await p.update({"spec": SPEC}, {"spec": {**SPEC, "config": {}}}, {"spec": SPEC, "serial": "S1"})
        assert p.box.seen[-1] == ("update", ({"spec": SPEC}, {"spec": SPEC, "serial": "S1"}))


async def test_update_preview_keeps_what_is_already_known() -> None:
    async with provider() as p:
        reply = await p.update({"spec": SPEC}, {"spec": SPEC}, {"serial": "S1"}, preview=True)
        assert decode(reply.properties)["serial"] == "S1"
        assert not [entry for entry in p.box.seen if entry[0] == "update"]


async def test_what_an_update_disturbs_is_a_warning_of_the_preview_alone() -> None:
    async with provider() as p:
        new = {"spec": SPEC, "password": Secret(CANARY)}
        await p.update({"spec": SPEC}, new, {"serial": "S1"}, preview=True)
        assert [(each.severity, each.message) for each in p.listener.said] == [(engine_pb2.WARNING, "box-1 will blink")]
        await p.update({"spec": SPEC}, new, {"serial": "S1"})
        assert [each.message for each in p.listener.said].count("box-1 will blink") == 1


async def test_what_was_left_half_done_is_warned_of_once_with_and_without_a_change() -> None:
    state, changed = {"spec": SPEC, "serial": "S1", "lacks": "a lamp"}, {"spec": {**SPEC, "config": {}}}
    async with provider() as p:
        assert (await p.diff({"spec": SPEC}, {"spec": SPEC}, state)).changes == provider_pb2.DiffResponse.DIFF_NONE
        assert [(each.severity, each.message) for each in p.listener.said] == [
            (engine_pb2.WARNING, "box-1 lacks a lamp")
        ]
        await p.diff({"spec": SPEC}, changed, state)
        await p.update({"spec": SPEC}, changed, state, preview=True)
        assert [each.message for each in p.listener.said] == ["box-1 lacks a lamp"] * 2


async def test_refresh_returns_live_inputs_and_outputs_and_an_empty_id_when_gone() -> None:
    async with provider() as p:
        await p.create({"spec": SPEC})
        p.box.store["box-1"]["spec"] = {**SPEC, "config": {}}
        reply = await p.read("box-1", {"spec": SPEC}, {"spec": SPEC})
        assert decode(reply.inputs) == {"spec": {**SPEC, "config": {}}, "written": SPEC}
        assert decode(reply.properties)["serial"] == "S1"
        p.box.store.clear()
        assert (await p.read("box-1", {"spec": SPEC}, {"spec": SPEC})).id == ""


async def test_reading_without_inputs_is_an_import() -> None:
    async with provider() as p:
        reply = await p.read("box-9", {}, {})
        assert decode(reply.inputs) == {"spec": {"schema": 2, "name": "box-9"}}
        assert reply.id == "box-9"


async def test_delete_of_what_is_gone_succeeds() -> None:
    async with provider() as p:
        request = provider_pb2.DeleteRequest(id="box-1", urn=URN, type=TOKEN, properties=encode({"spec": SPEC}))
        await p.stub.Delete(request)


async def test_a_failure_is_one_sentence_without_traceback_or_secret() -> None:
    async with provider() as p:
        error = await failure(p.create({"spec": {**SPEC, "fail": "sentence"}, "password": Secret(CANARY)}))
        assert error.details() == "box-1 refused the login with [secret]"
        assert error.code() == grpc.StatusCode.FAILED_PRECONDITION


async def test_an_unforeseen_failure_names_its_place_and_carries_no_secret() -> None:
    async with provider() as p:
        error = await failure(p.create({"spec": {**SPEC, "fail": "unforeseen"}, "password": Secret(CANARY)}))
        text = error.details() or ""
        assert text.startswith("box-1: an error nobody foresaw, KeyError")
        assert "Traceback" not in text
        assert CANARY not in text
        assert repr(CANARY)[1:-1] not in text
        assert "\n" not in text


async def test_a_secret_looked_up_on_the_way_never_leaves(tmp_path: Any) -> None:
    (tmp_path / "box-admin").write_text(CANARY + "\n")
    async with provider(Reach(secrets=tmp_path)) as p:
        error = await failure(p.create({"spec": {**SPEC, "fail": "secret"}}))
        assert error.details() == "box-1 said [secret] is wrong"


async def test_the_instance_s_own_secrets_come_first_and_a_missing_one_is_named(tmp_path: Any) -> None:
    (tmp_path / "box-admin").write_text("from the folder")
    async with provider(Reach(secrets=tmp_path)) as p:
        config = {"secrets": Secret({"box-admin": "from the program"})}
        await p.stub.Configure(provider_pb2.ConfigureRequest(args=encode(config)))
        assert p.servicer.operations.config["secrets"]["box-admin"] == "from the program"
        error = await failure(p.create({"spec": {**SPEC, "fail": "secret"}}))
        assert error.details() == "box-1 said [secret] is wrong"
    async with provider(Reach()) as p:
        error = await failure(p.create({"spec": {**SPEC, "fail": "secret"}}))
        text = error.details() or ""
        for place in ("'box-admin'", "pulumi config set --secret", "PODWRIGHT_SECRET_BOX_ADMIN", "secrets` folder"):
            assert place in text


async def test_an_object_that_exists_but_is_not_finished_is_kept_with_its_reasons() -> None:
    async with provider() as p:
        error = await failure(p.create({"spec": {**SPEC, "fail": "incomplete"}, "password": Secret(CANARY)}))
        packed = dict(error.trailing_metadata() or ())["grpc-status-details-bin"]
        status = status_pb2.Status.FromString(packed)
        details = provider_pb2.ErrorResourceInitFailed()
        assert status.details[0].Unpack(details)
        assert details.id == "box-1"
        assert list(details.reasons) == ["the lamp is dark", "told [secret]"]
        assert decode(details.properties)["password"] == Secret(CANARY)
        assert CANARY.encode() not in packed.replace(details.properties.SerializeToString(), b"")


async def test_cancel_reaches_the_operation_which_ends_where_it_is_safe() -> None:
    async with provider() as p:
        call = asyncio.ensure_future(p.create({"spec": {**SPEC, "fail": "slow"}}))
        await p.box.entered.wait()
        from google.protobuf import empty_pb2

        await p.stub.Cancel(empty_pb2.Empty())
        error = await failure(call)
        assert "stopped before the second half" in (error.details() or "")


async def test_the_program_s_timeout_stops_an_operation_like_ctrl_c() -> None:
    async with provider() as p:
        error = await failure(p.create({"spec": {**SPEC, "fail": "slow"}}, limit=0.05))
        assert "stopped before" in (error.details() or "")


async def test_an_engine_that_goes_away_does_not_tear_an_operation_apart() -> None:
    async with provider() as p:
        call = asyncio.ensure_future(p.create({"spec": {**SPEC, "fail": "slow"}}))
        await p.box.entered.wait()
        call.cancel()
        await asyncio.wait_for(p.box.finished.wait(), 5)
        await asyncio.wait_for(p.servicer.operations.idle(), 5)


async def test_progress_reaches_the_engine_s_status_column() -> None:
    async with provider() as p:
        await p.create({"spec": SPEC})
        said = [(m.message, m.urn, m.ephemeral) for m in p.listener.said]
        assert said == [("working", URN, True)]


async def test_the_traceback_of_an_unforeseen_failure_goes_to_the_debug_log_scrubbed() -> None:
    async with provider() as p:
        await failure(p.create({"spec": {**SPEC, "fail": "unforeseen"}, "password": Secret("kanarie-77")}))
        await p.servicer.engine.flush()
        said = "".join(m.message for m in p.listener.said)
        assert "Traceback" in said
        assert "kanarie-77" not in said


async def test_a_kind_nobody_serves_is_named() -> None:
    async with provider() as p:
        for token, words in (("podwright:test:Bax", "it has podwright:test:Box"), ("podwright:nowhere:X", "yet")):
            request = provider_pb2.CheckRequest(urn=URN, type=token, news=encode({"spec": SPEC}))
            assert words in ((await failure(p.stub.Check(request))).details() or "")


async def test_the_instance_s_inputs_are_judged_all_at_once() -> None:
    async with provider() as p:
        news = encode({"credentials": {"user": "", "pass": "x"}, "speed": 3, "endpoint": 4, "secrets": {"a": 1}})
        reply = await p.stub.CheckConfig(provider_pb2.CheckRequest(urn=URN, news=news))
        assert [f.reason.split(":")[0] for f in reply.failures] == [
            "speed",
            "credentials.pass",
            "credentials.user",
            "credentials.secret",
            "endpoint",
            "secrets.a",
        ]
        good = encode({"credentials": {"user": "admin", "secret": "s"}, "endpoint": "h", "version": "0.1.0"})
        assert not (await p.stub.CheckConfig(provider_pb2.CheckRequest(urn=URN, news=good))).failures


async def test_no_change_of_the_instance_ever_replaces_it() -> None:
    async with provider() as p:
        old = encode({"credentials": {"user": "admin", "secret": "a"}, "endpoint": "one"})
        new = encode({"credentials": {"user": "root", "secret": "b"}, "endpoint": "two"})
        reply = await p.stub.DiffConfig(provider_pb2.DiffRequest(urn=URN, old_inputs=old, news=new))
        assert reply.changes == provider_pb2.DiffResponse.DIFF_SOME
        assert not reply.replaces
        assert set(reply.detailedDiff) == {"credentials.user", "credentials.secret", "endpoint"}


async def test_what_the_plugin_does_not_do_is_said_in_a_sentence() -> None:
    async with provider() as p:
        error = await failure(p.stub.Invoke(provider_pb2.InvokeRequest(tok="podwright:x:y")))
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED
        assert "podwright:x:y" in (error.details() or "")


async def test_a_password_in_a_basic_login_is_scrubbed_too() -> None:
    async with provider() as p:
        await p.create({"spec": SPEC, "password": Secret(CANARY)})
        for user in ("admin", "root", "op"):
            login = base64.b64encode(f"{user}:{CANARY}".encode()).decode()
            cleaned = p.servicer._scrubber.clean(f"Authorization: Basic {login}")
            shared = {login[at : at + 6] for at in range(len(user) + 4, len(login) - 6)}
            assert not [digits for digits in shared if digits in cleaned]
            assert "[secret]" in cleaned
