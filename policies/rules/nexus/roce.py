"""The lossless class of a switch: as its plan states it, or as the configuration itself gives it away.

A configuration that somebody wrote states nothing. What it means is taken from what most of it says, so that the one
line that says something else is the one that stands out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from .device import Device, Lossless
from .lines import Line
from .port import Port
from .qos import Class, Policy, actions

ROCE_DSCPS: Final = range(24, 32)
"""NICs send these on priority 3 by default (mlx5: the upper three bits of the DSCP are the priority)."""
CNP_DSCP: Final = 48
_ROCE: Final = re.compile(r"roce|rdma|smb|lossless|no-?drop", re.IGNORECASE)
_FCOE: Final = re.compile(r"fcoe", re.IGNORECASE)
_PAIR: Final = 2


def paused(device: Device, policy: Policy | None) -> Iterator[tuple[int, int, Line]]:
    """qos-group, PFC priority and line of every no-drop class of a network-qos policy, FCoE's left out."""
    for each, line in actions(policy, "pause"):
        group = device.qos.group("network-qos", each)
        if group is None or line.words[1:] == ("drop",) or _FCOE.search(each.name):
            continue
        cos = line.words[line.words.index("pfc-cos") + 1] if "pfc-cos" in line.words[:-1] else ""
        yield group, int(cos) if cos.isdigit() else group, line


def marking(device: Device, policy: Policy | None) -> Iterator[int]:
    """qos-groups whose queue marks ECN."""
    for each, line in actions(policy, "random-detect"):
        group = device.qos.group("queuing", each)
        if group is not None and line.words[-1] == "ecn":
            yield group


def evident(device: Device) -> Lossless | None:
    """The lossless class that a configuration gives away; None where there is no RoCE in it."""
    network, queuing = device.network, device.queuing()
    stops = list(paused(device, network)) or [
        each for policy in _of(device, "network-qos") for each in paused(device, policy)
    ]
    marks = list(marking(device, queuing)) or [
        each for policy in _of(device, "queuing") for each in marking(device, policy)
    ]
    sorts = list(_sorted_in(device))
    signs = (bool(stops), bool(marks), bool(sorts), _pauses_on_ports(device), _watched(device))
    if sum(signs) < _PAIR or not any(signs[:3]):
        return None
    votes = Counter([*(group for group, _, _ in stops), *marks, *sorts, *(cos for _, cos, _ in stops)])
    group = max(votes, key=lambda each: (votes[each], each in {paused_group for paused_group, _, _ in stops}))
    priority = next((cos for own, cos, _ in stops if own == group), None)
    if priority is None:
        priority = next((cos for _, cos, _ in stops), group)
    return Lossless(group, priority, _dscps(device, group), _cnp(device), tuple(_ports(device, group)))


def _of(device: Device, kind: str) -> Iterator[Policy]:
    return (policy for (each, _), policy in device.qos.policies.items() if each == kind)


def _sorted_in(device: Device) -> Iterator[int]:
    """qos-groups that packets with a DSCP or a name of RoCE are put into."""
    for policy in _of(device, "qos"):
        for each, line in actions(policy, "set", "qos-group"):
            group = each.number("set", "qos-group")
            if group and not _FCOE.search(each.name) and (_ROCE.search(each.name) or _by_dscp(device, each)):
                yield int(line.words[2])


def _by_dscp(device: Device, each: Class) -> bool:
    found = device.qos.classes.get(("qos", each.name))
    return found is not None and bool(found.dscps & set(ROCE_DSCPS))


def _pauses_on_ports(device: Device) -> bool:
    return any(port.value("pfc") == "on" for port in device.ports.values())


def _watched(device: Device) -> bool:
    ports = any(port.value("watchdog") == "on" for port in device.ports.values())
    return ports or device.top("priority-flow-control", "watch-dog-interval", "on") is not None


def _dscps(device: Device, group: int) -> frozenset[int]:
    found: frozenset[int] = frozenset()
    named: frozenset[int] = frozenset()
    for policy in _of(device, "qos"):
        for each in policy.classes:
            matched = device.qos.classes.get(("qos", each.name))
            if matched is not None and each.number("set", "qos-group") == group:
                found |= matched.dscps
            elif matched is not None and _ROCE.search(each.name):
                named |= matched.dscps
    return found or named


def _cnp(device: Device) -> int | None:
    """48 where a policy sorts it out or a class is named for it."""
    for policy in _of(device, "qos"):
        for each in policy.classes:
            matched = device.qos.classes.get(("qos", each.name))
            known = matched.dscps if matched is not None else frozenset()
            if CNP_DSCP in known and len(known) == 1:
                return CNP_DSCP
            if "cnp" in each.name.lower():
                return min(known, default=CNP_DSCP)
    return None


def _ports(device: Device, group: int) -> Iterator[Port]:
    """Ports that pause, are watched, or sort packets into the class."""
    for port in device.ports.values():
        if port.physical and not port.down and _carries(device, port, group):
            yield port


def _carries(device: Device, port: Port, group: int) -> bool:
    if port.value("pfc") == "on" or port.value("watchdog") == "on":
        return True
    policy = device.qos.policy("qos", port.value("qos"))
    return policy is not None and any(each.number("set", "qos-group") == group for each in policy.classes)


def shared(lossless: Lossless) -> Lossless:
    """The class as the switch at the other end of a cable should carry it; its ports are its own."""
    return replace(lossless, ports=())
