"""Domain profiles: ports, VLANs and quality of service of a Fabric Interconnect pair."""

from collections.abc import Iterator
from typing import Any

from podwright.components.design.compute.model import SCHEMA, Child, IntersightObject, Profile, carried, digest
from podwright.components.design.compute.network import ranges, vlans
from podwright.components.design.compute.profiles import Bucket
from podwright.components.model import Domain, Pair, Site

UPLINK_CHANNEL = 1
"""Port-channel id of the uplinks on each interconnect; it is local to the interconnect."""

_CLASSES = (
    # name, enabled, cos, weight, MTU, may drop. FC is always on and lossless; RoCE between GPUs never crosses a
    # Fabric Interconnect, so no other class is lossless.
    ("Best Effort", True, 255, 5, 9216, True),
    ("FC", True, 3, 5, 2240, False),
    ("Platinum", False, 5, 10, 9216, True),
    ("Gold", False, 4, 9, 9216, True),
    ("Silver", False, 2, 8, 9216, True),
    ("Bronze", False, 1, 7, 9216, True),
)


def domain_profile(
    name: str, domain: Domain, organization: str, site: Site, frontend: Pair | None, bucket: Bucket
) -> Profile:
    """The profile of one pair; both interconnects carry the same policies."""
    policies = tuple(_policies(name, domain, site, frontend, bucket))
    references = [policy.reference for policy in policies]
    spec = {
        "schema": SCHEMA,
        "name": name,
        "organization": organization,
        "serials": dict(sorted(domain.serials.items())),
        "policies": {"A": references, "B": references},
        "action": "deploy",
        "approved_disruptions": [],
        "digest": digest([each.spec("") for each in carried(policies, bucket.objects)]),
    }
    return Profile(name, spec, policies)


def _policies(
    name: str, domain: Domain, site: Site, frontend: Pair | None, bucket: Bucket
) -> Iterator[IntersightObject]:
    multicast = bucket.add(
        "fabric.MulticastPolicy", "multicast", {"SnoopingState": "Enabled", "QuerierState": "Disabled"}
    )
    group = bucket.add(
        "fabric.EthNetworkGroupPolicy", "uplink-vlans", {"VlanSettings": {"AllowedVlans": ranges(vlans(frontend))}}
    )
    lacp = bucket.add("fabric.LinkAggregationPolicy", "lacp", {"LacpRate": "normal", "SuspendIndividual": False})
    flow = bucket.add("fabric.FlowControlPolicy", "flow-control", {"PriorityFlowControlMode": "auto"})
    yield _add(bucket, _vlans(bucket.role, frontend, multicast))
    yield _add(bucket, _ports(bucket.role, name, domain, (group, lacp, flow)))
    yield bucket.add("fabric.SystemQosPolicy", "system-qos", _system_qos())
    yield bucket.add(
        "fabric.SwitchControlPolicy",
        "switch-control",
        {
            "EnableJumboFrame": True,
            "EthernetSwitchingMode": "end-host",
            "FcSwitchingMode": "end-host",
            "MacAgingSettings": {"MacAgingOption": "Default"},
            "VlanPortOptimizationEnabled": False,
        },
    )
    yield bucket.add("ntp.Policy", "ntp", {"Enabled": True, "NtpServers": list(site.ntp), "Timezone": "Etc/GMT"})
    yield bucket.add("networkconfig.Policy", "dns", _dns(site))


def _add(bucket: Bucket, made: IntersightObject) -> IntersightObject:
    return bucket.objects.setdefault(made.name, made)


def _dns(site: Site) -> dict[str, Any]:
    first, *rest = map(str, site.dns)
    second = {"AlternateIpv4dnsServer": rest[0]} if rest else {}
    return {"EnableDynamicDns": False, "PreferredIpv4dnsServer": first, **second}


def _vlans(role: str, frontend: Pair | None, multicast: IntersightObject) -> IntersightObject:
    children = tuple(
        Child(
            "fabric.Vlan",
            name,
            {"VlanId": vlan.id, "AutoAllowOnUplinks": False, "IsNative": False},
            {"MulticastPolicy": multicast.reference},
        )
        for name, vlan in (frontend.vlans.items() if frontend else ())
    )
    return IntersightObject("fabric.EthNetworkPolicy", f"{role}-domain-vlans", {}, {}, children)


def _ports(
    role: str, name: str, domain: Domain, uses: tuple[IntersightObject, IntersightObject, IntersightObject]
) -> IntersightObject:
    group, lacp, flow = uses
    uplink = Child(
        "fabric.UplinkPcRole",
        "uplinks",
        {
            "PcId": UPLINK_CHANNEL,
            "AdminSpeed": "Auto",
            "Ports": [
                {"ClassId": "fabric.PortIdentifier", "ObjectType": "fabric.PortIdentifier", "SlotId": 1, "PortId": port}
                for port in sorted(domain.uplinks)
            ],
        },
        {
            "EthNetworkGroupPolicy": (group.reference,),
            "LinkAggregationPolicy": lacp.reference,
            "FlowControlPolicy": flow.reference,
        },
    )
    servers = tuple(
        Child("fabric.ServerRole", f"server-{port}", {"SlotId": 1, "PortId": port, "PreferredDeviceType": "Auto"})
        for port in sorted(domain.server_ports)
    )
    return IntersightObject(
        "fabric.PortPolicy", f"{role}-ports-{name}", {"DeviceModel": domain.model}, {}, (uplink, *servers)
    )


def _system_qos() -> dict[str, Any]:
    classes = [
        {
            "ClassId": "fabric.QosClass",
            "ObjectType": "fabric.QosClass",
            "Name": name,
            "AdminState": "Enabled" if enabled else "Disabled",
            "Cos": cos,
            "Weight": weight if enabled else 0,
            "BandwidthPercent": 50 if enabled else 0,
            "Mtu": mtu,
            "PacketDrop": drop,
            "MulticastOptimize": False,
        }
        for name, enabled, cos, weight, mtu, drop in _CLASSES
    ]
    watchdog = {"IsWatchdogEnabled": True, "WatchdogInterval": 100, "ShutdownMultiplier": 1}
    return {"Classes": classes, "PfcWatchdog": watchdog}
