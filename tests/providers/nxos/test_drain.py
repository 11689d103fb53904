"""A spine that changes in maintenance mode: out of the traffic first, back in afterwards, whatever happens between."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.nxos.session import Session
from podwright.components.providers.nxos.write import push
from podwright.components.providers.protocol.kind import Context, ProviderError
from tests.providers.nxos.moments import moments
from tests.providers.nxos.rack import Rack, inputs
from tests.providers.nxos.test_push import CHANGED, SMALL, KilledError, kill_at

ROUTED = {"feature bgp": "", "router bgp 64601": "router-id 10.0.0.1\nneighbor 10.1.0.1\n  remote-as 64602"}
FIRST, SECOND = SMALL | ROUTED, CHANGED | ROUTED


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "_RETRIES", (0.01, 0.02, 0.05))


def draining(lab: Rack) -> Context:
    return lab.context(config={"credentials": {"user": "admin", "secret": "switch-admin"}, "drain": "maintenance"})


async def change(lab: Rack, state: Any, to: dict[str, str] = SECOND, since: dict[str, str] = FIRST) -> None:
    new, old = inputs(to, role="spine"), inputs(since, role="spine")
    await lab.kind.update("leaf-01", new, old, state, draining(lab))


async def begun(lab: Rack) -> Any:
    return (await lab.kind.create(inputs(FIRST, role="spine"), draining(lab))).outputs


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, lab: Rack) -> list[tuple[str, bool]]:
    """Every line and whether the switch was in maintenance mode when it came."""
    lines: list[tuple[str, bool]] = []
    real = Session._type

    async def recording(self: Session, line: str, limit: float) -> str:
        lines.append((line, lab.leaf.in_maintenance))
        return await real(self, line, limit)

    monkeypatch.setattr(Session, "_type", recording)
    return lines


async def test_every_line_of_a_change_is_typed_in_maintenance_mode_and_the_switch_comes_back(
    lab: Rack, typed: list[tuple[str, bool]]
) -> None:
    state = await begun(lab)
    assert not any(drained for _, drained in typed)  # a switch that is new carries no traffic
    typed.clear()
    await change(lab, state)
    assert all(drained for line, drained in typed if line in {"match dscp 24", "mtu 9000", "interface loopback3"})
    assert not lab.leaf.in_maintenance
    assert not any(word in lab.running() for word in ("isolate", "maintenance", "podwrightdrain"))
    assert lab.startup() == lab.running()
    live = await lab.kind.read("leaf-01", inputs(SECOND, role="spine"), state, lab.context())
    assert live is not None
    assert live.inputs == inputs(SECOND, role="spine")


async def test_a_leaf_is_never_drained(lab: Rack, typed: list[tuple[str, bool]]) -> None:
    made = await lab.up(inputs(FIRST))
    await lab.kind.update("leaf-01", inputs(SECOND), inputs(FIRST), made.outputs, draining(lab))
    assert not any(drained for _, drained in typed)


async def test_a_change_that_is_refused_brings_the_switch_back_into_service(lab: Rack) -> None:
    state = await begun(lab)
    first = lab.running()
    lab.leaf.faults.refuse = {"ip address 10.0.0.3/32": "ERROR: busy"}
    with pytest.raises(ProviderError, match="the switch is as it was before"):
        await change(lab, state)
    assert lab.running() == first


async def test_a_switch_that_cannot_be_drained_is_not_written(lab: Rack) -> None:
    state = await begun(lab)
    first = lab.running()
    lab.leaf.faults.deny = ["system mode"]
    with pytest.raises(ProviderError, match="nothing was written, for 'system mode maintenance' was refused"):
        await change(lab, state)
    assert lab.running() == first


@pytest.mark.rough
async def test_killed_at_any_line_the_next_run_completes_and_brings_it_back(
    lab: Rack, typed: list[tuple[str, bool]]
) -> None:
    state = await begun(lab)
    first = lab.running()
    typed.clear()
    await change(lab, state)
    total, intended = len(typed), lab.running()
    for line in moments(total):
        await change(lab, state, FIRST, SECOND)
        assert lab.running() == first, line
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, line)
            with pytest.raises(KilledError):
                await change(lab, state)
        await change(lab, state)
        assert lab.running() == intended, line
        assert lab.startup() == intended, line
        assert not lab.leaf.in_maintenance, line


async def test_a_person_s_maintenance_mode_is_left_to_the_person(lab: Rack) -> None:
    await lab.kind.create(inputs(SMALL, role="spine"), draining(lab))
    lab.edit("system mode maintenance")
    state: dict[str, Any] = {"found": {}}
    await lab.kind.update("leaf-01", inputs(CHANGED, role="spine"), inputs(SMALL, role="spine"), state, draining(lab))
    assert lab.leaf.in_maintenance
    assert "10.0.0.3/32" in lab.running()
