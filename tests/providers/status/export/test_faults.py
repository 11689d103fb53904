"""Switches that are cut, slow, mute or talk nonsense: the others stand, and nothing stale stays."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from podwright.components.providers.nxos.read import metrics as known
from podwright.components.providers.status.export import metrics
from podwright.components.providers.status.export.collector import SwitchCollector
from podwright.lab.nxos.session import Session as Console
from podwright.lab.nxos.side import NxosSide
from podwright.lab.world.model import World
from tests.providers.status.export.grammar import read, value
from tests.providers.status.export.look import ACCESS, TARGETS, scraped


def test_a_cut_switch_is_down_in_time_its_series_vanish_and_come_back(planned: tuple[NxosSide, World]) -> None:
    _, world = planned
    collector = SwitchCollector(TARGETS, ACCESS, os.environ)
    asyncio.run(collector.once())
    world.fault({"kind": "switch", "switch": "leaf-02", "state": "down"})
    asyncio.run(collector.once())
    gone = read(collector.text())
    assert value(gone, "podwright_switch_up", switch="leaf-02") == 0
    assert value(gone, "podwright_switch_up", switch="leaf-01") == 1
    left = {name for name, has in gone if ("switch", "leaf-02") in has}
    assert left == {each.name for each in (metrics.UP, metrics.DURATION, metrics.AGE, metrics.PORT_INFO)}
    down = [v for (name, has), v in gone.items() if name == "podwright_bgp_neighbor_up" and ("peer", "leaf-02") in has]
    assert down and set(down) == {0}
    world.fault({"kind": "switch", "switch": "leaf-02", "state": "up"})
    asyncio.run(collector.once())
    assert value(read(collector.text()), "podwright_switch_up", switch="leaf-02") == 1


def test_a_session_lost_in_the_middle_leaves_no_half_look(planned: tuple[NxosSide, World]) -> None:
    _, world = planned
    world.fault({"kind": "ssh-cut", "switch": "leaf-01", "after": 4})
    series, collector = scraped()
    assert "the session ended at" in collector.looks["leaf-01"].problem
    assert value(series, "podwright_switch_up", switch="leaf-01") == 0
    assert value(series, "podwright_port_up", switch="leaf-01", port="Ethernet1/1") is None
    assert value(series, "podwright_port_up", switch="leaf-02", port="Ethernet1/1") == 1


def test_a_slow_switch_keeps_nobody_waiting(planned: tuple[NxosSide, World]) -> None:
    _, world = planned
    world.fault({"kind": "ssh-slow", "switch": "spine-01", "seconds": 1.2})
    started = time.monotonic()
    series, collector = scraped(patience=6)
    assert time.monotonic() - started < 12
    assert collector.looks["spine-01"].problem.endswith("within 6 s")
    assert [value(series, "podwright_switch_up", switch=each.name) for each in TARGETS] == [1, 1, 0]
    assert (value(series, "podwright_switch_scrape_duration_seconds", switch="leaf-01") or 9) < 6


async def test_a_log_in_that_is_given_up_leaves_no_line_of_the_switch_taken(
    planned: tuple[NxosSide, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A switch slower than our patience must not lose a terminal line to every look."""
    _, world = planned
    opened: list[asyncssh.SSHClientConnection] = []
    dial = asyncssh.connect

    async def counted(*args: Any, **options: Any) -> asyncssh.SSHClientConnection:
        opened.append(await dial(*args, **options))
        return opened[-1]

    monkeypatch.setattr(asyncssh, "connect", counted)
    world.fault({"kind": "ssh-slow", "switch": "spine-01", "seconds": 1.2})
    spine = next(each for each in TARGETS if each.name == "spine-01")
    collector = SwitchCollector([spine], ACCESS, os.environ, patience=1.5)
    await collector.once()
    assert collector.looks["spine-01"].problem.endswith("within 1.5 s")
    assert [each.is_closed() for each in opened] == [True], "it had logged in, and hung up"
    world.fault({"kind": "ssh-slow", "switch": "spine-01", "seconds": 0})
    healthy = SwitchCollector([spine], ACCESS, os.environ)
    await healthy.once()
    assert not healthy.looks["spine-01"].problem
    assert [each.is_closed() for each in opened] == [True, True]


def test_a_switch_that_takes_the_call_and_says_nothing_is_given_up(
    planned: tuple[NxosSide, World], tmp_path: Path
) -> None:
    reach = json.loads((tmp_path / "reach.json").read_text())
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        reach["forward"][f"{TARGETS[0].management}:22"] = f"127.0.0.1:{mute.getsockname()[1]}"
        (tmp_path / "reach.json").write_text(json.dumps(reach))
        started = time.monotonic()
        series, collector = scraped(patience=6)
    assert time.monotonic() - started < 12
    assert collector.looks["leaf-01"].problem.endswith("within 6 s")
    assert [value(series, "podwright_switch_up", switch=each.name) for each in TARGETS] == [0, 1, 1]


def test_one_refused_or_malformed_answer_is_an_error_of_its_command(
    planned: tuple[NxosSide, World], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    side, world = planned
    world.fault({"kind": "ssh-error", "switch": "leaf-01", "line": "show interface transceiver", "message": "% busy"})
    device, garbled = side.devices["leaf-02"], '{"TABLE_interface": {"ROW_interface": ["'
    honest = Console.run

    def lies(self: Console, line: str) -> str:
        if self.device is device and line.strip() == known.ERRORS:
            return garbled + "\n"
        return honest(self, line)

    monkeypatch.setattr(Console, "run", lies)
    series, _ = scraped()
    error = "podwright_switch_command_error"
    assert value(series, error, switch="leaf-01", command=known.OPTICS) == 1
    assert value(series, error, switch="leaf-01", command=known.ERRORS) == 0
    assert value(series, error, switch="leaf-02", command=known.ERRORS) == 1
    assert value(series, "podwright_switch_up", switch="leaf-02") == 1
    first = {"port": "Ethernet1/1"}
    assert value(series, "podwright_port_fcs_errors_total", switch="leaf-02", **first) is None
    assert value(series, "podwright_port_fcs_errors_total", switch="leaf-01", **first) == 0
    told = capsys.readouterr().err.splitlines()
    assert f"leaf-02: `{known.ERRORS}`: it is no JSON" in told
