"""Sets of settings that every switch of a site should have, by release: what is in a set never changes.

Sources: Cisco Guide to Securing NX-OS Software Devices; Nexus 9000 security, system management, layer 2 switching and
fundamentals configuration guides, 10.x. What only the site knows (who manages the switches, time zone, text of the
banner) is in `fabric.baseline`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class BaselineSet:
    """One release of the baseline."""

    copp: str
    """Control-plane policing profile."""
    banner: str
    """Text shown before log-in where the site writes none of its own."""
    terminal_minutes: int
    """Minutes after which an idle terminal session ends."""
    recovered: tuple[str, ...]
    """Causes for which a port that the switch took down comes back by itself, after NX-OS's own 300 s."""
    storm_percent: int
    """Share of a switched host port's speed that broadcasts may have, and multicasts; RoCE is unicast and has no
    limit."""
    root_priority: int
    """Spanning-tree priority of both peers of a pair, so that no switch that somebody plugs in becomes the root."""
    sensors: tuple[str, ...]
    """Parts of the switch's object model (DME) that telemetry sends."""
    ttl_hops: int
    """Hops from which packets of an eBGP session may come: a neighbour sends 255 and one beyond it cannot."""


BASELINES: Mapping[str, BaselineSet] = {
    "2026.11": BaselineSet(
        copp="strict",
        banner="Authorised use only. Access is logged.",
        terminal_minutes=15,
        recovered=("bpduguard", "failed-port-state", "link-flap"),
        storm_percent=1,
        root_priority=4096,
        sensors=("sys/bgp", "sys/ch", "sys/intf", "sys/ipqos"),
        ttl_hops=1,
    ),
}
"""Sets by release."""
