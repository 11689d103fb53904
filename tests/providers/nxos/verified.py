"""The lab stack's network standing in this process, and everything that is verified of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.nxos.pool import Pool
from podwright.components.providers.nxos.read.expectations import compact
from podwright.components.providers.nxos.read.verification import Verification
from podwright.components.providers.protocol.kind import Incomplete
from tests.providers.nxos.rack import Rack, rack
from tools.generated import ROOT

CLUSTER = model.load(ROOT / "Pulumi.lab.yaml")
PLAN = fabric.plan(CLUSTER.network)
INPUTS: Mapping[str, dict[str, Any]] = {
    f"{switch.hostname}-{stage}": {
        "spec": compact(
            {
                "schema": 1,
                "stage": stage,
                "hostname": switch.hostname,
                "management": str(switch.management),
                "credential": "switch-admin",
                "generation": 1,
                "settle_seconds": 0,
                "interfaces": {name: each.values() for name, each in interfaces.items()},
                "digests": {},
            }
        )
    }
    for switch in PLAN.switches
    for stage, interfaces in fabric.verified(CLUSTER.network, PLAN, switch).items()
}
"""By id."""


class Network:
    """Three switches with the plan typed in, all servers on."""

    def __init__(self, rack: Rack) -> None:
        self.rack = rack
        self.pool = Pool()
        self.kind = Verification(self.pool)
        self.world = rack.leaf.world
        for switch in PLAN.switches:
            self.type(switch.hostname, *switch.text().splitlines())
        for host in self.world.hosts.values():
            host.power = "On"

    def type(self, switch: str, *lines: str) -> None:
        """Somebody types configuration lines."""
        done = self.world.fault({"kind": "cli", "switch": switch, "lines": ["configure terminal", *lines]})
        assert done["output"] == "", done

    async def said(self) -> dict[str, list[str]]:
        """What each verification fails with, by id; those that pass are left out."""
        found = {}
        for id, inputs in INPUTS.items():
            try:
                made = await self.kind.create(inputs, self.rack.context())
            except Incomplete as failed:
                assert failed.id == id
                found[id] = list(failed.reasons)
            else:
                assert made.id == id
        return found

    async def drift(self) -> dict[str, dict[str, Any]]:
        """What a refresh shows, by id and `interface field`."""
        found = {}
        for id, inputs in INPUTS.items():
            read = await self.kind.read(id, copy.deepcopy(inputs), {}, self.rack.context())
            assert read is not None
            apart = self.kind.diff(inputs, read.inputs, {}).changes
            if apart:
                found[id] = {" ".join(map(str, path[3:])): _at(read.inputs, path) for path in apart}
        return found


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@contextmanager
def network(folder: Path) -> Iterator[Network]:
    """The network, taken down at the end."""
    with rack(folder, (ROOT / "lab/worlds/lab.yaml").read_text()) as standing:
        yield Network(standing)
