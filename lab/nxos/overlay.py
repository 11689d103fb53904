"""What the device refuses of VXLAN EVPN, AAA, TCAM and headroom lines whose syntax is right; see `checks`."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.change import Change

TCAM_UNIT = 128
"""Regions are carved in units of this many entries, 256 from 256 upwards (security guide, IP ACL TCAM regions)."""


def one_vni(change: Change) -> str | None:
    """A VNI belongs to one VLAN, and to one VRF."""
    if change.negate:
        return None
    kind, setting = change.parent.line.split()[0], "vn-segment" if change.parent.line.startswith("vlan") else "vni"
    for other in change.device.root.begin(kind):
        if other is not change.parent and other.value(setting, "vni") == change.values["vni"]:
            return f"ERROR: VNI {change.values['vni']} is already configured under {other.line}"
    return None


def loopback_source(change: Change) -> str | None:
    """The VTEP address is that of a loopback."""
    if change.negate or change.values["port"].startswith("loopback"):
        return None
    return "ERROR: source-interface must be a loopback interface"


def bgp_reachability(change: Change) -> str | None:
    """Replication by BGP needs reachability by BGP; static replication does not go with it."""
    if change.negate:
        return None
    nve = change.device.interface("nve1")
    learned = nve is not None and nve.get("host-reachability protocol") is not None
    if change.line.endswith(" bgp") and not learned:
        return "ERROR: host-reachability protocol bgp is not configured"
    if change.line.endswith(" static") and learned:
        return "ERROR: static ingress-replication cannot be configured with host-reachability protocol bgp"
    return None


def server_group(change: Change) -> str | None:
    """A method list names groups that are there."""
    for key in ("group", "group2"):
        name = change.values.get(key)
        if not change.negate and name and not change.device.root.get(f"aaa group server tacacs+ {name}"):
            return f"ERROR: server group {name} is not configured"
    return None


def tacacs_server(change: Change) -> str | None:
    """A group holds servers that are configured."""
    host = change.values["host"]
    if change.negate or change.device.root.get(f"tacacs-server host {host}"):
        return None
    return "ERROR: specified TACACS+ server not found, please configure it using tacacs-server host ... and then retry"


def tcam_size(change: Change) -> str | None:
    """Sizes come in units."""
    if change.negate or int(change.values["size"]) % TCAM_UNIT == 0:
        return None
    return "ERROR: TCAM region size must be in multiples of 256 entries"


def ingress_queue(change: Change) -> str | None:
    """Headroom belongs to an ingress queue, and a queue that has it has no share and no priority."""
    if change.negate:
        return None
    if " c-in-" not in change.parent.line:
        return "ERROR: pause buffer-size can only be configured on ingress queues"
    if change.parent.get("bandwidth") or change.parent.get("priority"):
        return "ERROR: pause buffer-size cannot be configured with priority or bandwidth"
    low, high, size = (int(change.values[key]) for key in ("xon", "xoff", "size"))
    if not low <= high <= size:
        return "ERROR: thresholds must satisfy resume-threshold <= pause-threshold <= buffer-size"
    return None


CHECKS: dict[str, Callable[[Change], str | None]] = {
    check.__name__: check
    for check in (one_vni, loopback_source, bgp_reachability, server_group, tacacs_server, tcam_size, ingress_queue)
}
"""Name in the command table to function."""
