"""What is defined about the one lossless class of a fabric: switch, server NIC, pod and NCCL take their values here."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.types import Cos, Dscp, Spec, Switched

Speed = Literal["10G", "25G", "40G", "50G", "100G", "200G", "400G"]
"""Speed of a switch port."""
Bytes = Annotated[int, Field(ge=1, le=100_000_000)]
"""A number of bytes."""


class Ecn(Spec):
    """WRED thresholds of the lossless queue, absolute bytes per queue (never percent)."""

    min_kbytes: Annotated[int, Field(ge=1, le=52000)] = 950
    """Marking starts here (950: Cisco's 400G AI pod lab)."""
    max_kbytes: Annotated[int, Field(ge=1, le=52000)] = 3000
    """Every packet is marked above this (3000: same source)."""
    probability: Annotated[int, Field(ge=1, le=100)] = 7
    """Marking probability in percent at the maximum threshold (7: same source)."""


class Headroom(Spec):
    """Ingress buffer of the lossless queue of one port, for what still arrives after a pause was sent.

    Up to 100 m of cable the switch's own values do; beyond, Cisco's QoS guide asks for these and gives no formula: take
    them from the TAC or the buffer tables of the model.
    """

    buffer_bytes: Bytes
    """Whole buffer of the queue, in bytes."""
    pause_bytes: Bytes
    """Filled to here, the port sends a pause; the rest of the buffer is headroom. In bytes."""
    resume_bytes: Bytes
    """Drained to here, the port lets the sender go on; at most `pause_bytes`. In bytes."""


class WatchdogTimers(Spec):
    """When the PFC watchdog acts and how it lets go. None: the switch's own value, no line is written.

    What is known of the ranges stands in the catalogue (`watchdog.py`); it was not compared with each release.
    """

    interval_ms: Annotated[int, Field(ge=1)] | None = None
    """How often a paused queue is looked at, in ms."""
    shutdown_multiplier: Annotated[int, Field(ge=0)] | None = None
    """Intervals without a packet sent after which the queue counts as stuck."""
    auto_restore_multiplier: Annotated[int, Field(ge=0)] | None = None
    """Intervals without a pause received after which a stuck queue is opened again."""
    fixed_restore_multiplier: Annotated[int, Field(ge=0)] | None = None
    """Intervals after which a stuck queue is opened again in any case."""
    beyond_known_ranges: bool = False
    """Let values through that the catalogue's ranges do not hold; the switch then has the last word."""


class Lossless(Spec):
    """The one lossless class: switch, server NIC, pod and NCCL all take their values from here."""

    dscp: Dscp = 26
    """DSCP of RoCEv2 packets (26, AF31)."""
    priority: Cos = 3
    """PFC priority and qos-group. NICs map DSCP 24-31 to 3."""
    cnp_dscp: Dscp = 48
    """DSCP of congestion notification packets (48, CS6)."""
    mtu: Annotated[int, Field(ge=1500, le=9216)] = 9216
    """MTU of every switch port and of the network-qos class, in bytes."""
    host_mtu: Annotated[int, Field(ge=1500, le=9000)] = 9000
    """MTU of server NICs and pods, in bytes; below the switch MTU."""
    pfc: Switched = "on"
    """Priority flow control on every port of the class."""
    watchdog: Switched = "on"
    """PFC watchdog, globally and per port."""
    watchdog_timers: WatchdogTimers = WatchdogTimers()
    """When the watchdog acts; the switch's own values unless given."""
    ecn: Ecn | None = Ecn()
    """ECN marking on the lossless queue; null leaves the queue unmarked."""
    ecn_by_speed: dict[Speed, Ecn] = {}
    """Other thresholds for ports of these speeds: such ports get an output queuing policy of their own, which takes the
    place of the whole switch's."""
    longest_cable_m: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Longest cable of the class in metres; above 100 the ports need `headroom` (Cisco QoS guide, PFC chapter)."""
    headroom: Headroom | None = None
    """Ingress buffers for long cables, on every port of the class. Null: the switch's own."""
    bandwidth_percent: Annotated[int, Field(ge=1, le=99)] = 90
    """Share of the bandwidth that remains after the CNP queue; the default class has the rest (90: Cisco's AI pod lab,
    backend)."""


class PairLossless(Lossless):
    """The lossless class of a leaf pair: other defaults, since other traffic shares its ports (Cisco's AI pod lab,
    frontend)."""

    ecn: Ecn | None = Ecn(min_kbytes=150)
    """ECN marking on the lossless queue; null leaves the queue unmarked."""
    bandwidth_percent: Annotated[int, Field(ge=1, le=99)] = 50
    """Share of the bandwidth that remains after the CNP queue; the default class has the rest."""
