"""Policies of a domain by themselves: classes, VLANs on uplinks, multicast, switching mode."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from ..resource import Resource, UnknownValueError
from ..rule import Rule
from .asked import all_of, any_of, asked, each_of, holds, indexed, joined, members, sifted
from .interconnects import DOMAIN_GUIDE
from .inventory import POLICY, Object, alone, called, children, of, part, shown

_FC_MTU: Final = 2240
"""Largest frame of Fibre Channel over Ethernet; an interconnect takes no other for its class."""
_MTU: Final = 9216
"""Largest frame of an Ethernet class; a vNIC sends at most 9158."""
_COS: Final = {"Best Effort": 255, "FC": 3, "Platinum": 5, "Gold": 4, "Silver": 2, "Bronze": 1}
"""CoS of each class as an interconnect ships them; 255 is any."""


def _by_name(values: Object) -> Mapping[str, Object]:
    return indexed(members(values.get("Classes")), lambda each: str(each.get("Name")))


def _enabled(found: Mapping[str, Object]) -> Iterator[str]:
    return sifted(lambda name: found[name].get("AdminState") == "Enabled", found)


def _stated(resource: Resource, values: Object) -> Iterator[str]:
    found = _by_name(values)
    lacks = sifted(lambda name: name not in found, _COS)
    yield from joined(
        lacks,
        lambda those: f"{resource.name} does not state class {', '.join(those)}: it keeps what the domain had before",
    )


def _each_class(resource: Resource, values: Object) -> Iterator[str]:
    classes = each_of(lambda each: (str(each.get("Name")), each), members(values.get("Classes")))
    questions = asked(lambda each: (partial(_drop, *each), partial(_cos, *each)), classes)
    yield from (f"{resource.name} {text}" for text in all_of(questions))


def _drop(name: str, about: Object) -> Iterator[str]:
    storage = name == "FC"

    def drops() -> bool:
        return bool(about.get("PacketDrop", not storage))

    def narrow() -> bool:
        mtu = int(about.get("Mtu") or 1500)
        return mtu != _FC_MTU if storage else mtu < _MTU

    if any_of((lambda: drops() == storage, narrow)):
        try:
            what = "drop" if drops() else "no-drop"
        except UnknownValueError:
            what = "drop (not known yet)"
        yield f"has class {name} {what} with {shown(about, 'Mtu', '1500')} bytes"


def _cos(name: str, about: Object) -> Iterator[str]:
    if about.get("Cos") != _COS.get(name):
        cos = "unset" if about.get("Cos") is None else int(about["Cos"])
        yield f"gives class {name} CoS {cos}, not {_COS.get(name)}"


def _best_effort(resource: Resource, values: Object) -> Iterator[str]:
    if _by_name(values).get("Best Effort", {}).get("AdminState") != "Enabled":
        yield f"{resource.name} has Best Effort, the class of everything, off"


def _shares(resource: Resource, values: Object) -> Iterator[str]:
    found = _by_name(values)
    share = sum(int(found[name].get("BandwidthPercent") or 0) for name in _enabled(found))
    if share != 100 or holds(lambda name: not int(found[name].get("Weight") or 0), _enabled(found)):
        yield f"{resource.name} gives its enabled classes {share} percent of the bandwidth, or one of them no weight"


def _idle(resource: Resource, values: Object) -> Iterator[str]:
    found = _by_name(values)
    off = sifted(lambda name: found[name].get("AdminState") != "Enabled", found)
    given = sifted(lambda name: holds(lambda key: int(found[name].get(key) or 0), ("Weight", "BandwidthPercent")), off)
    yield from joined(
        given, lambda those: f"{resource.name} gives bandwidth to {', '.join(sorted(those))}, which is off"
    )


def _watchdog(resource: Resource, values: Object) -> Iterator[str]:
    if not part(values, "PfcWatchdog").get("IsWatchdogEnabled"):
        yield f"{resource.name} has the PFC watchdog off"


def _on_uplinks(resource: Resource, _values: Object) -> Iterator[str]:
    questions = (_allowed, _native, _multicast)
    vlans = asked(lambda each: (partial(ask, each) for ask in questions), children(resource, "fabric.Vlan"))
    yield from (f"{resource.name} {text}" for text in all_of(vlans))


def _allowed(vlan: Object) -> Iterator[str]:
    if part(vlan, "properties").get("AutoAllowOnUplinks", True):
        yield f"sends VLAN {called(vlan)} to every uplink there will be"


def _native(vlan: Object) -> Iterator[str]:
    if part(vlan, "properties").get("IsNative"):
        yield f"makes VLAN {called(vlan)} native on every port of the domain"


def _multicast(vlan: Object) -> Iterator[str]:
    if not part(vlan, "references").get("MulticastPolicy"):
        yield f"gives VLAN {called(vlan)} no multicast policy"


def _snooping(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("SnoopingState", "Enabled") != "Enabled":
        yield f"{resource.name} floods multicast to every server"


def _querier(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("QuerierState", "Disabled") != "Disabled" and not values.get("QuerierIpAddress"):
        yield f"{resource.name} is a querier without an address"


def _switching(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("EthernetSwitchingMode") != "end-host":
        mode = values.get("EthernetSwitchingMode") or "unset"
        yield f"{resource.name} switches in mode {mode}: it joins spanning tree"


def _jumbo(resource: Resource, values: Object) -> Iterator[str]:
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
        check=alone("fabric.SystemQosPolicy", _stated, _each_class, _best_effort, _shares, _idle, _watchdog),
    ),
    Rule(
        id="compute-interconnects-are-end-hosts",
        title="Interconnects are end hosts with jumbo frames",
        why="In switch mode a pair joins spanning tree, and it blocks one of two uplinks; storage sends 9000 bytes.",
        fix="Set EthernetSwitchingMode end-host and EnableJumboFrame in the switch control policy.",
        reference=DOMAIN_GUIDE,
        severity="high",
        types=of(POLICY),
        check=alone("fabric.SwitchControlPolicy", _switching, _jumbo),
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
        check=alone("fabric.MulticastPolicy", _snooping, _querier),
    ),
)
