"""Nexus 9000 models: what their front panel offers.

Port counts and speeds: netbox-community/devicetype-library, device-types/Cisco. Throughput and buffers are Cisco
data-sheet figures for information; nothing is refused because of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PortGroup:
    """Consecutive front-panel ports Ethernet1/`first` to Ethernet1/`last`, each of `gbps` Gb/s."""

    first: int
    last: int
    gbps: int


@dataclass(frozen=True)
class Switch:
    """One switch model."""

    name: str
    groups: tuple[PortGroup, ...]
    rack_units: int
    watts: int
    """Highest draw with optics, in W (Cisco data sheets; 9364C-GX from its supply's rating)."""
    buffer_mb: int
    """Shared packet buffer of the whole switch in MB; for information."""
    dlb: bool
    """Dynamic load balancing exists on this ASIC (NX-OS 10.5(1)F and later)."""

    @property
    def ports(self) -> int:
        """Front-panel ports that carry traffic, SFP+ service ports not counted."""
        return sum(group.last - group.first + 1 for group in self.groups)

    def gbps(self, number: int) -> int | None:
        """Speed of port Ethernet1/`number` in Gb/s, or None where the model has no such port."""
        return next((group.gbps for group in self.groups if group.first <= number <= group.last), None)


def _switch(name: str, *groups: tuple[int, int, int], ru: int, watts: int, buffer_mb: int, dlb: bool) -> Switch:
    return Switch(name, tuple(PortGroup(*group) for group in groups), ru, watts, buffer_mb, dlb)


SWITCHES: dict[str, Switch] = {
    switch.name: switch
    for switch in (
        _switch("N9K-C9332D-GX2B", (1, 32, 400), ru=1, watts=1500, buffer_mb=120, dlb=True),
        _switch("N9K-C9348D-GX2A", (1, 48, 400), ru=2, watts=2300, buffer_mb=120, dlb=True),
        _switch("N9K-C9364D-GX2A", (1, 64, 400), ru=2, watts=2900, buffer_mb=120, dlb=True),
        _switch("N9K-C9316D-GX", (1, 16, 400), ru=1, watts=1100, buffer_mb=80, dlb=True),
        _switch("N9K-C93600CD-GX", (1, 28, 100), (29, 36, 400), ru=1, watts=1100, buffer_mb=80, dlb=True),
        _switch("N9K-C9336C-FX2", (1, 36, 100), ru=1, watts=750, buffer_mb=40, dlb=False),
        _switch("N9K-C9364C-GX", (1, 64, 100), ru=2, watts=1622, buffer_mb=74, dlb=True),
    )
}
"""Cloud Scale models by product id."""

REFUSED_SWITCHES: dict[str, str] = {
    name: "is a Silicon One switch, whose QoS commands differ from Cloud Scale and are not confirmed by a source yet"
    for name in ("N9364E-SG2-Q", "N9364E-SG2-O", "N9K-C9804", "N9K-C9808")
}
"""Models that exist but are not offered, with the reason."""
