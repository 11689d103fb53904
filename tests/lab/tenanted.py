"""The rack of two tenants, its switches configured by the plan as typed in by a person."""

from pathlib import Path

from podwright.cli.world import world
from podwright.components.model import Cluster, load
from podwright.lab.nxos.session import Session
from podwright.lab.world.model import World
from tests.lab import typed_rack
from tools.generated import ROOT

STACK: Cluster = load(ROOT / "tests/examples/vrf/Pulumi.tenants.yaml")


def rack(folder: Path) -> tuple[World, dict[str, Session]]:
    """The world, and a terminal on each of its switches."""
    described = world(STACK)
    # The tests' operators are those of the lab's own release.
    del described["cluster"]["openshift"]
    return typed_rack.rack(STACK, described, folder)
