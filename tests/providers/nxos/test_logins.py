"""Logging in to many switches at once: what they share (a AAA server, one processor here) must not time out."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import pytest_asyncio
import yaml

from podwright.components.providers.nxos import login, pool
from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.session import Address
from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import Reach
from podwright.lab.nxos.device import Device
from tests.providers.nxos.rack import WORLD, Rack, rack

MANY = 24


def world(count: int) -> str:
    said = yaml.safe_load(WORLD)
    one = said["switches"]["leaf-01"]
    said["switches"] = {
        f"leaf-{n:02}": one | {"serial": f"FDO{n:08}", "management": f"192.0.2.{10 + n}"} for n in range(1, count + 1)
    }
    return yaml.safe_dump(said | {"cables": []})


@pytest_asyncio.fixture
async def many(tmp_path: Path) -> AsyncIterator[Rack]:
    with rack(tmp_path, world(MANY)) as running:
        yield running


async def log_in(reach: Reach, number: int = 1, host: str = "", sessions: Pool | None = None) -> None:
    address = Address(f"leaf-{number:02}", host or f"192.0.2.{10 + number}", "admin", reach.secret("switch-admin"))
    async with (sessions or Pool()).terminal(address, Context(reach=reach)) as terminal:
        await terminal.open()
        await terminal.hang_up()


async def test_log_ins_that_wait_for_one_slow_aaa_server_do_not_time_out(
    many: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All together need 6 s of it, and each may take 4 s: they must not all ask at once."""
    check = Device.check_password

    def slowly(device: Device, user: str, password: str) -> bool:
        time.sleep(0.25)  # the lab has one thread for all switches: nobody else is served meanwhile
        return check(device, user, password)

    monkeypatch.setattr(Device, "check_password", slowly)

    monkeypatch.setattr(pool, "AT_ONCE", 4)
    monkeypatch.setattr(login, "LOGIN", 4.0)
    sessions = Pool()
    await asyncio.gather(*(log_in(many.reach, number, sessions=sessions) for number in range(1, MANY + 1)))


async def test_a_switch_that_does_not_answer_holds_nobody_up(lab: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    """One log-in at a time, and a dead switch first: the living one is let in while the dead one is still called."""
    monkeypatch.setattr(pool, "AT_ONCE", 1)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf, ExitStack() as callers:
        for _ in range(4):  # a full backlog answers no further call, as a switch without power does not
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(deaf.getsockname())
        forward = {**lab.reach.forward, "192.0.2.200:22": f"127.0.0.1:{deaf.getsockname()[1]}"}
        reach = Reach(forward=forward, known_hosts=lab.reach.known_hosts, secrets=lab.reach.secrets)
        sessions = Pool()
        dead = asyncio.create_task(log_in(reach, host="192.0.2.200", sessions=sessions))
        await asyncio.sleep(0)
        await log_in(reach, sessions=sessions)
        assert not dead.done()
        dead.cancel()
        await asyncio.gather(dead, return_exceptions=True)


async def test_a_switch_that_answers_but_lets_nobody_in_is_not_called_unreachable(
    lab: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login, "LOGIN", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        forward = {"192.0.2.11:22": f"127.0.0.1:{silent.getsockname()[1]}"}
        reach = Reach(forward=forward, known_hosts=lab.reach.known_hosts, secrets=lab.reach.secrets)
        with pytest.raises(ProviderError, match=r"192\.0\.2\.11 answers, but nobody was let in within 0\.3 s.*AAA"):
            await log_in(reach)


async def test_a_corrected_known_hosts_file_counts_at_the_next_log_in(lab: Rack) -> None:
    right = lab.reach.known_hosts.read_text()
    swapped = right.replace("192.0.2.11", "192.0.2.99").replace("192.0.2.12", "192.0.2.11")
    lab.reach.known_hosts.write_text(swapped)
    with pytest.raises(ProviderError, match=r"the host key that 192\.0\.2\.11 shows is not the one"):
        await log_in(lab.reach)
    lab.reach.known_hosts.write_text(right)
    await log_in(lab.reach)
