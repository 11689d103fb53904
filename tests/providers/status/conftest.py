from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.components.design import fabric
from podwright.lab.nxos.side import NxosSide, start
from podwright.lab.pki import Authority
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World
from tests.lab.rack import LAB, ROOT
from tests.providers.status.export.look import CLUSTER


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[NxosSide, World]]:
    """The lab's three switches behind real SSH with the plan of the lab's stack file typed in."""
    context = LabContext(tmp_path, tmp_path / "secrets", Authority(tmp_path / "pki", "test"), tmp_path / "logs")
    world = World.load(LAB)
    side = start(world, context)
    for switch in fabric.plan(CLUSTER.network).switches:
        lines = ["configure terminal", *switch.text().splitlines()]
        answer = world.fault({"kind": "cli", "switch": switch.hostname, "lines": lines})
        assert answer["output"] == ""
    for host in world.hosts.values():
        host.power = "On"
    known_hosts = tmp_path / "known_hosts"
    known_hosts.write_text("\n".join(context.known_hosts) + "\n")
    reach = {"forward": side.forward, "known_hosts": str(known_hosts), "secrets": str(tmp_path / "secrets")}
    (tmp_path / "reach.json").write_text(json.dumps(reach))
    monkeypatch.setenv("PODWRIGHT_REACH", str(tmp_path / "reach.json"))
    monkeypatch.chdir(ROOT)
    yield side, world
    side.stop()
    world.close()
