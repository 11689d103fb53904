"""The rack of two tenants, its switches configured by the plan as typed in by a person: what keeps them apart is what
the switches say, and nothing of the plan."""

from pathlib import Path

import yaml

from podwright.cli.world import world
from podwright.components.design import fabric
from podwright.components.model import Cluster, load
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.world.model import World
from tests.design.fabric.test_on_switch import typed
from tools.generated import ROOT

STACK: Cluster = load(ROOT / "tests/examples/vrf/Pulumi.tenants.yaml")


def rack(folder: Path) -> tuple[World, dict[str, Session]]:
    """The world, and a terminal on each of its switches."""
    described = world(STACK)
    # The tests' operators are those of the lab's own release.
    del described["cluster"]["openshift"]
    (folder / "world.yaml").write_text(yaml.safe_dump(described))
    stood = World.load(folder / "world.yaml")
    address = "192.0.2.254"
    devices = {name: build(stood, said, "admin", "Lab-Passw0rd", address) for name, said in stood.switches.items()}
    sessions = {}
    for switch in fabric.plan(STACK.network).switches:
        device = devices[switch.hostname]
        device.peers = devices
        stood.attach_switch(switch.hostname, LiveView(device))
        sessions[switch.hostname] = Session(device, quiet=True)
        for line in typed(switch):
            sessions[switch.hostname].run(line)
    return stood, sessions
