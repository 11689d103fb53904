"""vNICs of a Cisco VIC: on both fabrics, with everything they name, as wide as their path, and never with RoCE."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from ..kubernetes import kind
from ..resource import Resource, UnknownValueError
from ..rule import Finding, Rule, StackRule, known, nothing
from .asked import Some, any_of, asked, each_of, holds, sifted, some
from .inventory import (
    POLICY,
    Object,
    alone,
    children,
    of,
    of_type,
    part,
    properties,
    shown,
    spec,
)
from .vnic_policies import VNIC_POLICIES

_ROCE: Final = "https://www.cisco.com/c/en/us/td/docs/unified_computing/Intersight/IMM_RoCE_Configuration/b-imm-rdma-over-converged-ethernet--roce--v2.html"
_CONTROL: Final = "https://cisco.com/c/en/us/td/docs/unified_computing/ucs/ucs-central/GUI-User-Guides/Network-Mgmt/2-0/b_UCSCentral_NetworkManagementGuide-2_0/m_network_policies.html"
_ADAPTER: Final = "https://www.cisco.com/c/en/us/products/collateral/interfaces-modules/unified-computing-system-adapters/victuning-wp.html"
_QOS: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/ethernet_qos/"
_LAN: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/lan_connectivity/"
_CISCO: Final = "1137"
"""PCI vendor id of Cisco's VICs."""
_QUEUES: Final = ("RxQueueSettings", "TxQueueSettings", "CompletionQueueSettings")


def _roce(resources: Sequence[Resource]) -> Iterator[Finding]:
    policies = of_type(resources, "vnic.EthAdapterPolicy")
    rails = (each for each in resources if kind(each) == "SriovNetworkNodePolicy")
    configured = asked(lambda those: those, (policies, rails))
    return asked(_on_a_vic, configured, "no VIC and no rail is configured")


def _on_a_vic(resource: Resource) -> Iterator[Finding]:
    if resource.type == POLICY and part(properties(resource), "RoceSettings").get("Enabled"):
        yield Finding(f"{resource.name} turns RoCE on for vNICs of a VIC", resource.urn)
    if resource.type != POLICY and spec(resource).get("isRdma"):
        vendor = str(part(spec(resource), "nicSelector").get("vendor") or "").removeprefix("0x")
        if vendor == _CISCO:
            yield Finding(f"{resource.name} makes a rail of a VIC (vendor {_CISCO})", resource.urn)


def _with_rails(token: str) -> bool:
    return token == POLICY or token.endswith(":SriovNetworkNodePolicy")


def _vnics(resource: Resource) -> Iterator[Object]:
    return each_of(lambda each: part(each, "properties"), children(resource, "vnic.EthIf"))


def _fails_over(resource: Resource) -> Iterator[bool]:
    return each_of(lambda each: bool(each.get("FailoverEnabled")), _vnics(resource))


def _behind(values: Object) -> bool:
    return bool(values.get("TargetPlatform") == "FIAttached")


def _sides(resource: Resource) -> Some[str]:
    named = each_of(lambda each: str(part(each, "Placement").get("SwitchId")), _vnics(resource))
    return some(sifted(("A", "B").__contains__, named))


def _two_movers(resource: Resource, values: Object) -> Iterator[str]:
    sides = _sides(resource)
    both = _behind(values) and not holds(lambda side: not sides.has(side), ("A", "B"))
    if both and holds(bool, _fails_over(resource)):
        yield f"{resource.name} has vNICs on both fabrics and fabric failover: two parties move the same address"


def _one_fabric(resource: Resource, values: Object) -> Iterator[str]:
    if not _behind(values):
        return
    sides = _sides(resource)
    lacking, unknown = known(sifted(lambda side: not sides.has(side), ("A", "B")))
    moved = holds(lambda _: True, _vnics(resource)) and not holds(lambda each: not each, _fails_over(resource))
    if lacking and not moved:
        on = [each for each in ("A", "B") if each not in lacking]
        where = f"fabric {on[0]}" if on else "no stated fabric"
        yield f"{resource.name} has vNICs on {where} only, without failover: its loss cuts the server off"
    elif unknown is not None:
        raise unknown


def _one_uplink(resource: Resource, values: Object) -> Iterator[str]:
    if not _behind(values):
        used, unknown = known(each_of(lambda each: part(each, "Placement").get("Uplink"), _vnics(resource)))
        if len({*used}) < 2:
            if unknown is not None:
                raise unknown
            yield f"{resource.name} has its vNICs on one uplink of the adapter"


def _names_fabrics(resource: Resource, values: Object) -> Iterator[str]:
    def stated() -> bool:
        return holds(lambda each: part(each, "Placement").get("SwitchId", "None") != "None", _vnics(resource))

    moved = partial(holds, bool, _fails_over(resource))
    if not _behind(values) and any_of((moved, stated)):
        yield f"{resource.name} names fabrics or failover, which only servers behind interconnects have"


def _open(resource: Resource, values: Object) -> bool:
    """Whether the place of a vNIC on the adapter is open."""

    def stated(vnic: Object) -> bool:
        place = part(vnic, "Placement")
        marks = (lambda: place.get("PciLinkAssignmentMode") != "Custom", lambda: not place.get("Id"),
                 lambda: place.get("PciLink") is None)  # fmt: skip
        return not any_of(marks)

    moved = lambda: holds(lambda each: not stated(each), _vnics(resource))  # noqa: E731
    return any_of((lambda: values.get("PlacementMode") != "custom", moved))


def _seats(resource: Resource, values: Object) -> Iterator[str]:
    """Where each vNIC is on the adapter: the host names its interfaces by it."""
    if _open(resource, values):
        yield f"{resource.name} leaves the place of a vNIC open: the host may name them in another order"


def _numbers(resource: Resource, values: Object) -> Iterator[str]:
    orders = [each.get("Order") for each in _vnics(resource)]
    if set(orders) != set(range(len(orders))):
        with suppress(UnknownValueError):
            if _open(resource, values):
                return
        yield f"{resource.name} numbers its vNICs {', '.join(str(int(each or 0)) for each in orders)}, not from 0 on"


def _goes_down(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("UplinkFailAction") != "linkDown":
        yield f"{resource.name} keeps vNICs up when their fabric loses its uplinks: a bond sends into the void"


def _registers(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("MacRegistrationMode") != "allVlans":
        yield f"{resource.name} registers addresses of the native VLAN only: others are flooded"


def _forges(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("ForgeMac") != "allow":
        yield f"{resource.name} drops what a bond sends after a failover, by the other vNIC's address"


def _trunk(resource: Resource, values: Object) -> Iterator[str]:
    settings = part(values, "VlanSettings")
    odd = (lambda: settings.get("Mode") != "TRUNK", lambda: int(settings.get("DefaultVlan") or 0))
    if any_of(odd):
        what = f"{shown(settings, 'Mode', 'no mode')} with default VLAN {shown(settings, 'DefaultVlan', '0')}"
        yield f"{resource.name} makes vNICs {what}; the frontend sends a trunk, the machine network untagged"


def _count(values: Object, name: str) -> int:
    return int(part(values, name).get("Count") or 0)


def _completion(resource: Resource, values: Object) -> Iterator[str]:
    receive, send, complete = (_count(values, name) for name in _QUEUES)
    if complete != receive + send:
        yield f"{resource.name} has {complete} completion queues for {receive} receive and {send} transmit queues"


def _interrupts(resource: Resource, values: Object) -> Iterator[str]:
    number, complete = _count(values, "InterruptSettings"), _count(values, "CompletionQueueSettings")
    if number < complete + 2:
        yield f"{resource.name} has {number} interrupts for {complete} completion queues, not {complete + 2}"


def _mode(resource: Resource, values: Object) -> Iterator[str]:
    mode = part(values, "InterruptSettings").get("Mode") or "unset"
    if mode != "MSIx":
        yield f"{resource.name} has interrupts of mode {mode}, which serve one queue, not MSIx"


def _spread(resource: Resource, values: Object) -> Iterator[str]:
    receive = _count(values, "RxQueueSettings")
    if receive > 1 and not values.get("RssSettings"):
        yield f"{resource.name} has {receive} receive queues and RSS off: one core serves them all"


def _limit(resource: Resource, values: Object) -> Iterator[str]:
    if int(values.get("RateLimit") or 0):
        yield f"{resource.name} limits vNICs to {int(values['RateLimit'])} Mbit/s"


def _trusts(resource: Resource, values: Object) -> Iterator[str]:
    if values.get("TrustHostCos"):
        yield f"{resource.name} lets a host choose the class of its packets"


def _sized(resource: Resource, values: Object) -> Iterator[str]:
    if "Mtu" not in values:
        yield f"{resource.name} names no MTU"


def _class(resource: Resource, values: Object) -> Iterator[str]:
    odd = (lambda: values.get("Priority", "Best Effort") != "Best Effort", lambda: int(values.get("Cos") or 0))
    if any_of(odd):
        priority, cos = shown(values, "Priority"), shown(values, "Cos", "0")
        yield f"{resource.name} puts vNICs into class {priority} with CoS {cos}"


_FABRICS: Final = (_two_movers, _one_fabric, _one_uplink, _names_fabrics, _seats, _numbers)
_EACH: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": "compute-vnics-on-both-fabrics",
        "title": "A server has a vNIC on each fabric, or fabric failover",
        "why": "An interconnect restarts with every firmware; a server whose vNICs all end there is gone meanwhile.",
        "fix": "Place one vNIC on fabric A and one on B (or on two uplinks), with failover off; the host bonds them.",
        "reference": _LAN,
        "severity": "critical",
        "check": alone("vnic.LanConnectivityPolicy", *_FABRICS),
    },
    {
        "id": "compute-vnic-loss-is-seen",
        "title": "A vNIC goes down with its fabric's uplinks, and a bond may move its address",
        "why": "A bond changes over when a link goes down; one that stays up without uplinks swallows packets.",
        "fix": "Set UplinkFailAction linkDown, MacRegistrationMode allVlans and ForgeMac allow.",
        "reference": _CONTROL,
        "severity": "high",
        "check": alone("fabric.EthNetworkControlPolicy", _goes_down, _registers, _forges),
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
        "check": alone("vnic.EthAdapterPolicy", _completion, _interrupts, _mode, _spread),
    },
    {
        "id": "compute-vnic-best-effort",
        "title": "vNICs are best effort, with an MTU and without a rate limit",
        "why": "The other enabled class of a domain is Fibre Channel's, of 2240 bytes; a limit starves storage reads.",
        "fix": "Set Priority Best Effort, Cos 0, RateLimit 0, TrustHostCos false and Mtu in the Ethernet QoS policy.",
        "reference": _QOS,
        "severity": "medium",
        "check": alone("vnic.EthQosPolicy", _limit, _trusts, _sized, _class),
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
    *VNIC_POLICIES,
)
