"""BMCs that get their first requests at the same time, as in every update of a site, are all built."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from podwright.lab.redfish.bmc import Controller
from podwright.lab.redfish.restarts import Restarts
from podwright.lab.redfish.sessions import Sessions
from podwright.lab.redfish.systems import WorldSystem
from podwright.lab.world.model import World
from tests.lab.bench import make_world
from tests.lab.redfish.conftest import WORLD

ENVIRON = {
    "REQUEST_METHOD": "GET",
    "PATH_INFO": "/redfish/v1/",
    "SERVER_NAME": "x",
    "SERVER_PORT": "80",
    "wsgi.url_scheme": "http",
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made, _ = make_world(tmp_path, WORLD + "variants: {logins: sessions, settings: task}\n")
    yield made
    made.close()


def test_bmcs_that_are_built_at_the_same_time_do_not_disturb_each_other(world: World, tmp_path: Path) -> None:
    """Threads change places all the time here: CPython 3.11 does not survive that while two of them parse code."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    server = world.servers["gpu-01"]

    def first(number: int) -> str:
        statuses: list[str] = []
        made = Controller(
            world, WorldSystem(world, server), tmp_path / str(number), Sessions("x", lambda: "y"), Restarts()
        )
        list(made(dict(ENVIRON), lambda status, _headers: statuses.append(status)))
        return statuses[0]

    try:
        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(first, range(64))) == {"200 OK"}
    finally:
        sys.setswitchinterval(interval)
