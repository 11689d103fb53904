"""Blades behind Fabric Interconnects: known once the domain's server ports are up, and not before."""

from __future__ import annotations

from podwright.lab.intersight import effects
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.inventory import Inventory
from podwright.lab.intersight.store import Mo, Store


class Discovery:
    """Told of every profile that is in force; a switch profile with server ports starts the discovery, once.

    `seconds` from there until the blades are listed, and again until they are discovered: 10 to 30 minutes in a rack.
    """

    def __init__(self, store: Store, clock: Clock, inventory: Inventory) -> None:
        self._store = store
        self._clock = clock
        self._inventory = inventory
        self._begun = False
        self.seconds = 0.2

    def in_force(self, profile: Mo) -> None:
        """A profile is Associated."""
        if self._begun or profile["ObjectType"] != "fabric.SwitchProfile" or not self._server_ports(profile):
            return
        self._begun = True
        self._clock.after(self.seconds, self._listed)

    def _server_ports(self, profile: Mo) -> bool:
        policy = effects.policies(self._store, profile).get("fabric.PortPolicy")
        roles = effects.closure(self._store, policy) if policy else ()
        return any(mo["ObjectType"] == "fabric.ServerRole" for mo in roles)

    def _listed(self) -> None:
        self._inventory.discover()
        self._clock.after(self.seconds, self._inventory.discovered)
