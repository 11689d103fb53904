"""A picture of the world as plain data, for GET /state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podwright.lab.world.interconnects import carrier
from podwright.lab.world.inventory import Vnic

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
            "interconnects": {
                name: {
                    "model": each.model,
                    "serial": each.serial,
                    "alive": world.interconnect_views[name].alive,
                    "server_ports": sorted(world.interconnect_views[name].configured.server),
                    "uplinks": sorted(world.interconnect_views[name].configured.uplink),
                    "port_modes": {str(n): mode for n, mode in sorted(world.interconnect_views[name].configured.modes)},
                }
                for name, each in world.interconnects.items()
            },
            "servers": {
                name: {
                    "model": server.model,
                    "bmc": server.bmc,
                    "power": world.hosts[name].power,
                    "state": world.hosts[name].state,
                    "boots": world.hosts[name].boots,
                    "medium": world.hosts[name].medium,
                    "fabrics": {
                        nic.name: carrier(world, name, nic) for nic in server.nics.values() if isinstance(nic, Vnic)
                    },
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
