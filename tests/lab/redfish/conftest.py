from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from podwright.lab.redfish import restarts
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
    gpus: {product: NVIDIA-H200, count: 8}
    nics: {rail0: {gbps: 400, mac: "02:00:00:01:01:00"}}
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


class Bench(NamedTuple):
    world: World
    side: RedfishSide
    lab: LabContext

    def url(self, server: str) -> str:
        return f"https://{self.side.forward[f'{self.world.servers[server].bmc}:443']}"

    @property
    def password(self) -> str:
        return (self.lab.secrets / "bmc-secret").read_text()

    @property
    def ca(self) -> str:
        return str(self.lab.ca.path)


@pytest.fixture
def bench(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The lab; its parameter, where a test gives one, are variants and their forms."""
    variants = f"variants: {request.param}\n" if hasattr(request, "param") else ""
    world, lab = make_world(tmp_path, WORLD + variants)
    side = start(world, lab)
    side.fault({"power_seconds": 0.05})
    yield Bench(world, side, lab)
    side.stop()
    world.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client has time to see the end of a task before the BMC restarts, which then is soon over."""
    monkeypatch.setattr(restarts, "GRACE_SECONDS", 0.5)
    monkeypatch.setattr(restarts, "SECONDS", 0.2)
