"""Rows of the lines of a switch's configuration. The first that matches a line is its row; the last matches all.

A line that only comes is mostly live: nothing used it before. What two ends share is two-ended when a value takes the
place of another; when it only goes, its port is given up.
"""

from __future__ import annotations

from typing import Final

from podwright.components.changes.line_rows import both_ends as _both_ends
from podwright.components.changes.line_rows import down as _down
from podwright.components.changes.line_rows import everywhere as _everywhere
from podwright.components.changes.line_rows import live as _live
from podwright.components.changes.row import ChangeClass, LineRow

_LIVE, _DISRUPTIVE, _TWO_ENDED = ChangeClass.LIVE, ChangeClass.DISRUPTIVE, ChangeClass.TWO_ENDED
_PORT: Final = r"interface (Ethernet|port-channel)"
_SVI: Final = r"interface Vlan"
_QOS_GUIDE: Final = "Nexus 9000 QoS guide, 10.5(x)"
_INTERFACES_GUIDE: Final = "Nexus 9000 interfaces guide, 10.5(x)"
_RELOAD_GUIDES: Final = (
    "Nexus 9000 system management guide, `show system config reload-pending`; interfaces and security guides, 10.x"
)
_NETWORK_QOS: Final = (
    "{name}: the network-qos policy changes; the switch programs its no-drop classes anew on every port, and what is "
    "in flight may be dropped: {touched}"
)
_QUEUING: Final = (
    "{name}: the queuing policy changes (ECN thresholds, queue shares); the switch drops traffic for a moment on every "
    "port of the type: {touched}"
)
_RELOAD: Final = (
    "{name}: {lines} takes effect only after a reload, which podwright does not do by itself; the reload takes down "
    "{touched}"
)


def _lossless(section: str, line: str | None, reason: str, warning: str, change: ChangeClass = _DISRUPTIVE) -> LineRow:
    return LineRow(
        "config",
        change,
        reason,
        f"{_QOS_GUIDE}, queuing and scheduling: changes are disruptive, all ports of the type lose traffic briefly",
        add=_DISRUPTIVE,
        scope="switch",
        verb="lose lossless traffic for a moment",
        lasts="a moment",
        warning=warning,
        section=section,
        line=line,
    )


def _reload(section: str, source: str) -> tuple[LineRow, LineRow]:
    """Lines that stand at once and work after a reload, the section's own and those below it."""

    def row(line: str | None) -> LineRow:
        return LineRow(
            "config",
            _LIVE,
            "the switch takes it at its next reload, which podwright does not do by itself",
            source,
            scope="switch",
            verb="wait for a reload",
            lasts="a reload takes minutes",
            warning=_RELOAD,
            at_reload=True,
            section=section,
            line=line,
        )

    return row(None), row("")


_QUALITY: Final = (
    _lossless(
        "policy-map type network-qos ",
        r"pause ",
        "the priority that pauses: a sender and a receiver of pause frames must agree on it",
        _NETWORK_QOS,
        _TWO_ENDED,
    ),
    *(
        _lossless(section, line, "no-drop classes and buffers are programmed anew on every port", _NETWORK_QOS)
        for section, line in (
            ("policy-map type network-qos ", ""),
            ("policy-map type network-qos ", None),
            ("", "service-policy type network-qos "),
        )
    ),
    *(
        _lossless(section, line, "queues and thresholds are programmed anew on every port of the type", _QUEUING)
        for section, line in (
            ("policy-map type queuing ", ""),
            ("policy-map type queuing ", None),
            ("", "service-policy type queuing "),
        )
    ),
    _everywhere(
        "class-map type qos ",
        r"match dscp ",
        "hosts mark with it and every switch on the path puts it into its class; where they differ, the class is lossy",
    ),
    _down("class-map ", None, "what it matched falls into another class", scope="switch"),
    _live("class-map ", "", "what is matched moves to another class with the next packet"),
    _everywhere(
        "policy-map type qos ",
        r"set (qos-group|cos|dscp) ",
        "the queue and the priority of a class must be the same on every hop",
    ),
    _down("policy-map type qos ", "class ", "what the class had falls into the default class", scope="switch"),
    _down("policy-map type qos ", None, "what it classified falls into the default class", scope="switch"),
    _down(_PORT, "service-policy type qos ", "what the port receives falls into another class until it is back"),
    _down("", "service-policy type qos ", "what it classified falls into the default class", scope="switch"),
    _down(_PORT, "priority-flow-control mode ", "the port no longer pauses, or no longer honours a pause"),
    _live("", "priority-flow-control watch-dog", "only a queue that is stuck is treated otherwise"),
    _live("priority-flow-control ", None, "only a queue that is stuck is treated otherwise"),
    _live("system qos", None, "the section always exists"),
)

_PORTS: Final = (
    LineRow(
        "config",
        _DISRUPTIVE,
        "a port that changes its shape loses its configuration and its links",
        f"{_INTERFACES_GUIDE}, overview: a breakout removes the configuration of the port",
        scope="cage",
        verb="take ports down",
        lasts="until both ends are cabled and configured again",
        section="interface breakout ",
    ),
    _live("", "description ", "a comment"),
    _live("", "name ", "a comment"),
    _both_ends(_PORT, "mtu ", "a frame larger than the far end takes is dropped there"),
    _down(_SVI, "mtu ", "packets larger than the new value are fragmented or dropped"),
    _both_ends(_PORT, r"vrf member ", "sessions and routes over the link need both ends in one table"),
    _both_ends(
        _PORT, r"(ip|ipv6) (link-local|address|forward)", "sessions over the link stand between these addresses"
    ),
    _both_ends(_PORT, r"ip router |ip ospf network |ip ospf (hello|dead)", "neighbours form only where both agree"),
    _both_ends(_PORT, r"(speed|fec|negotiate|no negotiate|duplex)\b", "a link comes up only where both ends agree"),
    _both_ends(_PORT, r"switchport trunk native vlan ", "untagged frames change their VLAN at the far end"),
    _both_ends(_PORT, r"(channel-group|vpc|lacp|no lacp)\b", "a bundle forms only where both ends agree"),
    _live(
        _PORT,
        "storm-control ",
        "broadcasts and multicasts above the limit are dropped; unicast, which RoCE is, has none",
        "Nexus 9000 security guide, traffic storm control",
    ),
    _both_ends(_PORT, r"spanning-tree port type network", "bridge assurance blocks a port whose far end has none"),
    _down(_PORT, r"(no )?switchport$|switchport mode ", "a port that changes its layer loses what it carried"),
    _down(_PORT, r"switchport access vlan ", "the host behind it changes its VLAN"),
    _down(_PORT, r"switchport trunk allowed ", "VLANs that leave the trunk stop there"),
    LineRow(
        "config",
        _DISRUPTIVE,
        "the port goes down",
        scope="port",
        remove=_LIVE,
        verb="take ports down",
        lasts="until it is enabled again",
        section=_PORT,
        line="shutdown",
    ),
    _live(_PORT, "no shutdown", "the port comes up; where it goes, `shutdown` says so"),
    _down(_SVI, r"ip address |vrf member ", "hosts of the VLAN lose their gateway until they have the new one"),
    _down(_SVI, r"hsrp|ip \d", "hosts of the VLAN lose their gateway until they have the new one"),
    _down(_SVI, r"(no )?shutdown|ip router |ip forward", "what is routed for the VLAN stops"),
    _down(_SVI, None, "hosts of the VLAN lose their gateway"),
    _both_ends("interface loopback", "ip address ", "sessions and tunnels of other switches end at it", scope="switch"),
    _down("interface loopback", None, "sessions and tunnels of other switches end at it", scope="switch"),
    _down("interface port-channel", None, "the bundle goes"),
    _both_ends("interface nve", "member vni ", "the far tunnel ends use the same VNI", scope="switch"),
    _down("interface nve", "", "tunnels stop while it changes", scope="switch"),
    _down("interface nve", None, "every tunnel ends", scope="switch"),
    _live("interface ", "", "nothing that runs over the interface notices"),
    _live("interface ", None, "the section itself; its lines are classed one by one"),
)

_SWITCHING: Final = (
    _both_ends(
        r"spanning-tree vlan \d",
        None,
        "both peers of a pair have one priority, or they answer spanning tree with two bridge ids",
        "Nexus 9000 interfaces guide, vPC peer switch",
        scope="switch",
        remove=ChangeClass.LIVE,
    ),
    _live("spanning-tree port type ", None, "a port of a host that hears spanning tree goes down; no host speaks it"),
    _both_ends("vlan ", "vn-segment ", "every switch of the VLAN has the same VNI"),
    _down("vlan ", None, "what is in the VLAN stops"),
    _both_ends("vpc domain ", None, "both peers must be of one domain", scope="switch"),
    _both_ends("vpc domain ", "peer-switch", "both peers answer spanning tree with one bridge id", scope="switch"),
    _live("vpc domain ", "", "no link is formed anew"),
)

_ROUTING: Final = (
    _both_ends(
        "router bgp ",
        None,
        "every neighbour names this AS: all sessions go down",
        scope="switch",
        remove=_TWO_ENDED,
    ),
    _both_ends("router bgp ", "remote-as ", "the session stands only with the AS that the far end has", scope="switch"),
    _both_ends(
        "router bgp ",
        r"(password|ttl-security)\b",
        "packets of an end that has it not are dropped by the one that has it: the session goes down",
        "Nexus 9000 unicast routing guide, advanced BGP",
        scope="switch",
        add=_TWO_ENDED,
        remove=_TWO_ENDED,
    ),
    _both_ends("router bgp ", r"(update-source|ebgp-multihop)\b", "both ends must have it alike", scope="switch"),
    _down("router bgp ", r"neighbor |vrf ", "the session goes, and with it the routes", scope="switch"),
    _down(
        "router bgp ",
        r"router-id |address-family |route-reflector-client|timers ",
        "the session is reset",
        scope="switch",
    ),
    _live("router bgp ", "", "routes are chosen anew; sessions stand"),
    _both_ends("router ", None, "with the routing protocol go all its neighbours", scope="switch", remove=_TWO_ENDED),
    _down("router ", r"router-id |area ", "every neighbour forms anew", scope="switch"),
    _live("router ", "", "routes are chosen anew; neighbours stand"),
    _both_ends(
        "vrf context ",
        r"vni |route-target |rd ",
        "the far switches import and export the same",
        scope="switch",
    ),
    _down("vrf context ", None, "everything in the VRF stops", scope="switch"),
    _live("vrf context ", "", "routes of the VRF are chosen anew"),
    _live(r"ip access-list ", None, "who may log in, where terminal lines name it; sessions that stand are not asked"),
    _live(r"ip access-list ", "", "who may log in, where terminal lines name it; sessions that stand are not asked"),
    _live(r"ip (route|prefix-list)|route-map ", None, "routes are chosen anew"),
    _live(r"ip (route|prefix-list)|route-map ", "", "routes are chosen anew"),
)

_REST: Final = (
    *_reload("hardware access-list tcam region ", _RELOAD_GUIDES),
    *_reload("hardware profile ", _RELOAD_GUIDES),
    *_reload("system routing template-", _RELOAD_GUIDES),
    *_reload("boot nxos ", _RELOAD_GUIDES),
    _down("feature |nv overlay", None, "everything that the feature carries goes with it", scope="switch"),
    _live(
        r"(aaa|tacacs-server|ip (domain-name|name-server)|ntp|logging|snmp-server|copp|system jumbomtu|lldp|clock"
        r"|banner|errdisable recovery|line vty|telemetry|username)\b",
        None,
        "management and limits: nothing that is forwarded notices",
    ),
    _live(r"aaa |tacacs-server |line vty|telemetry", "", "management: nothing that is forwarded notices"),
)

OTHER: Final = (
    _live("", None, "no row of its own: typed as it is written, and nothing more is known of it"),
    _live("", "", "no row of its own: typed as it is written, and nothing more is known of it"),
)
"""Raw lines of a site (`extra`) that no other row knows."""

LINES: Final = (*_QUALITY, *_PORTS, *_SWITCHING, *_ROUTING, *_REST, *OTHER)
