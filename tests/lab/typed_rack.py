"""A cluster whose switches have the plan as typed in by a person: what they do is what they say, and nothing of the
plan."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from podwright.components.design import fabric
from podwright.components.model import Cluster
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.world.model import World
from tests.design.fabric.test_on_switch import typed


def rack(cluster: Cluster, described: Mapping[str, Any], folder: Path) -> tuple[World, dict[str, Session]]:
    """The world as `described`, and a terminal on each of its switches, by name."""
    (folder / "world.yaml").write_text(yaml.safe_dump(described))
    stood = World.load(folder / "world.yaml")
    devices = {
        name: build(stood, each, "admin", "Lab-Passw0rd", "192.0.2.254") for name, each in stood.switches.items()
    }
    sessions = {}
    for switch in fabric.plan(cluster.network).switches:
        device = devices[switch.hostname]
        device.peers = devices
        stood.attach_switch(switch.hostname, LiveView(device))
        sessions[switch.hostname] = Session(device, quiet=True)
        for line in typed(switch):
            sessions[switch.hostname].run(line)
    return stood, sessions
