"""vNICs of a Cisco VIC: on both fabrics, with everything they name, as wide as their path, and never with RoCE."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..kubernetes import kind
from ..resource import Resource
from ..rule import Finding, NotApplicable, Rule, StackRule, nothing
from .inventory import POLICY, PROFILE, Object, alone, attached, children, objects, of, properties, spec, target

_ROCE: Final = "https://www.cisco.com/c/en/us/td/docs/unified_computing/Intersight/IMM_RoCE_Configuration/b-imm-rdma-over-converged-ethernet--roce--v2.html"
_CONTROL: Final = "https://cisco.com/c/en/us/td/docs/unified_computing/ucs/ucs-central/GUI-User-Guides/Network-Mgmt/2-0/b_UCSCentral_NetworkManagementGuide-2_0/m_network_policies.html"
_ADAPTER: Final = "https://www.cisco.com/c/en/us/products/collateral/interfaces-modules/unified-computing-system-adapters/victuning-wp.html"
_QOS: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/ethernet_qos/"
_LAN: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/lan_connectivity/"
_CISCO: Final = "1137"
"""PCI vendor id of Cisco's VICs."""
_ALWAYS: Final = ("EthQosPolicy", "EthAdapterPolicy")
_ATTACHED: Final = (*_ALWAYS, "FabricEthNetworkGroupPolicy", "FabricEthNetworkControlPolicy")
_STANDALONE: Final = (*_ALWAYS, "EthNetworkPolicy")
_TEMPLATE: Final = "SrcTemplate"
"""A vNIC of a template has its policies there."""


def _roce(resources: Sequence[Resource]) -> Iterator[Finding]:
    spoke = False
    for each in resources:
        about = spec(each)
        if about.get("object_type") == "vnic.EthAdapterPolicy":
            spoke = True
            if (properties(each).get("RoceSettings") or {}).get("Enabled"):
                yield Finding(f"{each.name} turns RoCE on for vNICs of a VIC", each.urn)
        elif kind(each) == "SriovNetworkNodePolicy":
            spoke = True
            vendor = str((about.get("nicSelector") or {}).get("vendor") or "").removeprefix("0x")
            if vendor == _CISCO and about.get("isRdma"):
                yield Finding(f"{each.name} makes a rail of a VIC (vendor {_CISCO})", each.urn)
    if not spoke:
        raise NotApplicable("no VIC and no rail is configured")


def _with_rails(token: str) -> bool:
    return token == POLICY or token.endswith(":SriovNetworkNodePolicy")


def _fabrics(resource: Resource, values: Object) -> Iterator[str]:
    vnics = children(resource, "vnic.EthIf")
    about = [each.get("properties") or {} for each in vnics]
    fails_over = [bool(each.get("FailoverEnabled")) for each in about]
    places = [each.get("Placement") or {} for each in about]
    if values.get("TargetPlatform") == "FIAttached":
        sides = {str(each.get("SwitchId")) for each in places} & {"A", "B"}
        if len(sides) == 2 and any(fails_over):
            yield f"{resource.name} has vNICs on both fabrics and fabric failover: two parties move the same address"
        elif len(sides) < 2 and not (fails_over and all(fails_over)):
            where = f"fabric {sides.pop()}" if sides else "no stated fabric"
            yield f"{resource.name} has vNICs on {where} only, without failover: its loss cuts the server off"
    else:
        if len({each.get("Uplink") for each in places}) < 2:
            yield f"{resource.name} has its vNICs on one uplink of the adapter"
        if any(fails_over) or any(each.get("SwitchId", "None") != "None" for each in places):
            yield f"{resource.name} names fabrics or failover, which only servers behind interconnects have"
    yield from _seats(resource, values, places, [each.get("Order") for each in about])


def _seats(resource: Resource, values: Object, places: Sequence[Object], orders: Sequence[Any]) -> Iterator[str]:
    """Where each vNIC is on the adapter, and its number: the host names its interfaces by them."""
    stated = all(each.get("Id") and each.get("PciLink") is not None for each in places)
    fixed = all(each.get("PciLinkAssignmentMode") == "Custom" for each in places)
    if values.get("PlacementMode") != "custom" or not stated or not fixed:
        yield f"{resource.name} leaves the place of a vNIC open: the host may name them in another order"
    elif set(orders) != set(range(len(orders))):
        yield f"{resource.name} numbers its vNICs {', '.join(str(int(each or 0)) for each in orders)}, not from 0 on"


def _control(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("UplinkFailAction") != "linkDown":
        yield f"{resource.name} keeps vNICs up when their fabric loses its uplinks: a bond sends into the void"
    if values.get("MacRegistrationMode") != "allVlans":
        yield f"{resource.name} registers addresses of the native VLAN only: others are flooded"
    if values.get("ForgeMac") != "allow":
        yield f"{resource.name} drops what a bond sends after a failover, by the other vNIC's address"


def _whole(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    found = [
        (each, attached(each, known).get("vnic.LanConnectivityPolicy")) for each in resources if each.type == PROFILE
    ]
    if not any(lan for _, lan in found):
        raise NotApplicable("no profile has vNICs")
    seen = set[str]()
    for profile, lan in found:
        if lan is None or lan.urn in seen:
            continue
        seen.add(lan.urn)
        platform = str(spec(profile).get("target_platform"))
        if properties(lan).get("TargetPlatform") != platform:
            yield Finding(
                f"{lan.name} is for {properties(lan).get('TargetPlatform')} servers, {profile.name} is {platform}",
                lan.urn,
            )
        for vnic in children(lan, "vnic.EthIf"):
            for key in target((vnic.get("references") or {}).get("EthNetworkPolicy")):
                if key in known and properties(known[key]).get("TargetPlatform") != platform:
                    yield Finding(f"{known[key].name} is not for {platform} servers, and {lan.name} names it", lan.urn)
            lacks = ", ".join(_lacks(vnic, platform))
            if lacks:
                yield Finding(f"{lan.name} {vnic.get('name')} has no {lacks}", lan.urn)


def _lacks(vnic: Object, platform: str) -> Iterator[str]:
    references, about = vnic.get("references") or {}, vnic.get("properties") or {}
    if references.get(_TEMPLATE):
        return
    for name in _ATTACHED if platform == "FIAttached" else _STANDALONE:
        if not references.get(name):
            yield name
    if platform == "FIAttached":
        static = about.get("MacAddressType") == "STATIC"
        if static and not about.get("StaticMacAddress"):
            yield "StaticMacAddress"
        elif not static and not (about.get("MacAddressType") == "POOL" and references.get("MacPool")):
            yield "MacPool"


def _trunk(resource: Resource, values: Object) -> Iterator[str]:
    settings = values.get("VlanSettings") or {}
    if settings.get("Mode") != "TRUNK" or int(settings.get("DefaultVlan") or 0):
        what = f"{settings.get('Mode') or 'no mode'} with default VLAN {int(settings.get('DefaultVlan') or 0)}"
        yield f"{resource.name} makes vNICs {what}; the frontend sends a trunk, the machine network untagged"


def _queues(resource: Resource, values: Object) -> Iterator[str]:
    def count(name: str) -> int:
        return int((values.get(name) or {}).get("Count") or 0)

    receive, send, complete = count("RxQueueSettings"), count("TxQueueSettings"), count("CompletionQueueSettings")
    if complete != receive + send:
        yield f"{resource.name} has {complete} completion queues for {receive} receive and {send} transmit queues"
    interrupts = values.get("InterruptSettings") or {}
    number, mode = int(interrupts.get("Count") or 0), interrupts.get("Mode") or "unset"
    if number < complete + 2:
        yield f"{resource.name} has {number} interrupts for {complete} completion queues, not {complete + 2}"
    if mode != "MSIx":
        yield f"{resource.name} has interrupts of mode {mode}, which serve one queue, not MSIx"
    if receive > 1 and not values.get("RssSettings"):
        yield f"{resource.name} has {receive} receive queues and RSS off: one core serves them all"


def _plain(resource: Resource, values: Object) -> Iterator[str]:
    if int(values.get("RateLimit") or 0):
        yield f"{resource.name} limits vNICs to {int(values['RateLimit'])} Mbit/s"
    if values.get("TrustHostCos"):
        yield f"{resource.name} lets a host choose the class of its packets"
    if "Mtu" not in values:
        yield f"{resource.name} names no MTU"
    if values.get("Priority", "Best Effort") != "Best Effort" or int(values.get("Cos") or 0):
        yield f"{resource.name} puts vNICs into class {values.get('Priority')} with CoS {int(values.get('Cos') or 0)}"


_EACH: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": "compute-vnics-on-both-fabrics",
        "title": "A server has a vNIC on each fabric, or fabric failover",
        "why": "An interconnect restarts with every firmware; a server whose vNICs all end there is gone meanwhile.",
        "fix": "Place one vNIC on fabric A and one on B (or on two uplinks), with failover off; the host bonds them.",
        "reference": _LAN,
        "severity": "critical",
        "check": alone("vnic.LanConnectivityPolicy", _fabrics),
    },
    {
        "id": "compute-vnic-loss-is-seen",
        "title": "A vNIC goes down with its fabric's uplinks, and a bond may move its address",
        "why": "A bond changes over when a link goes down; one that stays up without uplinks swallows packets.",
        "fix": "Set UplinkFailAction linkDown, MacRegistrationMode allVlans and ForgeMac allow.",
        "reference": _CONTROL,
        "severity": "high",
        "check": alone("fabric.EthNetworkControlPolicy", _control),
    },
    {
        "id": "compute-standalone-vnics-are-trunks",
        "title": "A vNIC of a standalone server passes VLANs on as the frontend sends them",
        "why": "A vNIC that tags or strips by itself hides the machine network from the installer, and all VLANs.",
        "fix": "Set Mode TRUNK and DefaultVlan 0 in the Ethernet network policy.",
        "reference": _LAN,
        "severity": "high",
        "check": alone("vnic.EthNetworkPolicy", _trunk),
    },
    {
        "id": "compute-vnic-queues-fit",
        "title": "Queues and interrupts of a vNIC add up",
        "why": "The driver takes a completion queue and an interrupt for each queue: with fewer it uses one queue.",
        "fix": "Set completion queues to receive + transmit, interrupts to that + 2, MSIx, and RSS on.",
        "reference": _ADAPTER,
        "severity": "medium",
        "check": alone("vnic.EthAdapterPolicy", _queues),
    },
    {
        "id": "compute-vnic-best-effort",
        "title": "vNICs are best effort, with an MTU and without a rate limit",
        "why": "The other enabled class of a domain is Fibre Channel's, of 2240 bytes; a limit starves storage reads.",
        "fix": "Set Priority Best Effort, Cos 0, RateLimit 0, TrustHostCos false and Mtu in the Ethernet QoS policy.",
        "reference": _QOS,
        "severity": "medium",
        "check": alone("vnic.EthQosPolicy", _plain),
    },
)  # fmt: skip

VNICS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="compute-no-roce-on-a-vic",
        title="RoCE does not run on a VIC",
        why="A VIC speaks RoCE to other VICs only, two interfaces of it at most; GPU rails are ConnectX or BlueField.",
        fix="Leave RoceSettings off; give rails to ports of vendor 15b3.",
        reference=_ROCE,
        severity="critical",
        excused_by=nothing,
        types=_with_rails,
        compare=_roce,
    ),
    *(Rule(types=of(POLICY), **each) for each in _EACH),
    StackRule(
        id="compute-vnic-complete",
        title="A vNIC has an address and all policies of its platform",
        why="Intersight validates a vNIC when its profile is deployed: what is missing stops a roll-out half-way.",
        fix="Give each vNIC QoS, adapter and network policies, and behind interconnects a MAC pool or static address.",
        reference=_LAN,
        severity="high",
        excused_by=of(PROFILE),
        types=of(POLICY, PROFILE),
        compare=_whole,
    ),
)
