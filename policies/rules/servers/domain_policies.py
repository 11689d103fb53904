"""Policies of a domain by themselves: classes, VLANs on uplinks, multicast, switching mode."""

from collections.abc import Iterator
from typing import Final

from ..resource import Resource
from ..rule import Rule, items
from .interconnects import DOMAIN_GUIDE
from .inventory import POLICY, Object, alone, children, of

_FC_MTU: Final = 2240
"""Largest frame of Fibre Channel over Ethernet; an interconnect takes no other for its class."""
_MTU: Final = 9216
"""Largest frame of an Ethernet class; a vNIC sends at most 9158."""
_COS: Final = {"Best Effort": 255, "FC": 3, "Platinum": 5, "Gold": 4, "Silver": 2, "Bronze": 1}
"""CoS of each class as an interconnect ships them; 255 is any."""


def _classes(resource: Resource, values: Object) -> Iterator[str]:
    found = {str(each.get("Name")): each for each in items(values.get("Classes"))}
    enabled = {name: each for name, each in found.items() if each.get("AdminState") == "Enabled"}
    lacks = [name for name in _COS if name not in found]
    if lacks:
        yield f"{resource.name} does not state class {', '.join(lacks)}: it keeps what the domain had before"
    for name, each in found.items():
        drops, mtu = each.get("PacketDrop", name != "FC"), int(each.get("Mtu") or 1500)
        if drops == (name == "FC") or (mtu != _FC_MTU if name == "FC" else mtu < _MTU):
            yield f"{resource.name} has class {name} {'' if drops else 'no-'}drop with {mtu} bytes"
        if each.get("Cos") != _COS.get(name):
            cos = "unset" if each.get("Cos") is None else int(each["Cos"])
            yield f"{resource.name} gives class {name} CoS {cos}, not {_COS.get(name)}"
    if "Best Effort" not in enabled:
        yield f"{resource.name} has Best Effort, the class of everything, off"
    share = sum(int(each.get("BandwidthPercent") or 0) for each in enabled.values())
    if share != 100 or any(not int(each.get("Weight") or 0) for each in enabled.values()):
        yield f"{resource.name} gives its enabled classes {share} percent of the bandwidth, or one of them no weight"
    idle = [name for name in found.keys() - enabled.keys()
            if int(found[name].get("Weight") or 0) or int(found[name].get("BandwidthPercent") or 0)]  # fmt: skip
    if idle:
        yield f"{resource.name} gives bandwidth to {', '.join(sorted(idle))}, which is off"
    if not (values.get("PfcWatchdog") or {}).get("IsWatchdogEnabled"):
        yield f"{resource.name} has the PFC watchdog off"


def _on_uplinks(resource: Resource, _values: Object) -> Iterator[str]:
    for each in children(resource, "fabric.Vlan"):
        about = each.get("properties") or {}
        if about.get("AutoAllowOnUplinks", True):
            yield f"{resource.name} sends VLAN {each.get('name')} to every uplink there will be"
        if about.get("IsNative"):
            yield f"{resource.name} makes VLAN {each.get('name')} native on every port of the domain"
        if not (each.get("references") or {}).get("MulticastPolicy"):
            yield f"{resource.name} gives VLAN {each.get('name')} no multicast policy"


def _snooping(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("SnoopingState", "Enabled") != "Enabled":
        yield f"{resource.name} floods multicast to every server"
    if values.get("QuerierState", "Disabled") != "Disabled" and not values.get("QuerierIpAddress"):
        yield f"{resource.name} is a querier without an address"


def _switching(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("EthernetSwitchingMode") != "end-host":
        mode = values.get("EthernetSwitchingMode") or "unset"
        yield f"{resource.name} switches in mode {mode}: it joins spanning tree"
    if not values.get("EnableJumboFrame"):
        yield f"{resource.name} has jumbo frames off"


DOMAIN_POLICIES: tuple[Rule, ...] = (
    Rule(
        id="compute-domain-classes",
        title="Only Fibre Channel is no-drop on an interconnect, and shares add up",
        why="GPU traffic never crosses it; a second no-drop class there lets one slow server pause the whole domain.",
        fix="Set PacketDrop true but for FC, distinct CoS values, 100 percent over enabled classes, the watchdog on.",
        reference=DOMAIN_GUIDE,
        severity="high",
        types=of(POLICY),
        check=alone("fabric.SystemQosPolicy", _classes),
    ),
    Rule(
        id="compute-interconnects-are-end-hosts",
        title="Interconnects are end hosts with jumbo frames",
        why="In switch mode a pair joins spanning tree, and it blocks one of two uplinks; storage sends 9000 bytes.",
        fix="Set EthernetSwitchingMode end-host and EnableJumboFrame in the switch control policy.",
        reference=DOMAIN_GUIDE,
        severity="high",
        types=of(POLICY),
        check=alone("fabric.SwitchControlPolicy", _switching),
    ),
    Rule(
        id="compute-vlans-chosen-on-uplinks",
        title="A VLAN is on the uplinks that name it, tagged, with a multicast policy",
        why="A VLAN on every uplink leaves by whichever comes next; a native one takes what has no tag on all ports.",
        fix="Set AutoAllowOnUplinks and IsNative to false, and name a MulticastPolicy for each VLAN.",
        reference=DOMAIN_GUIDE,
        severity="medium",
        types=of(POLICY),
        check=alone("fabric.EthNetworkPolicy", _on_uplinks),
    ),
    Rule(
        id="compute-multicast-snooped",
        title="Multicast goes to those who joined",
        why="Without snooping every server of a domain receives every group; a querier needs an address to ask from.",
        fix="Set SnoopingState Enabled; QuerierState Enabled only with QuerierIpAddress.",
        reference=DOMAIN_GUIDE,
        severity="low",
        types=of(POLICY),
        check=alone("fabric.MulticastPolicy", _snooping),
    ),
)
