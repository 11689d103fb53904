"""The plugin as the engine starts it: a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.protocol import server
from podwright.components.providers.protocol.values import encode

SWITCH = "podwright:nxos:Switch"


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with subprocess.Popen(
        [sys.executable, "-m", "podwright.components.package", "127.0.0.1:1"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
        process.kill()


async def test_it_prints_its_port_and_serves_from_any_folder(plugin: tuple[subprocess.Popen[str], int]) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{plugin[1]}") as channel:
        stub = provider_pb2_grpc.ResourceProviderStub(channel)
        assert (await stub.GetPluginInfo(empty_pb2.Empty())).version
        request = provider_pb2.CheckRequest(
            urn=f"urn:pulumi:lab::podwright::{SWITCH}::leaf-01", type=SWITCH, news=encode({"spec": {"schema": 1}})
        )
        reasons = [failure.reason for failure in (await stub.Check(request)).failures]
        assert any(reason.startswith("spec.hostname: ") for reason in reasons)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_leaves_at_once_when_nothing_is_under_way(
    plugin: tuple[subprocess.Popen[str], int], number: signal.Signals
) -> None:
    plugin[0].send_signal(number)
    assert plugin[0].wait(timeout=5) == 0


async def test_it_leaves_when_the_engine_is_gone(monkeypatch: pytest.MonkeyPatch, capsys: object) -> None:
    monkeypatch.setattr(server, "_LOOK", 0.02)
    engine = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    port = engine.sockets[0].getsockname()[1]
    serving = asyncio.create_task(server.serve([f"127.0.0.1:{port}"]))
    await asyncio.sleep(0.3)
    assert not serving.done()
    engine.close()
    await engine.wait_closed()
    await asyncio.wait_for(serving, 10)


async def test_it_leaves_with_the_engine_although_somebody_else_was_given_its_port(
    monkeypatch: pytest.MonkeyPatch, capsys: object
) -> None:
    monkeypatch.setattr(server, "_LOOK", 0.02)
    somebody = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    port = somebody.sockets[0].getsockname()[1]
    parent = os.getppid()
    serving = asyncio.create_task(server.serve([f"127.0.0.1:{port}"]))
    await asyncio.sleep(0.3)
    assert not serving.done()
    monkeypatch.setattr(os, "getppid", lambda: parent + 1)
    await asyncio.wait_for(serving, 10)
    somebody.close()
    await somebody.wait_closed()


async def test_it_leaves_with_an_engine_that_is_killed_as_soon_as_it_has_the_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "_LOOK", 0.02)
    somebody = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    parents = [os.getppid()]
    monkeypatch.setattr(os, "getppid", lambda: parents[-1])
    monkeypatch.setattr(server, "print", lambda *_port, flush: parents.append(1), raising=False)
    serving = asyncio.create_task(server.serve([f"127.0.0.1:{somebody.sockets[0].getsockname()[1]}"]))
    await asyncio.wait_for(serving, 10)
    somebody.close()
    await somebody.wait_closed()
