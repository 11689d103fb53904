"""Pushes that go wrong under a plugin that is a real process, spoken to as the engine speaks to it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol.values import decode, encode
from podwright.lab.nxos.session import Session
from tests.providers.nxos.moments import moments
from tests.providers.nxos.rack import Rack, inputs, without_net
from tests.providers.nxos.test_push import CHANGED, SMALL

pytestmark = pytest.mark.rough

TYPE = "podwright:nxos:Switch"
URN = f"urn:pulumi:lab::podwright::podwright:fabric:Fabric${TYPE}::leaf-01"


class Plugin:
    """The plugin's process and its stub."""

    def __init__(self, process: subprocess.Popen[str], stub: Any) -> None:
        self.process = process
        self._stub = stub

    async def create(self, config: dict[str, str]) -> dict[str, Any]:
        request = provider_pb2.CreateRequest(urn=URN, type=TYPE, properties=encode(inputs(config)))
        return dict(decode((await self._stub.Create(request)).properties))

    async def update(self, old: dict[str, str], new: dict[str, str], state: dict[str, Any]) -> None:
        request = provider_pb2.UpdateRequest(
            id="leaf-01", urn=URN, type=TYPE,
            old_inputs=encode(inputs(old)), news=encode(inputs(new)), olds=encode(state),
        )  # fmt: skip
        await self._stub.Update(request)


def _started(reach: Path) -> subprocess.Popen[str]:
    environ = {"PODWRIGHT_REACH": str(reach)}
    command = [sys.executable, "-m", "podwright.components.package", "127.0.0.1:1"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)


@asynccontextmanager
async def plugin(reach: Path) -> AsyncIterator[Plugin]:
    """A plugin as the engine starts it."""
    process = _started(reach)
    try:
        assert process.stdout is not None
        port = int(await asyncio.to_thread(process.stdout.readline))
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = provider_pb2_grpc.ResourceProviderStub(channel)
            given = {
                "credentials": {"user": "admin", "secret": "switch-admin"},
                "changes": {"limit": "two-ended"},
            }
            await stub.Configure(provider_pb2.ConfigureRequest(args=encode(given), acceptSecrets=True))
            yield Plugin(process, stub)
    finally:
        process.kill()
        process.wait()
        process.stdout and process.stdout.close()


@pytest.fixture
def reach(lab: Rack, tmp_path: Path) -> Path:
    lab.write_reach(tmp_path / "reach.json")
    return tmp_path / "reach.json"


class Killer:
    """Kills a plugin the moment the switch is about to take its n-th line."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines = 0
        self.victim: subprocess.Popen[str] | None = None
        self.at = -1
        real, killer = Session.run, self

        def watched(session: Session, line: str) -> str:
            if session.user == "admin":
                if killer.lines == killer.at and killer.victim is not None:
                    killer.victim.kill()
                killer.lines += 1
            return real(session, line)

        monkeypatch.setattr(Session, "run", watched)

    def aim(self, victim: subprocess.Popen[str], at: int) -> None:
        self.victim, self.at, self.lines = victim, at, 0


async def test_a_plugin_killed_at_every_line_and_started_anew_completes(
    lab: Rack, reach: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(monkeypatch)
    async with plugin(reach) as one:
        state = await one.create(SMALL)
        first = lab.running()
        killer.lines = 0
        await one.update(SMALL, CHANGED, state)
        total, intended = killer.lines, lab.running()
        await one.update(CHANGED, SMALL, state)
        assert lab.running() == first
    assert total > 40
    for line in moments(total, 1):
        async with plugin(reach) as one:
            killer.aim(one.process, line)
            with pytest.raises(grpc.aio.AioRpcError):
                await one.update(SMALL, CHANGED, state)
            killer.at = -1
        theirs = f"description after line {line}"
        lab.edit("interface Ethernet1/9", theirs)
        async with plugin(reach) as one:
            await one.update(SMALL, CHANGED, state)
            assert _without(lab.running(), theirs) == intended.splitlines(), line
            assert lab.leaf.checkpoints == {}, line
            await one.update(CHANGED, SMALL, state)
            assert _without(lab.running(), theirs) == first.splitlines(), line
        lab.edit("default interface Ethernet1/9")


def _without(running: str, theirs: str) -> list[str]:
    """A configuration without somebody else's line, which must be there."""
    assert f"  {theirs}" in running.splitlines()
    return [line for line in running.splitlines() if line != f"  {theirs}"]


async def failed(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.details() or ""


async def test_each_fault_is_one_sentence_and_leaves_the_switch_as_it_was(lab: Rack, reach: Path) -> None:
    async with plugin(reach) as one:
        state = await one.create(SMALL)
        first, faults = lab.running(), lab.leaf.faults
        lab.leaf.clock.offset = 0.0

        faults.refuse = {"ip address 10.0.0.3/32": "% Hardware programming failed"}
        said = await failed(one.update(SMALL, CHANGED, state))
        assert "refused 'ip address 10.0.0.3/32': % Hardware programming failed; what had been written was" in said
        assert lab.running() == first

        faults.refuse |= {"no class-map type qos match-any CNP": "ERROR: busy"}
        assert "rolled back to how it was before" in await failed(one.update(SMALL, CHANGED, state))
        assert lab.running() == first

        faults.rollback_fails = True
        said = await failed(one.update(SMALL, CHANGED, state))
        assert "taking it back failed too" in said
        assert "the switch goes back to it by itself" in said
        faults.refuse, faults.rollback_fails = {}, False
        lab.leaf.clock.offset += 3600
        lab.leaf.tick()
        assert without_net(lab.running()) == without_net(first)

        faults.deny = ["class"]
        assert "the AAA server does not permit this to user admin" in await failed(one.update(SMALL, CHANGED, state))
        faults.deny = []
        assert lab.running() == first

        faults.delay = 0.02
        await one.update(SMALL, CHANGED, state)
        assert "10.0.0.3/32" in lab.running()


async def test_a_wrong_host_key_stops_before_anything_is_said(lab: Rack, tmp_path: Path) -> None:
    text = lab.reach.known_hosts.read_text()
    swapped = tmp_path / "swapped"
    swapped.write_text(
        text.replace("192.0.2.11 ", "x ").replace("192.0.2.12 ", "192.0.2.11 ").replace("x ", "192.0.2.12 ")
    )
    lab.write_reach(tmp_path / "reach.json", swapped)
    async with plugin(tmp_path / "reach.json") as one:
        assert "the host key that 192.0.2.11 shows is not the one in" in await failed(one.create(SMALL))
    assert lab.side.writes == 0
