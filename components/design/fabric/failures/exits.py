"""Which peer of a vPC pair reaches which network: both forward what hosts send, whichever the host's bundle picks."""

from collections.abc import Set
from dataclasses import dataclass

from podwright.components.design.fabric.model import Exit, Link

Reach = tuple[str, str]
"""A peer and a network that it reaches."""


@dataclass(frozen=True)
class Exits:
    """The ways out of every pair of a plan."""

    ways: tuple[Exit, ...] = ()

    def stranded(self, gone: Set[str], lost: Set[Link]) -> tuple[Reach, ...]:
        """What each peer that is still there reached before and no longer does: it drops what comes for it."""
        own = {way.link.device for way in self.ways} | {way.other for way in self.ways}
        if own.isdisjoint(gone) and not any(link.role in ("uplink", "peer") for link in lost):
            return ()
        left = self._reached(gone, lost)
        return tuple(sorted(each for each in self._reached(frozenset(), frozenset()) - left if each[0] not in gone))

    def _reached(self, gone: Set[str], lost: Set[Link]) -> set[Reach]:
        """By a peer's own routed links, and by the other's where the pair has a path between them."""
        found: set[Reach] = set()
        for way in self.ways:
            if way.link in lost or way.link.device in gone:
                continue
            found |= {(way.link.device, network) for network in way.networks}
            if way.backup and way.other not in gone and not self._parted(way, lost):
                found |= {(way.other, network) for network in way.networks}
        return found

    def _parted(self, way: Exit, lost: Set[Link]) -> bool:
        """Every cable of the peer link is gone."""
        return bool(way.peer_link) and way.peer_link <= lost
