"""Every metric that a scrape may hold: the exporter's own, and those read from switches."""

from typing import Final

from podwright.components.providers.nxos.read import metrics
from podwright.components.providers.nxos.read.answers import ANSWERS
from podwright.components.providers.nxos.read.metrics import BFD, BGP, PFC, QUEUES, WATCHDOG, gauge

__all__ = ["AGE", "BFD", "BGP", "COMMANDS", "COMMAND_ERROR", "DURATION", "METRICS", "PFC", "PORT_INFO", "QUEUES", "UP"]
__all__ += ["WATCHDOG"]

UP = gauge("switch_up", "1 when the last look at the switch came to its end, 0 when it did not answer in time.")
DURATION = gauge("switch_scrape_duration_seconds", "How long the last look took.", unit="seconds")
AGE = gauge("switch_scrape_age_seconds", "Since the end of the last look.", unit="seconds")
COMMAND_ERROR = gauge(
    "switch_command_error", "1 when the last answer to this command was refused or could not be read; it has no series."
)
PORT_INFO = gauge(
    "port_info", "1: what the plan has at this port: role, peer, peer_port, and of a server its gpu product and rail."
)

COMMANDS: Final = tuple(ANSWERS)
"""What a switch is asked, in this order."""
METRICS: Final = (UP, DURATION, AGE, COMMAND_ERROR, PORT_INFO, *metrics.METRICS)
"""All of them, in the order of the reference."""
