"""A picture of the world as plain data, for GET /state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podwright.lab.world.model import World


def snapshot(world: World) -> dict[str, Any]:
    """Switches with their links, servers with power and boot state. Plain JSON types only."""
    with world.lock:
        return {
            "name": world.name,
            "switches": {
                name: {
                    "model": switch.model,
                    "management": switch.management,
                    "alive": name in world.views and world.views[name].alive,
                }
                for name, switch in world.switches.items()
            },
            "servers": {
                name: {
                    "model": server.model,
                    "bmc": server.bmc,
                    "power": world.hosts[name].power,
                    "state": world.hosts[name].state,
                    "boots": world.hosts[name].boots,
                    "medium": world.hosts[name].medium,
                }
                for name, server in world.servers.items()
            },
            "links": [
                {
                    "a": ":".join(cable.a),
                    "b": ":".join(cable.b),
                    "gbps": cable.gbps,
                    "up": world.link_up(*cable.a),
                }
                for cable in world.cables
            ],
        }
