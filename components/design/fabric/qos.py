"""Section `qos`: the one lossless class, on Cloud Scale's eight-queue model.

Classification, no-drop class, queuing and the system attachment follow Cisco's AI networking scripts (paregupt/nx-os);
thresholds and shares follow Cisco's AI pod lab (NX-OS 10.4(5)).
"""

from components.design.fabric.model import Config
from components.spec import Lossless

CLASSIFICATION = "QOS_CLASSIFICATION"
EGRESS = "QOS_EGRESS_PORT"
NETWORK = "qos_network"
CNP_QUEUE = 7
"""Congestion notification packets have the strict-priority queue: late ones are useless."""


def system(lossless: Lossless) -> Config:
    """Every whole-box QoS block: watchdog, class-maps, policy-maps, attachment."""
    config: Config = {}
    if lossless.watchdog == "on":
        config["priority-flow-control watch-dog-interval on"] = ""
    config["class-map type qos match-any ROCEv2"] = f"match dscp {lossless.dscp}"
    config["class-map type qos match-any CNP"] = f"match dscp {lossless.cnp_dscp}"
    config[f"policy-map type qos {CLASSIFICATION}"] = _classification(lossless)
    config[f"policy-map type network-qos {NETWORK}"] = _network(lossless)
    config[f"policy-map type queuing {EGRESS}"] = _queuing(lossless)
    config["system qos"] = "\n".join(
        (f"service-policy type queuing output {EGRESS}", f"service-policy type network-qos {NETWORK}")
    )
    return config


def jumbo(lossless: Lossless) -> Config:
    """A switchport's MTU is 1500 or the system's jumbo MTU, 9216 unless it is said."""
    return {} if lossless.mtu == 9216 else {f"system jumbomtu {lossless.mtu}": ""}


def port(lossless: Lossless) -> list[str]:
    """Lines of every port of the class, host-facing and fabric alike: a hop without them drops.

    PFC `on` is said although the default `auto` exists: NICs that trust DSCP do not negotiate by DCBX. `off` is said
    too, so that a policy sees it. The watchdog's default is off, which a running-config does not print.
    """
    lines = [f"priority-flow-control mode {lossless.pfc}"]
    if lossless.watchdog == "on":
        lines.append("priority-flow-control watch-dog-interval on")
    lines.append(f"mtu {lossless.mtu}")
    lines.append(f"service-policy type qos input {CLASSIFICATION}")
    return lines


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


def _queuing(lossless: Lossless) -> str:
    """All eight queues. The shares of the seven that are not strict add up to 100."""
    lines: list[str] = []
    for queue in range(6, 0, -1):
        share = lossless.bandwidth_percent if queue == lossless.priority else 0
        lines += [f"class type queuing c-out-8q-q{queue}", f"  bandwidth remaining percent {share}"]
        if queue == lossless.priority and lossless.ecn is not None:
            mark = lossless.ecn
            lines.append(
                f"  random-detect minimum-threshold {mark.min_kbytes} kbytes maximum-threshold {mark.max_kbytes} kbytes"
                f" drop-probability {mark.probability} weight 0 ecn"
            )
    rest = 100 - lossless.bandwidth_percent
    lines += ["class type queuing c-out-8q-q-default", f"  bandwidth remaining percent {rest}"]
    lines += [f"class type queuing c-out-8q-q{CNP_QUEUE}", "  priority level 1"]
    return "\n".join(lines)
