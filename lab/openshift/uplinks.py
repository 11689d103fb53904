"""Hosts that the network has lost: no port of a switch or an interconnect carries their system's traffic any more.

Their kubelet runs and reaches no API, so its lease is not renewed. Which ports carry it is the world's to say: the
host's bond, the cables, and what the switches make of both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from podwright.lab.world.model import World

LOOK_SECONDS = 1.0


class Uplinks:
    """Looks at the hosts of a cluster again and again; a lost one is reported like one without power.

    A host is lost when nothing carries its traffic any more after something did. One that nothing in the world ever
    carried has a management network that the world's cables do not show.
    """

    def __init__(
        self,
        world: World,
        members: Callable[[], Iterable[str]],
        on_power: Callable[[str, str], None],
        back: Callable[[str], None],
    ) -> None:
        self._world, self._members, self._power, self._back = world, members, on_power, back
        self._carried: set[str] = set()
        self.lost: set[str] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="openshift-uplinks", daemon=True)
        self._thread.start()

    def runs(self, server: str) -> bool:
        """True for a host that has power and that the network reaches."""
        return self._world.host(server).power == "On" and server not in self.lost

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            for server in list(self._members()):
                self.look(server)

    def look(self, server: str) -> None:
        """Compare what carries a host with what carried it at the last look."""
        host = self._world.host(server)
        if host.power != "On" or host.state != "running":
            # Whoever has no power is silent for another reason; its next system is looked at from the beginning.
            self._carried.discard(server)
            self.lost.discard(server)
        elif self._world.carries(server):
            self._carried.add(server)
            if server in self.lost:
                self.lost.discard(server)
                self._back(server)
        elif server in self._carried and server not in self.lost:
            self.lost.add(server)
            self._power(server, "Off")
