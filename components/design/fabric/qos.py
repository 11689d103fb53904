"""Section `qos`: the one lossless class, on Cloud Scale's eight-queue model.

Classification, no-drop class, queuing and the system attachment follow Cisco's AI networking scripts (paregupt/nx-os);
thresholds and shares follow Cisco's AI pod lab (NX-OS 10.4(5)).
"""

from collections.abc import Collection

from podwright.components.design.fabric.model import Config
from podwright.components.model import Ecn, Lossless
from podwright.components.model.catalogue import WATCHDOG

CLASSIFICATION = "QOS_CLASSIFICATION"
EGRESS = "QOS_EGRESS_PORT"
INGRESS = "QOS_INGRESS_HEADROOM"
NETWORK = "qos_network"
CNP_QUEUE = 7
"""Congestion notification packets have the strict-priority queue: late ones are useless."""


def system(lossless: Lossless, speeds: Collection[int]) -> Config:
    """Every whole-box QoS block: watchdog, class-maps, policy-maps, attachment; `speeds` of the class's ports, Gb/s."""
    config: Config = {}
    if lossless.watchdog == "on":
        config["priority-flow-control watch-dog-interval on"] = ""
        config |= _timers(lossless)
    config["class-map type qos match-any ROCEv2"] = f"match dscp {lossless.dscp}"
    config["class-map type qos match-any CNP"] = f"match dscp {lossless.cnp_dscp}"
    config[f"policy-map type qos {CLASSIFICATION}"] = _classification(lossless)
    config[f"policy-map type network-qos {NETWORK}"] = _network(lossless)
    config[f"policy-map type queuing {EGRESS}"] = _queuing(lossless, lossless.ecn)
    for gbps in sorted(speeds):
        if mark := _own_ecn(lossless, gbps):
            config[f"policy-map type queuing {_egress(gbps)}"] = _queuing(lossless, mark)
    if lossless.headroom is not None:
        config[f"policy-map type queuing {INGRESS}"] = _headroom(lossless)
    config["system qos"] = "\n".join(
        (f"service-policy type queuing output {EGRESS}", f"service-policy type network-qos {NETWORK}")
    )
    return config


def jumbo(lossless: Lossless) -> Config:
    """A switchport's MTU is 1500 or the system's jumbo MTU, 9216 unless it is said."""
    return {} if lossless.mtu == 9216 else {f"system jumbomtu {lossless.mtu}": ""}


def port(lossless: Lossless, gbps: int) -> list[str]:
    """Lines of every port of the class, host-facing and fabric alike: a hop without them drops."""
    return [*flow_control(lossless), *_watchdog(lossless), f"mtu {lossless.mtu}", *policies(lossless, gbps)]


def channel(lossless: Lossless, gbps: int) -> list[str]:
    """Lines of a port-channel of the class: its members inherit all but the PFC mode (Cisco's AI pod lab, frontend)."""
    return [*flow_control(lossless), *_watchdog(lossless), *policies(lossless, gbps)]


def flow_control(lossless: Lossless) -> list[str]:
    """PFC `on` is said although the default `auto` exists: NICs that trust DSCP do not negotiate by DCBX. `off` is said
    too, so that a policy sees it.
    """
    return [f"priority-flow-control mode {lossless.pfc}"]


def policies(lossless: Lossless, gbps: int) -> list[str]:
    """Attachments of a port: classification, and what this port has of its own. An output queuing policy on a port
    takes the place of the one under `system qos`.
    """
    lines = [f"service-policy type qos input {CLASSIFICATION}"]
    if lossless.headroom is not None:
        lines.append(f"service-policy type queuing input {INGRESS}")
    if _own_ecn(lossless, gbps):
        lines.append(f"service-policy type queuing output {_egress(gbps)}")
    return lines


def _watchdog(lossless: Lossless) -> list[str]:
    """The watchdog's default is off, which a running-config does not print."""
    return ["priority-flow-control watch-dog-interval on"] if lossless.watchdog == "on" else []


def _timers(lossless: Lossless) -> Config:
    defined = lossless.watchdog_timers.model_dump()
    return {f"{known.command} {defined[name]}": "" for name, known in WATCHDOG.items() if defined[name] is not None}


def _own_ecn(lossless: Lossless, gbps: int) -> Ecn | None:
    return {int(speed.removesuffix("G")): mark for speed, mark in lossless.ecn_by_speed.items()}.get(gbps)


def _egress(gbps: int) -> str:
    return f"{EGRESS}_{gbps}G"


def _classification(lossless: Lossless) -> str:
    return "\n".join(
        (
            "class ROCEv2",
            f"  set qos-group {lossless.priority}",
            "class CNP",
            f"  set qos-group {CNP_QUEUE}",
            "class class-default",
            "  set qos-group 0",
        )
    )


def _network(lossless: Lossless) -> str:
    return "\n".join(
        (
            f"class type network-qos c-8q-nq{lossless.priority}",
            f"  mtu {lossless.mtu}",
            f"  pause pfc-cos {lossless.priority}",
            "class type network-qos c-8q-nq-default",
            f"  mtu {lossless.mtu}",
        )
    )


def _headroom(lossless: Lossless) -> str:
    """The lossless queue's ingress buffer; an input policy holds buffers only, never shares."""
    headroom = lossless.headroom
    assert headroom is not None
    return "\n".join(
        (
            f"class type queuing c-in-q{lossless.priority}",
            f"  pause buffer-size {headroom.buffer_bytes} pause-threshold {headroom.pause_bytes}"
            f" resume-threshold {headroom.resume_bytes}",
        )
    )


def _queuing(lossless: Lossless, mark: Ecn | None) -> str:
    """All eight queues. The shares of the seven that are not strict add up to 100."""
    lines: list[str] = []
    for queue in range(6, 0, -1):
        share = lossless.bandwidth_percent if queue == lossless.priority else 0
        lines += [f"class type queuing c-out-8q-q{queue}", f"  bandwidth remaining percent {share}"]
        if queue == lossless.priority and mark is not None:
            lines.append(
                f"  random-detect minimum-threshold {mark.min_kbytes} kbytes maximum-threshold {mark.max_kbytes} kbytes"
                f" drop-probability {mark.probability} weight 0 ecn"
            )
    rest = 100 - lossless.bandwidth_percent
    lines += ["class type queuing c-out-8q-q-default", f"  bandwidth remaining percent {rest}"]
    lines += [f"class type queuing c-out-8q-q{CNP_QUEUE}", "  priority level 1"]
    return "\n".join(lines)
