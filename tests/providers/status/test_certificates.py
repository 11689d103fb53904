"""What a controller shows: its own certificate, and the one that a deployed profile brought; seen without trust."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.components.providers.reach import Reach
from podwright.components.providers.status import certificates, servers
from podwright.components.providers.status.certificates import parsed
from podwright.lab.redfish.side import start
from tests.certificates import made
from tests.design.compute.test_certificates import POLICY
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand, standing
from tests.providers.intersight.test_certificates import driver

ADDRESS = "192.0.2.111"
SERVER = {"name": "cp-01", "address": ADDRESS, "serial": "WZP00000011", "credential": "bmc-secret"}


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Stand, Reach]]:
    """An account and the controllers of the servers in it."""
    with standing(tmp_path) as stand:
        side = start(stand.world, stand.lab)
        yield stand, Reach(forward=side.forward, ca=stand.lab.ca.path, secrets=stand.lab.secrets)
        side.stop()


async def test_a_controller_shows_what_its_profile_brought(both: tuple[Stand, Reach]) -> None:
    stand, reach = both
    pem, key = made("cp-01", -30, 20)
    before = await certificates.shown(ADDRESS, reach, 20)
    assert before is not None
    policy = driver(stand, pem, 1, **{"imc-key": key})
    await policy.create()
    bucket = ((POLICY, policy.spec["name"]),)
    await Driver(stand, BY_TOKEN["ServerProfile"], specs.profile(*bucket)).create()
    after = await certificates.shown(ADDRESS, reach, 20)
    assert after == parsed(pem) != before


async def test_only_a_server_with_a_certificate_in_the_file_is_asked_for_it(both: tuple[Stand, Reach]) -> None:
    _, reach = both
    asked = await servers.look({**SERVER, "certificate": True}, "admin", reach, 20, 20)
    assert asked.certificate is not None
    assert asked.certificate == await certificates.shown(ADDRESS, reach, 20)
    assert (await servers.look(SERVER, "admin", reach, 20, 20)).certificate is None


@pytest.mark.parametrize("text", [b"", b"HTTP/1.1 400 no\r\n\r\n", None])
async def test_what_shows_no_certificate_shows_none_and_ends_in_time(text: bytes | None) -> None:
    """`None`: whatever listens there never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        reach = Reach(forward={f"{ADDRESS}:443": f"127.0.0.1:{port}"})
        if text is None:
            begun = time.monotonic()
            assert await certificates.shown(ADDRESS, reach, 0.5) is None
            assert time.monotonic() - begun < 15
            return
        asked = asyncio.create_task(certificates.shown(ADDRESS, reach, 20))
        connection, _ = await asyncio.to_thread(listening.accept)
        with connection:
            connection.sendall(text)
        assert await asked is None
