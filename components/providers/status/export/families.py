"""Every metric of the exporter: name, type, unit, what it means, which command it is read from."""

from typing import Final

from podwright.components.providers.status.export.exposition import Family

PFC: Final = "show interface priority-flow-control"
QUEUES: Final = "show queuing interface"
WATCHDOG: Final = "show queuing pfc-queue detail | json"
STATUS: Final = "show interface status | json"
ERRORS: Final = "show interface counters errors | json"
OPTICS: Final = "show interface transceiver details | json"
BGP: Final = "show ip bgp summary vrf all | json"
BFD: Final = "show bfd neighbors"


def _gauge(name: str, told: str, command: str = "", unit: str = "") -> Family:
    return Family(f"podwright_{name}", "gauge", told, unit, command)


def _counter(name: str, told: str, command: str) -> Family:
    return Family(f"podwright_{name}_total", "counter", told, "", command)


UP = _gauge("switch_up", "1 when the last look at the switch came to its end, 0 when it did not answer in time.")
DURATION = _gauge("switch_scrape_duration_seconds", "How long the last look took.", unit="seconds")
AGE = _gauge("switch_scrape_age_seconds", "Since the end of the last look.", unit="seconds")
COMMAND_ERROR = _gauge(
    "switch_command_error", "1 when the last answer to this command was refused or could not be read; it has no series."
)
PORT_INFO = _gauge(
    "port_info", "1: what the plan has at this port: role, peer, peer_port, and of a server its gpu product and rail."
)

PORT_UP = _gauge("port_up", "1 when the port is connected.", STATUS)

PFC_OPER = _gauge("port_pfc_oper", "1 when priority flow control is operational.", PFC)
PFC_BITMAP = _gauge(
    "port_pfc_priorities_bitmap", "Priorities that pause, bit n for priority n: 8 is priority 3; 0 when off.", PFC
)
PFC_RX = _counter("port_pfc_rx_frames", "Priority pause frames received.", PFC)
PFC_TX = _counter("port_pfc_tx_frames", "Priority pause frames sent.", PFC)

QUEUE_SENT = _counter("queue_tx_packets", "Packets sent from the egress queue, unicast and multicast.", QUEUES)
QUEUE_MARKED = _counter("queue_ecn_marked_packets", "Packets marked with ECN congestion experienced.", QUEUES)
QUEUE_DROPS = _counter("queue_dropped_packets", "Packets dropped by WRED, AFD or at the end of the queue.", QUEUES)
QUEUE_WATCHDOG = _counter(
    "queue_watchdog_dropped_packets",
    "Packets dropped while the PFC watchdog had the queue shut, and at its end.",
    QUEUES,
)

WATCHDOG_ON = _gauge(
    "pfc_watchdog_enabled", "1 when the switch's PFC watchdog is on; a port needs its own too.", WATCHDOG
)
WATCHDOG_ARMED = _gauge(
    "port_pfc_watchdog_armed", "1 when the PFC watchdog is on for the port and for the whole switch.", WATCHDOG
)
WATCHDOG_STALLS = _counter("queue_pfc_watchdog_shutdowns", "Times the PFC watchdog shut the queue.", WATCHDOG)
WATCHDOG_RESTORES = _counter("queue_pfc_watchdog_restores", "Times the PFC watchdog opened the queue again.", WATCHDOG)

FCS_ERRORS = _counter("port_fcs_errors", "Frames received with a wrong checksum (CRC).", ERRORS)
RX_ERRORS = _counter("port_rx_errors", "Frames received with any error.", ERRORS)
TX_ERRORS = _counter("port_tx_errors", "Frames that could not be sent for an error.", ERRORS)
TX_DISCARDS = _counter("port_tx_discards", "Frames discarded on the way out.", ERRORS)

TEMPERATURE = _gauge("optic_temperature_celsius", "Temperature of the transceiver.", OPTICS, "celsius")
RX_POWER = _gauge("optic_rx_power_dbm", "Light received by the lane, in dBm; -40 is dark.", OPTICS)
TX_POWER = _gauge("optic_tx_power_dbm", "Light sent by the lane, in dBm.", OPTICS)
TEMPERATURE_LIMIT = _gauge(
    "optic_temperature_limit_celsius", "The transceiver's own limits: threshold is alarm_high, …, warning_low.", OPTICS,
    "celsius",
)  # fmt: skip
RX_POWER_LIMIT = _gauge("optic_rx_power_limit_dbm", "The transceiver's own limits of received light, in dBm.", OPTICS)
TX_POWER_LIMIT = _gauge("optic_tx_power_limit_dbm", "The transceiver's own limits of sent light, in dBm.", OPTICS)

BGP_UP = _gauge("bgp_neighbor_up", "1 when the session is Established.", BGP)
BGP_PREFIXES = _gauge("bgp_neighbor_prefixes_received", "Prefixes received from the neighbour.", BGP)
BFD_UP = _gauge("bfd_neighbor_up", "1 when the session is Up.", BFD)

FAMILIES: Final = tuple(each for each in list(globals().values()) if isinstance(each, Family))
"""All of them, in the order above."""
