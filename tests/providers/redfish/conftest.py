from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from podwright.components.providers.protocol.kind import Context
from podwright.components.providers.reach import Reach
from podwright.lab.redfish.side import RedfishSide, start
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World
from tests.lab.bench import make_world

WORLD = """
name: bench
servers:
  gpu-01:
    model: UCSC-885A-M8
    serial: WZP00000001
    uuid: 00000000-0000-4000-8000-000000000001
    bmc: 192.0.2.101
    boot_mac: "02:00:00:00:01:01"
    cpu: {vendor: amd, sockets: 2, cores: 64}
    memory_gib: 2304
  cp-01:
    model: UCSC-C240-M7
    serial: WZP00000011
    uuid: 00000000-0000-4000-8000-000000000011
    bmc: 192.0.2.111
    boot_mac: "02:00:00:00:00:01"
    cpu: {vendor: intel, sockets: 2, cores: 32}
timing: {post_seconds: 0.05}
credentials: {bmc: {user: operator, secret: bmc-secret}}
"""


@dataclass
class Stand:
    """Lab BMCs and what the kind needs to reach them."""

    side: RedfishSide
    world: World
    lab: LabContext
    said: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)

    def context(self, **secrets: str) -> Context:
        reach = Reach(forward=self.side.forward, ca=self.lab.ca.path, secrets=self.lab.secrets)
        config = {"credentials": {"user": "operator", "secret": "bmc-secret"}, "secrets": secrets}
        return Context(config=config, reach=reach, log=self.said.append, warn=self.warned.append)

    def boot(self, server: str) -> None:
        """Power the machine through a reset and wait for the end of its self-test."""
        before = self.world.host(server).boots
        self.world.power(server, "ForceRestart")
        for _ in range(200):
            if self.world.host(server).boots > before:
                return
            threading_wait()
        raise AssertionError(f"{server} did not boot")


def threading_wait() -> None:
    import time

    time.sleep(0.02)


@pytest.fixture
def stand(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stand]:
    """The lab; its parameter, where a test gives one, is a variant and its form."""
    variants = f"variants: {request.param}\n" if hasattr(request, "param") else ""
    world, lab = make_world(tmp_path, WORLD + variants)
    side = start(world, lab)
    side.fault({"power_seconds": 0.05})
    yield Stand(side, world, lab)
    side.stop()
    world.close()
