"""The example of a chassis on the lab that is made from its stack file: blades behind it with pooled UUIDs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.cli import world as worlds
from podwright.components import model
from podwright.components.design.compute import role
from podwright.components.providers.intersight import account as accounts
from podwright.lab.intersight.side import start
from tests.lab.bench import make_world
from tests.providers.intersight.conftest import Stand
from tests.providers.intersight.wave import Wave
from tools.generated import ROOT

pytestmark = pytest.mark.rough

CLUSTER = model.load(ROOT / "tests/examples/chassis/Pulumi.chassis.yaml")
BLADES = ("inf-11", "inf-12", "big-14")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Stand]:
    world, lab = make_world(tmp_path, worlds.text(CLUSTER))
    side = start(world, lab)
    side.fault({"validate": 0.02, "configure": 0.02, "discovery": 0.05})
    accounts._clients.clear()
    yield Stand(side, world, lab)
    side.stop()
    world.close()


async def test_it_comes_up_and_a_second_run_writes_nothing(site: Stand) -> None:
    assert CLUSTER.intersight is not None
    plan = role(CLUSTER.name, CLUSTER.servers, CLUSTER.domains, CLUSTER.intersight, CLUSTER.site, None)
    wave = Wave(site, plan)
    assert await wave.up() == []
    assert await wave.drift() == {}
    writes = site.side.writes
    assert await wave.up() == [] and site.side.writes == writes
    box = site.live("chassis.Profile", "x-1")
    assert box["ConfigContext"]["ConfigState"] == "Associated"
    leased = {name: site.live("server.Profile", name)["Uuid"] for name in BLADES}
    assert len(set(leased.values())) == len(BLADES)
    assert not site.live("server.Profile", "inf-13")["Uuid"]
    addresses = [mo["AssignedToEntity"]["ObjectType"] for mo in site.store.of("ippool.IpLease")]
    assert sorted(addresses) == ["chassis.Profile", *["server.Profile"] * 4]
