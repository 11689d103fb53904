"""The time of a switch in its own zone: what `show clock` shows, and what the scheduler goes by."""

from __future__ import annotations

from podwright.lab.nxos.device import Device


def name(device: Device) -> str:
    """What the zone is called."""
    return device.root.value("clock timezone", "zone", "UTC")


def local_time(device: Device) -> float:
    """Seconds since 1970 as a clock on the wall has them."""
    hours = device.root.value("clock timezone", "hours", "0")
    minutes = int(device.root.value("clock timezone", "minutes", "0")) * (-1 if hours.startswith("-") else 1)
    return device.clock.now() + int(hours) * 3600 + minutes * 60
