"""Faults over real SSH: cut sessions, slow and refusing switches, power, reload."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncssh
import pytest

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.world.model import WorldError
from tests.lab.nxos.conftest import Switches


@asynccontextmanager
async def shell(switches: Switches) -> AsyncIterator[Any]:
    """A logged-in terminal without paging; the connection is gone afterwards, however it ended."""
    async with asyncssh.connect(
        "127.0.0.1", switches.port(), username="admin", password=switches.password, known_hosts=None
    ) as connection:
        process = await connection.create_process(term_type="vt100", term_size=(200, 0))
        await until(process, "leaf-01# ")
        await send(process, "terminal length 0")
        yield process


async def until(process: Any, mark: str) -> str:
    text = ""
    while mark not in text:
        piece = await asyncio.wait_for(process.stdout.read(4096), 10)
        if not piece:
            return text + "<closed>"
        text += piece
    return text


async def send(process: Any, line: str) -> str:
    process.stdin.write(line + "\n")
    return await until(process, "# ")


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_a_cut_kills_the_session_in_place_of_the_next_line_and_only_once(switches: Switches, after: int) -> None:
    async with shell(switches) as process:
        await send(process, "configure terminal")
        switches.world.fault({"kind": "ssh-cut", "switch": "leaf-01", "after": after})
        for number in range(after):
            assert "<closed>" not in await send(process, f"vlan {100 + number}")
        with pytest.raises((asyncssh.ConnectionLost, AssertionError)):
            assert "<closed>" not in await send(process, f"vlan {100 + after}")
    assert f"vlan {100 + after}" not in switches.side.devices["leaf-01"].root.children
    async with shell(switches) as again:
        assert "leaf-01(config)" in await send(again, "configure terminal")


async def test_a_cut_may_lose_only_the_answer(switches: Switches) -> None:
    async with shell(switches) as process:
        await send(process, "configure terminal")
        switches.world.fault({"kind": "ssh-cut", "switch": "leaf-01", "after": 0, "taken": True})
        with pytest.raises((asyncssh.ConnectionLost, AssertionError)):
            assert "<closed>" not in await send(process, "vlan 150")
    assert "vlan 150" in switches.side.devices["leaf-01"].root.children


async def test_another_box_at_the_address_shows_another_key(switches: Switches) -> None:
    trusted = asyncssh.import_known_hosts("\n".join(switches.known_hosts))
    port = switches.port("192.0.2.21")
    login: dict[str, Any] = {"username": "admin", "password": switches.password, "known_hosts": trusted}
    async with asyncssh.connect("127.0.0.1", port, host_key_alias="192.0.2.21", **login):
        pass
    await asyncio.to_thread(switches.world.fault, {"kind": "ssh-key", "switch": "spine-01"})
    with pytest.raises(asyncssh.HostKeyNotVerifiable):
        await asyncssh.connect("127.0.0.1", port, host_key_alias="192.0.2.21", **login)


async def test_a_refused_line_leaves_the_rest_alone(switches: Switches) -> None:
    switches.world.fault({"kind": "ssh-error", "switch": "leaf-01", "line": "vlan 200", "message": "% Access denied"})
    async with shell(switches) as process:
        await send(process, "configure terminal")
        assert "% Access denied" in await send(process, "vlan 200")
        assert "%" not in await send(process, "vlan 201")
        switches.world.fault({"kind": "ssh-error", "switch": "leaf-01", "line": "vlan 200"})
        assert "%" not in await send(process, "vlan 200")


async def test_a_slow_switch_is_slow(switches: Switches) -> None:
    async with shell(switches) as process:
        switches.world.fault({"kind": "ssh-slow", "switch": "leaf-01", "seconds": 0.3})
        begun = time.monotonic()
        await send(process, "show clock")
    switches.world.fault({"kind": "ssh-slow", "switch": "leaf-01", "seconds": 0})
    assert time.monotonic() - begun >= 0.3


async def test_a_switch_without_power_drops_sessions_and_comes_back_with_what_was_saved(switches: Switches) -> None:
    async with shell(switches) as process:
        await send(process, "configure terminal")
        await send(process, "vlan 300")
        await asyncio.to_thread(switches.world.fault, {"kind": "switch", "switch": "leaf-01", "state": "down"})
    with pytest.raises(ConnectionRefusedError):
        async with shell(switches):
            pass
    assert switches.world.views["leaf-01"].alive is False
    await asyncio.to_thread(switches.world.fault, {"kind": "switch", "switch": "leaf-01", "state": "up"})
    async with shell(switches) as again:
        running = (await send(again, "show running-config")).splitlines()
        assert [line.strip() for line in running if line.startswith("vlan ")] == ["vlan 1"]


async def test_a_reload_closes_the_door_for_a_while(switches: Switches) -> None:
    view = switches.world.views["leaf-01"]
    async with shell(switches) as process:
        process.stdin.write("reload\n")
        assert "(y/n)" in await until(process, "[n] ")
        process.stdin.write("y\n")
        await wait_for(lambda: not view.alive)
    with pytest.raises((OSError, asyncssh.Error)):
        async with shell(switches):
            pass
    await wait_for(lambda: view.alive)
    await asyncio.sleep(0.2)
    async with shell(switches) as again:
        assert "NXOS: version" in await send(again, "show version")


async def wait_for(true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("did not happen within ten seconds")


def test_a_person_at_the_console_is_another_session(switches: Switches) -> None:
    answer = switches.world.fault({"kind": "cli", "switch": "leaf-02", "lines": ["configure terminal", "vlan 77", "x"]})
    assert "% Invalid command" in answer["output"]
    assert "vlan 77" in switches.side.devices["leaf-02"].root.children


@pytest.mark.parametrize("body", [{"kind": "switch", "switch": "nope"}, {"kind": "nothing"}, {}])
def test_senseless_faults_are_refused(switches: Switches, body: dict[str, str]) -> None:
    with pytest.raises(WorldError):
        switches.world.fault(body)


async def test_a_command_at_which_the_lab_itself_fails_is_refused_and_loud_in_its_log(
    switches: Switches, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(session: Session, found: Found) -> Output:
        raise KeyError("a bug of ours")

    handlers = switches.side.devices["leaf-01"].commands.handlers
    monkeypatch.setitem(handlers, "show_version", broken)
    async with shell(switches) as process:
        assert "ERROR: internal error" in await send(process, "show version")
        assert "leaf-01" in await send(process, "show hostname")
    (found,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert found.getMessage() == "leaf-01 failed at 'show version'"
    assert "a bug of ours" in str(found.exc_info)


async def test_a_client_that_dies_is_no_failure_of_the_lab(
    switches: Switches, caplog: pytest.LogCaptureFixture
) -> None:
    async with asyncssh.connect(
        "127.0.0.1", switches.port(), username="admin", password=switches.password, known_hosts=None
    ) as connection:
        process = await connection.create_process(term_type="vt100", term_size=(200, 0))
        await until(process, "leaf-01# ")
        connection._transport.abort()  # type: ignore[union-attr]
    async with shell(switches) as again:
        assert "leaf-01" in await send(again, "show hostname")
    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == []


def test_what_a_switch_does_by_itself_goes_on_after_a_failure_that_is_loud(
    switches: Switches, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ticks: list[str] = []

    def broken(device: Device) -> None:
        ticks.append(device.switch.name)
        raise KeyError("a bug of ours")

    monkeypatch.setattr(Device, "tick", broken)
    deadline = time.monotonic() + 10
    while ticks.count("leaf-01") < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert ticks.count("leaf-01") >= 3
    assert "what leaf-01 does by itself failed" in caplog.text
