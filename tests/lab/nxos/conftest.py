"""A lab of switches over real SSH, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from podwright.lab.nxos.side import NxosSide, start
from podwright.lab.pki import Authority
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World
from tests.lab.rack import LAB, SWITCHED


@dataclass
class Switches:
    """What a client needs to log in, and the side to look inside."""

    side: NxosSide
    world: World
    password: str
    known_hosts: list[str]

    def port(self, address: str = "192.0.2.11") -> int:
        return int(self.side.forward[f"{address}:22"].rpartition(":")[2])


@pytest.fixture(scope="module")
def switches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switches]:
    folder: Path = tmp_path_factory.mktemp("lab")
    world = World.load(LAB, variants=SWITCHED)
    context = LabContext(folder, folder / "secrets", Authority(folder / "pki", "test"), folder / "logs")
    side = start(world, context)
    yield Switches(side, world, context.secret("switch-admin"), context.known_hosts)
    side.stop()
    world.close()
