"""The table of rules about Nexus switches: each checks a plan in the policy pack, a found configuration in `lint`."""

from dataclasses import replace

from . import (
    agreement,
    bundles,
    cables,
    detection,
    forbidden,
    identity,
    lossless,
    nic_mtu,
    pair,
    path,
    peers,
    queues,
    vlans,
)
from .addresses import ADDRESSES
from .alike import ALIKE
from .announced import ANNOUNCED
from .cables import CABLES
from .evpn import EVPN
from .exits import EXITS
from .headroom import HEADROOM
from .ospf import OSPF
from .overlay import OVERLAY
from .rendezvous import RENDEZVOUS
from .routing import ROUTING
from .rule import NexusRule, Rule, StackRule, nothing
from .sessions import SESSIONS
from .sources import SOURCES
from .switches import as_policy, is_switch
from .trunks import TRUNKS
from .tunnels import TUNNELS

_SOURCE = "https://www.cisco.com/c/en/us/td/docs/dcn/whitepapers/cisco-data-center-networking-blueprint-for-ai-ml-applications.html"
_VPC = "https://www.cisco.com/c/dam/en/us/td/docs/switches/datacenter/sw/design/vpc_design/vpc_best_practices_design_guide.pdf"
_QOS = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/qos/cisco-nexus-9000-series-nx-os-quality-of-service-configuration-guide-release-104x.html"
_IFS = "https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/104x/configuration/interfaces/cisco-nexus-9000-series-nx-os-interfaces-configuration-guide-release-104x.html"


_HOPS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-pfc-on-every-hop",
        title="PFC is on at every hop of a lossless class",
        why="RoCE throughput collapses when one hop drops; a pause must work at both ends of each link.",
        fix='Set fabric.lossless.pfc: "on" and remove lines in fabric.extra that undo it.',
        reference=_SOURCE,
        severity="critical",
        judge=lossless.pfc,
    ),
    NexusRule(
        id="fabric-pfc-watchdog",
        title="The PFC watchdog is on",
        why="Without it one stuck receiver pauses every sender back to the source, and the storm does not end.",
        fix='Set fabric.lossless.watchdog: "on".',
        reference=_SOURCE,
        severity="high",
        judge=lossless.watchdog,
    ),
    NexusRule(
        id="fabric-ecn-on-lossless-queue",
        title="The lossless queue marks ECN",
        why="ECN slows senders before PFC has to stop them; without it every congestion becomes a pause that spreads.",
        fix="Give fabric.lossless.ecn thresholds (min_kbytes, max_kbytes) instead of null.",
        reference=_SOURCE,
        severity="high",
        judge=queues.ecn,
    ),
    NexusRule(
        id="fabric-cnp-strict-priority",
        title="Congestion notifications leave by a strict-priority queue",
        why="A notification that waits behind the data it is about slows the sender too late, and PFC has to stop it.",
        fix="Leave fabric.lossless.cnp_dscp in a class of its own and remove lines in fabric.extra that move it.",
        reference=_SOURCE,
        severity="medium",
        judge=queues.cnp,
    ),
    NexusRule(
        id="fabric-shares-add-up",
        title="The queues share out 100 percent of the bandwidth, to where packets are",
        why="Shares that do not add up are refused or rescaled, and the lossless class gets a part nobody meant.",
        fix="Set fabric.lossless.bandwidth_percent and remove bandwidth lines from fabric.extra.",
        reference=_QOS,
        severity="medium",
        judge=queues.shares,
    ),
    NexusRule(
        id="fabric-priority-is-the-nics",
        title="The paused priority is the one NICs send RoCE on",
        why="NICs take the upper three bits of the DSCP as the priority; a pause for another one stops nobody.",
        fix="Choose fabric.lossless.dscp and priority together: priority = dscp / 8.",
        reference=_SOURCE,
        severity="high",
        judge=lossless.marking_of_nics,
    ),
    NexusRule(
        id="fabric-mtu-agrees-on-path",
        title="MTU agrees along the path",
        why="A routed hop with a smaller MTU drops full-size RDMA packets, and RDMA does not fragment.",
        fix="Use one fabric.lossless.mtu for all switches and a host_mtu below it; remove mtu lines from fabric.extra.",
        reference=_SOURCE,
        severity="critical",
        judge=path.mtu,
        alone=False,
        excused_by=nothing,
    ),
    NexusRule(
        id="fabric-one-class-everywhere",
        title="All switches of a fabric carry the same lossless class",
        why="A packet that is lossless at one hop and ordinary at the next is dropped there when it matters.",
        fix="Define the class once, in fabric.lossless, and remove lines in fabric.extra that change it on one switch.",
        reference=_SOURCE,
        severity="critical",
        judge=agreement.same_class,
        alone=False,
    ),
    NexusRule(
        id="fabric-queues-set-alike",
        title="No single switch has other queues than the rest",
        why="One switch that marks earlier or later than all others moves the congestion to where nobody looks.",
        fix="Remove the lines in fabric.extra that set this one switch's queues.",
        reference=_SOURCE,
        severity="low",
        judge=agreement.same_queues,
        alone=False,
        mandatory=False,
    ),
)
"""Rules of the class itself: where one is broken, packets are lost or no sender slows down."""

_AROUND: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-equal-paths-used",
        title="BGP and OSPF use every equal path",
        why="BGP installs one path by default, OSPF eight: flows share these uplinks, and the others stay empty.",
        fix="Remove lines in fabric.extra that lower maximum-paths.",
        reference=_SOURCE,
        severity="high",
        judge=path.equal_paths,
    ),
    NexusRule(
        id="fabric-bfd-bound",
        title="BFD intervals belong to a protocol that uses them",
        why="A BFD interval alone detects nothing: the session exists only when a routing protocol asks for it.",
        fix="Remove the bfd lines from fabric.extra, or let the neighbour there use them.",
        reference=_IFS,
        severity="medium",
        judge=detection.bound,
    ),
    NexusRule(
        id="fabric-no-vpc-on-backend",
        title="The backend has no vPC and no bundles",
        why="A rail is one NIC on one link; bundles move its flows by hash, and spines are not joined to each other.",
        fix="Keep vPC to fabric.frontend; remove vpc domain and channel-group from fabric.extra of leaves and spines.",
        reference=_SOURCE,
        severity="high",
        judge=pair.backend,
    ),
    NexusRule(
        id="fabric-keepalive-independent",
        title="The vPC keepalive does not depend on the peer link",
        why="A keepalive that dies with the peer link tells each peer that the other is gone: both then forward alone.",
        fix="Leave the keepalive to fabric.frontend.vpc: it runs between the peers' mgmt0 in VRF management.",
        reference=_VPC,
        severity="high",
        judge=pair.keepalive,
        alone=False,
        excused_by=nothing,
    ),
    NexusRule(
        id="fabric-vpc-peers-alike",
        title="Both vPC peers have the same vPCs",
        why="NX-OS suspends a vPC or its VLANs on the secondary peer where the two ends are not set alike.",
        fix="Define host ports in fabric.frontend.ports, for both peers; remove one-sided lines from fabric.extra.",
        reference=_VPC,
        severity="high",
        judge=peers.peers,
        alone=False,
    ),
    NexusRule(
        id="fabric-no-inert-lines",
        title="No line that the switch refuses or ignores",
        why="A line that does nothing hides that the thing it was meant to do is not done.",
        fix="Remove the line from fabric.extra; the lossless class already has what it was meant to do.",
        reference=_QOS,
        severity="high",
        judge=forbidden.lines,
    ),
)
"""Rules of what surrounds it: routes, failure detection, pairs, lines in circulation."""

_LINKS: tuple[NexusRule, ...] = (
    NexusRule(
        id="fabric-bfd-both-ends",
        title="Both ends of a BFD session ask for it, with one interval",
        why="A session that one end does not ask for never starts, and of two intervals the slower one counts.",
        fix="Set fabric.bfd_interval_ms and bfd_multiplier, which both ends get; remove bfd lines from fabric.extra.",
        reference=_IFS,
        severity="medium",
        judge=detection.both_ends,
        alone=False,
        excused_by=nothing,
    ),
    NexusRule(
        id="fabric-cables-routed",
        title="Every planned cable between routers has an address on it",
        why="A port without one is up and carries nothing: the links that are left take its share unseen.",
        fix="Remove lines in fabric.extra that make a port of a leaf-spine link or an uplink something else.",
        reference=_IFS,
        severity="high",
        judge=cables.routed,
    ),
    NexusRule(
        id="fabric-vlan-created",
        title="A VLAN that is used is created",
        why="NX-OS shuts an access port down whose VLAN is not there, and an SVI without its VLAN stays down.",
        fix="Remove the line from fabric.extra that names another VLAN or takes one away.",
        reference=_IFS,
        severity="high",
        judge=vlans.there,
    ),
    NexusRule(
        id="fabric-hosts-in-their-vlan",
        title="Hosts are in the VLANs meant for them, each with a gateway that is up",
        why="In another rail's VLAN nobody answers a NIC's address, and without a gateway it reaches one leaf only.",
        fix="Leave VLANs, trunks and gateways to the fabric's fields; remove lines in fabric.extra that change them.",
        reference=_IFS,
        severity="high",
        judge=vlans.hosts,
    ),
    NexusRule(
        id="fabric-bundles-hold",
        title="Members of a port-channel fit it",
        why="NX-OS refuses or suspends a member whose VLANs or mode differ, and a vPC without members carries nothing.",
        fix="Define host ports in fabric.frontend.ports; remove lines in fabric.extra that change one end of a bundle.",
        reference=_IFS,
        severity="high",
        judge=bundles.hold,
        alone=False,
        excused_by=nothing,
    ),
)
"""Rules of links and of what runs on them: VLANs, bundles, sessions."""


def _policy(rule: NexusRule) -> Rule | StackRule:
    made = as_policy(rule)
    if isinstance(made, StackRule) and rule.judge is path.mtu:
        return replace(made, types=nic_mtu.switch_or_nics, compare=nic_mtu.along_path)
    return made


_OTHERS = (
    *_AROUND, *_LINKS, *OVERLAY, *SESSIONS, *ROUTING, *ANNOUNCED, *ADDRESSES, *OSPF, *TUNNELS, *EVPN, *TRUNKS, *CABLES,
    *HEADROOM, *EXITS, *ALIKE, *SOURCES, *RENDEZVOUS,
)  # fmt: skip
NEXUS = (*_HOPS, *_OTHERS)
LOSSLESS: tuple[Rule | StackRule, ...] = tuple(map(_policy, _HOPS))
_ONCE = StackRule(
    id="fabric-switch-is-one",
    title="Every switch has a name, a management address and a router id of its own",
    why="Two definitions of one switch undo each other at every update; two router ids alike lose routes at random.",
    fix="Give each fabric of the cluster its own names and addresses; hand one the `paths` of the other as `beside`.",
    reference=_SOURCE,
    severity="critical",
    excused_by=nothing,
    types=is_switch,
    compare=identity.once,
)
FABRIC: tuple[Rule | StackRule, ...] = (*LOSSLESS, *map(_policy, _OTHERS), _ONCE)
