"""Ranges of the PFC watchdog's settings on Nexus 9000, as far as public texts give them.

Cisco Nexus 9000 NX-OS QoS configuration guide, chapter on priority flow control; not compared with the data of each
release, so a site may go beyond them (`beyond_known_ranges`) and the switch decides.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """One setting: the words of its command before the value, and the lowest and highest value known to be taken."""

    command: str
    low: int
    high: int


WATCHDOG: dict[str, Setting] = {
    "interval_ms": Setting("priority-flow-control watch-dog interval", 100, 1000),
    "shutdown_multiplier": Setting("priority-flow-control watch-dog shutdown-multiplier", 1, 10),
    "auto_restore_multiplier": Setting("priority-flow-control auto-restore multiplier", 0, 100),
    "fixed_restore_multiplier": Setting("priority-flow-control fixed-restore multiplier", 0, 100),
}
"""By field of `fabric.lossless.watchdog_timers`."""
