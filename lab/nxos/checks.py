"""What the device refuses although the syntax is right. Each check returns the device's sentence, or None.

Sentences marked [?] in FIDELITY.md are ours in the device's style: only that a line is refused is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from podwright.lab.nxos import address_checks, overlay
from podwright.lab.nxos.breakout import gbps
from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.tree import Node

DEFAULT_POLICIES = {
    "network-qos": ("default-nq-8q-policy",),
    "queuing": ("default-8q-out-policy", "default-8q-in-policy"),
    "qos": (),
}
NETWORK_CLASSES = (*(f"c-8q-nq{n}" for n in range(1, 8)), "c-8q-nq-default")
QUEUING_CLASSES = (*(f"c-out-8q-q{n}" for n in range(1, 8)), "c-out-8q-q-default")
INGRESS_CLASSES = (*(f"c-in-q{n}" for n in range(1, 8)), "c-in-q-default")
_BYTES = {"packets": 1, "bytes": 1, "kbytes": 1000, "mbytes": 1000000}


def stays(change: Change) -> str | None:
    """A single-VDC switch keeps its VDC."""
    return f"ERROR: {change.line} cannot be deleted" if change.negate else None


def port_speed(change: Change) -> str | None:
    """A port runs at its own speed or a lower one of its cage; the lab knows the highest."""
    words = change.found.match.words
    if change.negate or len(words) < 2 or words[1] == "auto" or not change.interface.startswith("Ethernet"):
        return None
    most = gbps(change.device, change.interface)
    if int(words[1]) > most * 1000:
        return f"ERROR: {change.interface}: Configured speed is not supported on this port"
    return None


def layer2_mtu(change: Change) -> str | None:
    """A switchport takes 1500 or the system jumbo MTU, nothing between (interfaces guide)."""
    name, device = change.interface, change.device
    if change.negate or name.startswith("Vlan") or device.routed(name, change.parent):
        return None
    allowed = ("1500", device.root.value("system jumbomtu", "mtu", "9216"))
    if change.values["bytes"] in allowed:
        return None
    return f"ERROR: {name}: MTU on L2 interfaces can only be set to default or system-jumboMTU"


def policy_exists(change: Change) -> str | None:
    """A policy is attached only when it is there, and a queuing policy in the direction of its queues."""
    if change.negate:
        return None
    kind, name = _policy_kind(change.line), change.values["policy"]
    if name in DEFAULT_POLICIES[kind]:
        return None
    policy = change.device.root.get(f"policy-map type {kind} {name}")
    if policy is None:
        return f"ERROR: policy-map {name} does not exist"
    wrong = " c-out-" if " input " in change.line else " c-in-"
    if kind == "queuing" and any(wrong in entry.line for entry in policy.children.values()):
        return f"ERROR: policy-map {name} cannot be attached in this direction"
    return None


def _policy_kind(line: str) -> str:
    found = re.search(r"type (qos|network-qos|queuing)", line)
    return found.group(1) if found else "qos"


def attached(device: Device, kind: str, name: str) -> list[str]:
    """Where a policy is attached: interface names, or "system qos"."""
    where = []
    for node in device.root.children.values():
        for child in node.begin(f"service-policy type {kind}"):
            if child.values.get("policy") == name:
                where.append(node.line.removeprefix("interface "))
    return where


def policy_in_use(change: Change) -> str | None:
    """A policy-map that is attached cannot be deleted."""
    kind, name = _policy_kind(change.line), change.values["name"]
    if name in DEFAULT_POLICIES[kind]:
        return f"ERROR: policy-map {name} is a system-defined policy and cannot be changed"
    where = attached(change.device, kind, name) if change.negate else []
    return f"ERROR: policy-map {name} is in use ({where[0]}) and cannot be deleted" if where else None


def class_map_in_use(change: Change) -> str | None:
    """A class-map that a policy refers to cannot be deleted."""
    if not change.negate:
        return None
    name = change.values["name"]
    for policy in change.device.root.begin("policy-map type qos"):
        if policy.get(f"class {name}"):
            return f"ERROR: class-map {name} is in use by {policy.line} and cannot be deleted"
    return None


def class_map_exists(change: Change) -> str | None:
    """A policy of type qos refers to class-maps that are there."""
    name = change.values["name"]
    known = name == "class-default" or change.device.root.get(f"class-map type qos {name}")
    return None if change.negate or known else f"ERROR: class-map {name} does not exist"


def network_class(change: Change) -> str | None:
    """The classes of the 8-queue model are fixed."""
    name = change.values["name"]
    return None if change.negate or name in NETWORK_CLASSES else f"ERROR: class-map {name} does not exist"


def queuing_class(change: Change) -> str | None:
    """The queues of the 8-queue model are fixed; a policy is for one direction."""
    name = change.values["name"]
    if change.negate:
        return None
    if name not in QUEUING_CLASSES + INGRESS_CLASSES:
        return f"ERROR: class-map {name} does not exist"
    other = " c-out-" if name in INGRESS_CLASSES else " c-in-"
    if any(other in entry.line for entry in change.parent.children.values()):
        return "ERROR: ingress and egress queues cannot be mixed in one policy"
    return None


def pause_once(change: Change) -> str | None:
    """One priority belongs to one no-drop class; the default class has no pause."""
    if change.negate:
        return None
    if "nq-default" in change.parent.line:
        return "ERROR: pause is not supported on the default class"
    policy = _policy_of(change.device, change.parent)
    for other in policy.children.values() if policy else ():
        if other is not change.parent and other.value("pause", "cos") == change.values["cos"]:
            return f"ERROR: pfc-cos {change.values['cos']} is already used by {other.line}"
    return None


def _policy_of(device: Device, block: Node) -> Node | None:
    return next((p for p in device.root.children.values() if block in p.children.values()), None)


def bandwidth(change: Change) -> str | None:
    """Shares of one policy add up to at most 100; a priority queue has none."""
    if change.negate:
        return None
    if change.parent.get("pause"):
        return "ERROR: bandwidth cannot be configured with pause buffer-size"
    if change.parent.get("priority"):
        return "ERROR: bandwidth cannot be configured on a priority class"
    policy = _policy_of(change.device, change.parent)
    for key in ("remaining", "percent"):
        if key in change.values and policy:
            others = (c for c in policy.children.values() if c is not change.parent)
            total = int(change.values[key]) + sum(int(c.value("bandwidth", key, "0")) for c in others)
            if total > 100 and change.device.form("bandwidth") == "refused":
                return f"ERROR: sum of bandwidth percentages {total} exceeds 100"
    return None


def priority_or_bandwidth(change: Change) -> str | None:
    """A queue with a bandwidth share cannot become the priority queue."""
    if not change.negate and (change.parent.get("bandwidth") or change.parent.get("pause")):
        return "ERROR: priority cannot be configured on a class with bandwidth"
    return None


def thresholds(change: Change) -> str | None:
    """The minimum lies below the maximum."""
    limits = None if change.negate else threshold_bytes(change.line)
    if limits is None or limits[0] < limits[1]:
        return None
    return "ERROR: minimum-threshold must be less than maximum-threshold"


def threshold_bytes(line: str) -> tuple[int, int] | None:
    """(minimum, maximum) in bytes of a configured random-detect line, None for the form without thresholds."""
    words = line.split()
    if "minimum-threshold" not in words:
        return None
    low, high = words.index("minimum-threshold"), words.index("maximum-threshold")
    return int(words[low + 1]) * _BYTES[words[low + 2]], int(words[high + 1]) * _BYTES[words[high + 2]]


def hsrp_group(change: Change) -> str | None:
    """Version 1 knows groups 0-255 only."""
    version = change.parent.get("hsrp version")
    if change.negate or int(change.values["group"]) <= 255 or (version is not None and version.line.endswith("2")):
        return None
    return "ERROR: group numbers above 255 need hsrp version 2"


def one_bgp(change: Change) -> str | None:
    """One BGP instance per switch."""
    for node in change.device.root.begin("router bgp"):
        if node.values["asn"] != change.values["asn"]:
            return f"BGP is already running; AS is {node.values['asn']}"
    return None


def one_vpc_domain(change: Change) -> str | None:
    """One vPC domain per switch."""
    for node in change.device.root.begin("vpc domain"):
        if node.values["domain"] != change.values["domain"] and not change.negate:
            return f"ERROR: vPC domain {node.values['domain']} is already configured"
    return None


def vpc_domain_exists(change: Change) -> str | None:
    """A vPC needs its domain first."""
    present = next(change.device.root.begin("vpc domain"), None)
    return None if change.negate or present else "ERROR: Operation failed: vPC domain is not configured"


def bridge_priority(change: Change) -> str | None:
    """A bridge's priority is a multiple of 4096 (IEEE 802.1D; layer 2 guide)."""
    if change.negate or int(change.values["n"]) % 4096 == 0:
        return None
    return "ERROR: Bridge Priority must be in increments of 4096"


def storm_of_bundle(change: Change) -> str | None:
    """Storm control of a bundle is configured on the bundle (security guide, guidelines)."""
    if change.negate or change.parent.get("channel-group") is None:
        return None
    return f"ERROR: {change.interface}: storm-control is not allowed on a port-channel member"


def access_entry(change: Change) -> str | None:
    """Source and destination of an entry are networks, hosts or any."""
    words = change.values.get("rest", "").split()
    ends = re.fullmatch(r"(any|host \S+|\S+/\d+|\d\S+ \d\S+) (any|host \S+|\S+/\d+|\d\S+ \d\S+)( .*)?", " ".join(words))
    return None if change.negate or ends else "ERROR: invalid access list entry"


def ttl_or_multihop(change: Change) -> str | None:
    """A session is either for so many hops or from no more than so many (unicast routing guide)."""
    other = "ebgp-multihop" if "ttl-security" in change.line else "ttl-security hops"
    if change.negate or change.parent.get(other) is None:
        return None
    return f"ERROR: {change.setting} cannot be configured with {other}"


def telemetry_member(change: Change) -> str | None:
    """A subscription names groups that are there."""
    kind = "destination-group" if "dst-grp" in change.line else "sensor-group"
    telemetry = change.device.root.get("telemetry")
    there = telemetry is not None and telemetry.get(f"{kind} {change.values['group']}")
    return None if change.negate or there else f"ERROR: {kind} {change.values['group']} does not exist"


def telemetry_group(change: Change) -> str | None:
    """A group that a subscription names cannot be deleted."""
    kind = "dst-grp" if "destination-group" in change.line else "snsr-grp"
    named = (each.get(f"{kind} {change.values['group']}") for each in change.parent.begin("subscription"))
    return f"ERROR: {change.line} is in use by a subscription" if change.negate and any(named) else None


CHECKS: dict[str, Callable[[Change], str | None]] = overlay.CHECKS | address_checks.CHECKS | {
    check.__name__: check
    for check in (
        stays, port_speed, layer2_mtu, policy_exists, policy_in_use, class_map_in_use, class_map_exists, network_class,
        queuing_class, pause_once, bandwidth, priority_or_bandwidth, thresholds, hsrp_group, one_bgp,
        one_vpc_domain, vpc_domain_exists, bridge_priority, storm_of_bundle, access_entry,
        ttl_or_multihop, telemetry_member, telemetry_group,
    )
}  # fmt: skip
"""Name in the command table to function."""
