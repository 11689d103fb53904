"""Pushes that go wrong at every line: the switch ends as before or as intended, and other people's edits survive."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.nxos.session import Session
from podwright.components.providers.nxos.write import push
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.moments import moments
from tests.providers.nxos.rack import CONFIG, Rack, inputs, without_net

SMALL = {
    "feature bfd": "",
    "class-map type qos match-any ROCEv2": "match dscp 26",
    "policy-map type qos QOS_CLASSIFICATION": "class ROCEv2\n  set qos-group 3",
    "interface Ethernet1/1": "no switchport\nmtu 9216\nservice-policy type qos input QOS_CLASSIFICATION\nno shutdown",
}
CHANGED = {
    "feature bfd": "",
    "class-map type qos match-any ROCEv2": "match dscp 24",
    "class-map type qos match-any CNP": "match dscp 48",
    "policy-map type qos QOS_CLASSIFICATION": "class ROCEv2\n  set qos-group 3\nclass CNP\n  set qos-group 7",
    "interface Ethernet1/1": "no switchport\nmtu 9000\nservice-policy type qos input QOS_CLASSIFICATION\nno shutdown",
    "interface loopback3": "ip address 10.0.0.3/32",
}


class KilledError(BaseException):
    """The plugin's process is gone."""


def kill_at(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """The process dies instead of typing the `count`-th line after this."""
    real = Session._type
    left = [count]

    async def dying(self: Session, line: str, limit: float) -> str:
        if left[0] <= 0:
            raise KilledError
        left[0] -= 1
        return await real(self, line, limit)

    monkeypatch.setattr(Session, "_type", dying)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "_RETRIES", (0.01, 0.02, 0.05))


async def everything_typed(lab: Rack, typed: list[str], given: dict[str, Any]) -> int:
    typed.clear()
    await lab.up(given)
    return len(typed)


@pytest.mark.rough
async def test_a_create_killed_at_any_line_is_completed_by_the_next_one(lab: Rack, typed: list[str]) -> None:
    lab.edit("feature lldp", "interface Ethernet1/9", "description theirs")
    before = lab.running()
    given = inputs({**SMALL, "feature lldp": ""})
    found = {"feature lldp": ""}
    for _ in ("to open the session", "to count the lines of an open one"):
        total = await everything_typed(lab, typed, given)
        intended = lab.running()
        await lab.kind.delete("leaf-01", given, {"found": found}, lab.context())
    assert total > 20
    assert lab.running() == before
    for line in moments(total):
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await lab.up(given)
        made = await lab.up(given)
        assert lab.running() == intended, line
        assert lab.startup() == intended, line
        assert lab.leaf.checkpoints == {}, line
        assert made.outputs["found"] == found, line
        await lab.kind.delete("leaf-01", given, made.outputs, lab.context())
        assert lab.running() == before, line


@pytest.mark.rough
async def test_an_update_killed_at_any_line_is_completed_by_the_next_one(lab: Rack, typed: list[str]) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    typed.clear()
    await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    total, intended = len(typed), lab.running()
    for line in moments(total):
        await lab.kind.update("leaf-01", inputs(SMALL), inputs(CHANGED), made.outputs, lab.context())
        assert lab.running() == first, line
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
        assert lab.running() == intended, line
        assert lab.leaf.checkpoints == {}, line


@pytest.mark.rough
async def test_a_delete_killed_at_any_line_is_completed_by_the_next_one(lab: Rack, typed: list[str]) -> None:
    before = lab.running()
    made = await lab.up(inputs(SMALL))
    typed.clear()
    await lab.kind.delete("leaf-01", inputs(SMALL), made.outputs, lab.context())
    total = len(typed)
    for line in moments(total):
        made = await lab.up(inputs(SMALL))
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await lab.kind.delete("leaf-01", inputs(SMALL), made.outputs, lab.context())
        await lab.kind.delete("leaf-01", inputs(SMALL), made.outputs, lab.context())
        assert lab.running() == before, line
        assert lab.startup() == before, line


@pytest.mark.rough
@pytest.mark.parametrize("taken", [False, True], ids=["the line is lost", "only its answer is lost"])
async def test_a_session_cut_at_any_line_leaves_the_switch_as_before_or_as_intended(
    lab: Rack, typed: list[str], taken: bool
) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    typed.clear()
    await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    total, intended = len(typed), lab.running()
    outcomes = set()
    for line in moments(total):
        await lab.kind.update("leaf-01", inputs(SMALL), inputs(CHANGED), made.outputs, lab.context())
        lab.side._fault_cut({"switch": "leaf-01", "after": line, "taken": taken})
        try:
            await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
        except ProviderError as error:
            assert "leaf-01" in str(error)
        lab.leaf.faults.cut_after = None
        assert without_net(lab.running()) in (without_net(first), without_net(intended)), line
        outcomes.add(without_net(lab.running()) == without_net(intended))
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
        assert lab.running() == intended, line
        assert lab.leaf.checkpoints == {}, line
    assert outcomes == {True, False}


@pytest.mark.parametrize(
    "line",
    ["class-map type qos match-any CNP", "match dscp 48", "set qos-group 7", "mtu 9000", "ip address 10.0.0.3/32"],
)
async def test_a_refused_line_takes_back_what_was_written(lab: Rack, line: str) -> None:
    made = await lab.up(inputs(SMALL))
    first, startup = lab.running(), lab.startup()
    lab.side._fault_error({"switch": "leaf-01", "line": line, "message": "ERROR: Hardware programming failed"})
    with pytest.raises(ProviderError) as caught:
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    text = str(caught.value)
    assert text.startswith(f"leaf-01: the switch refused {line!r}: ERROR: Hardware programming failed")
    assert "the switch is as it was before" in text
    assert lab.running() == first
    assert lab.startup() == startup
    assert lab.leaf.checkpoints == {}


async def test_a_line_the_release_does_not_know_is_quoted(lab: Rack) -> None:
    before = lab.running()
    with pytest.raises(ProviderError, match=r"refused 'hardware qos ecn': % Invalid command"):
        await lab.up(inputs({"interface loopback3": "", "hardware qos ecn": ""}))
    assert lab.running() == before


async def test_when_our_inverse_is_refused_too_the_checkpoint_is_the_net(lab: Rack) -> None:
    made = await lab.up(inputs(SMALL))
    first = lab.running()
    for line in ("ip address 10.0.0.3/32", "no class-map type qos match-any CNP"):
        lab.side._fault_error({"switch": "leaf-01", "line": line, "message": "ERROR: busy"})
    with pytest.raises(ProviderError, match="rolled back to how it was before"):
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    assert lab.running() == first
    assert lab.leaf.checkpoints == {}


async def test_when_everything_fails_it_is_said_what_remains_and_the_next_run_completes(lab: Rack) -> None:
    made = await lab.up(inputs(SMALL))
    for line in ("ip address 10.0.0.3/32", "no class-map type qos match-any CNP"):
        lab.side._fault_error({"switch": "leaf-01", "line": line, "message": "ERROR: busy"})
    lab.side._fault_rollback({"switch": "leaf-01", "fails": True})
    with pytest.raises(
        ProviderError, match=r"class-map type qos match-any CNP.* differ.* checkpoint podwright-\w+ holds"
    ):
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    lab.leaf.faults.refuse.clear()
    lab.leaf.faults.rollback_fails = False
    await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    assert "10.0.0.3/32" in lab.running()
    assert lab.leaf.checkpoints == {}


async def test_a_rollback_never_takes_back_what_others_did_meanwhile(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await lab.up(inputs(SMALL))
    for line in ("ip address 10.0.0.3/32", "no class-map type qos match-any CNP"):
        lab.side._fault_error({"switch": "leaf-01", "line": line, "message": "ERROR: busy"})
    meanwhile(lab, monkeypatch, "set qos-group 7", "interface Ethernet1/9", "description theirs")
    with pytest.raises(ProviderError, match="taking it back failed too"):
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    assert "description theirs" in lab.running()


def meanwhile(lab: Rack, monkeypatch: pytest.MonkeyPatch, after: str, *lines: str) -> None:
    """Somebody else types `lines` right after we typed `after`."""
    real = Session._type
    done: list[bool] = []

    async def watched(self: Session, line: str, limit: float) -> str:
        answer = await real(self, line, limit)
        if line == after and not done:
            done.append(True)
            lab.edit(*lines)
        return answer

    monkeypatch.setattr(Session, "_type", watched)


async def test_somebody_editing_our_block_while_we_write_keeps_his_line(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await lab.up(inputs(SMALL))
    meanwhile(lab, monkeypatch, "mtu 9000", "interface Ethernet1/1", "description theirs")
    with pytest.raises(ProviderError, match=r"interface Ethernet1/1 / description theirs"):
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    running = lab.running()
    assert "description theirs" in running
    assert "mtu 9216" in running
    assert "loopback3" not in running


async def test_somebody_editing_our_block_just_before_we_write_is_noticed(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await lab.up(inputs(SMALL))
    meanwhile(lab, monkeypatch, "show checkpoint summary", "interface Ethernet1/1", "mtu 1600")
    with pytest.raises(ProviderError, match=r"editing interface Ethernet1/1 right now"):
        await lab.kind.update("leaf-01", inputs(CHANGED), inputs(SMALL), made.outputs, lab.context())
    assert "mtu 1600" in lab.running()
    assert lab.leaf.checkpoints == {}


async def test_ten_checkpoints_of_others_are_left_alone(lab: Rack) -> None:
    for number in range(10):
        lab.type(f"checkpoint theirs-{number}")
    await lab.up(inputs(SMALL))
    assert list(lab.leaf.checkpoints) == [f"theirs-{number}" for number in range(10)]
    assert "ten checkpoints of others" in lab.said[0]


async def test_the_whole_roce_configuration_is_never_without_ecn_while_a_threshold_changes(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await lab.up()
    real = Session._type
    gaps: list[str] = []

    async def watched(self: Session, line: str, limit: float) -> str:
        answer = await real(self, line, limit)
        text = lab.running()
        if not (" ecn" in text and "type network-qos qos_network" in text.split("system qos")[1]):
            gaps.append(line)
        return answer

    monkeypatch.setattr(Session, "_type", watched)
    queue = "policy-map type queuing QOS_EGRESS_PORT"
    changed = inputs({**CONFIG, queue: CONFIG[queue].replace("950", "1200")})
    await lab.kind.update("leaf-01", changed, inputs(), made.outputs, lab.context())
    assert "minimum-threshold 1200" in lab.running()
    assert gaps == []


async def test_a_question_mark_in_what_was_adopted_is_given_back_too(lab: Rack) -> None:
    lab.edit("interface Ethernet1/1", "description whose?")
    made = await lab.up(inputs(adopt=True))
    await lab.kind.delete("leaf-01", inputs(adopt=True), made.outputs, lab.context())
    assert "interface Ethernet1/1\n  description whose?\n" in lab.running()
