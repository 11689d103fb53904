"""How long the screen waits for a switch: briefly for a connection, and long enough for one that is there and busy."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest

from podwright.cli.status import switch_spec
from podwright.components.design import fabric
from podwright.components.providers.nxos import login
from podwright.components.providers.status import live
from podwright.components.providers.status.switches import SwitchSeen
from podwright.lab.nxos.side import NxosSide
from podwright.lab.world.model import World
from tests.providers.status.export.look import CLUSTER

LEAF = next(each for each in fabric.plan(CLUSTER.network).switches if each.hostname == "leaf-01")
SPEC = switch_spec(CLUSTER, LEAF)


def look(reading: float) -> SwitchSeen:
    wanted = live.Wanted((SPEC,), CLUSTER.fabric.user, (), "", None)
    return asyncio.run(live.look(wanted, os.environ, reading)).switches["leaf-01"]


def test_a_busy_switch_is_read_to_its_end(planned: tuple[NxosSide, World], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers together take longer than a connection may."""
    _, world = planned
    monkeypatch.setattr(live, "THERE", 0.5)
    world.fault({"kind": "ssh-slow", "switch": "leaf-01", "seconds": 0.3})
    assert look(30.0).problem == ""
    late = look(0.3)
    assert "took the connection, and has not shown everything within" in late.problem


def test_a_switch_that_takes_no_connection_is_gone_soon(
    planned: tuple[NxosSide, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    async def called(host: str, port: int, limit: float) -> socket.socket:
        limits.append(limit)
        raise TimeoutError

    monkeypatch.setattr(login, "called", called)
    assert SPEC["management"] in look(30.0).problem
    assert limits == [live.THERE]
