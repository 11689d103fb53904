"""Every metric that is read from a switch: name, type, unit, what it means, which command it is read from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal


@dataclass(frozen=True)
class Metric:
    """One metric. A counter's name ends in `_total`; where there is a unit, the name before that ends in it."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    unit: str = ""
    """Prometheus base unit that the name carries: seconds, celsius; empty where values are counted or true or false."""
    command: str = ""
    """Where the values are read; empty for those of the exporter itself."""


@dataclass(frozen=True)
class Sample:
    """One value of a metric."""

    metric: Metric
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


PFC: Final = "show interface priority-flow-control"
QUEUES: Final = "show queuing interface"
WATCHDOG: Final = "show queuing pfc-queue detail | json"
STATUS: Final = "show interface status | json"
ERRORS: Final = "show interface counters errors | json"
OPTICS: Final = "show interface transceiver details | json"
BGP: Final = "show ip bgp summary vrf all | json"
BFD: Final = "show bfd neighbors"


def gauge(name: str, meaning: str, command: str = "", unit: str = "") -> Metric:
    """A value that goes up and down."""
    return Metric(f"podwright_{name}", "gauge", meaning, unit, command)


def counter(name: str, meaning: str, command: str) -> Metric:
    """A value that only grows."""
    return Metric(f"podwright_{name}_total", "counter", meaning, "", command)


PORT_UP = gauge("port_up", "1 when the port is connected.", STATUS)

PFC_OPER = gauge("port_pfc_oper", "1 when priority flow control is operational.", PFC)
PFC_BITMAP = gauge(
    "port_pfc_priorities_bitmap", "Priorities that pause, bit n for priority n: 8 is priority 3; 0 when off.", PFC
)
PFC_RX = counter("port_pfc_rx_frames", "Priority pause frames received.", PFC)
PFC_TX = counter("port_pfc_tx_frames", "Priority pause frames sent.", PFC)

QUEUE_SENT = counter("queue_tx_packets", "Packets sent from the egress queue, unicast and multicast.", QUEUES)
QUEUE_MARKED = counter("queue_ecn_marked_packets", "Packets marked with ECN congestion experienced.", QUEUES)
QUEUE_DROPS = counter("queue_dropped_packets", "Packets dropped by WRED, AFD or at the end of the queue.", QUEUES)
QUEUE_WATCHDOG = counter(
    "queue_watchdog_dropped_packets",
    "Packets dropped while the PFC watchdog had the queue shut, and at its end.",
    QUEUES,
)

WATCHDOG_ON = gauge(
    "pfc_watchdog_enabled", "1 when the switch's PFC watchdog is on; a port needs its own too.", WATCHDOG
)
WATCHDOG_ARMED = gauge(
    "port_pfc_watchdog_armed", "1 when the PFC watchdog is on for the port and for the whole switch.", WATCHDOG
)
WATCHDOG_STALLS = counter("queue_pfc_watchdog_shutdowns", "Times the PFC watchdog shut the queue.", WATCHDOG)
WATCHDOG_RESTORES = counter("queue_pfc_watchdog_restores", "Times the PFC watchdog opened the queue again.", WATCHDOG)

FCS_ERRORS = counter("port_fcs_errors", "Frames received with a wrong checksum (CRC).", ERRORS)
RX_ERRORS = counter("port_rx_errors", "Frames received with any error.", ERRORS)
TX_ERRORS = counter("port_tx_errors", "Frames that could not be sent for an error.", ERRORS)
TX_DISCARDS = counter("port_tx_discards", "Frames discarded on the way out.", ERRORS)

TEMPERATURE = gauge("optic_temperature_celsius", "Temperature of the transceiver.", OPTICS, "celsius")
RX_POWER = gauge("optic_rx_power_dbm", "Light received by the lane, in dBm; -40 is dark.", OPTICS)
TX_POWER = gauge("optic_tx_power_dbm", "Light sent by the lane, in dBm.", OPTICS)
TEMPERATURE_LIMIT = gauge(
    "optic_temperature_limit_celsius", "The transceiver's own limits: threshold is alarm_high, …, warning_low.", OPTICS,
    "celsius",
)  # fmt: skip
RX_POWER_LIMIT = gauge("optic_rx_power_limit_dbm", "The transceiver's own limits of received light, in dBm.", OPTICS)
TX_POWER_LIMIT = gauge("optic_tx_power_limit_dbm", "The transceiver's own limits of sent light, in dBm.", OPTICS)

BGP_UP = gauge("bgp_neighbor_up", "1 when the session is Established.", BGP)
BGP_PREFIXES = gauge("bgp_neighbor_prefixes_received", "Prefixes received from the neighbour.", BGP)
BFD_UP = gauge("bfd_neighbor_up", "1 when the session is Up.", BFD)

METRICS: Final = tuple(each for each in list(globals().values()) if isinstance(each, Metric))
"""All of them, in the order above."""
