"""Servers whose NICs somebody has set up for RoCE, where a test is about switches and no operator does it."""

from podwright.lab.world.model import World


def prepared(world: World, priority: int = 3) -> World:
    """Trust and pause on `priority`, and an MTU of 9000, on every NIC of the world."""
    with world.lock:
        for server in world.servers.values():
            for nic in server.nics.values():
                nic.trust_dscp, nic.pfc, nic.mtu = True, frozenset({priority}), 9000
    return world
