"""Domain profiles: ports, VLANs and quality of service of a Fabric Interconnect pair."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.management import interconnect_policies
from podwright.components.design.compute.model import (
    SCHEMA,
    Child,
    IntersightObject,
    Profile,
    Template,
    carried,
    digest,
)
from podwright.components.design.compute.network import ranges, vlans
from podwright.components.model import Domain, Intersight, Pair, Site
from podwright.components.model.catalogue.interconnects import FIBRE_CHANNEL

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
    name: str, domain: Domain, account: Intersight, site: Site, frontend: Pair | None, bucket: Bucket
) -> Profile:
    """The profile of one pair; both interconnects carry the same policies."""
    policies = (
        *_policies(name, domain, site, frontend, bucket),
        *interconnect_policies(account.management, site, bucket),
    )
    references = [policy.reference for policy in policies]
    spec = {
        "schema": SCHEMA,
        "name": name,
        "organization": account.organization,
        "serials": dict(sorted(domain.serials.items())),
        "policies": {"A": references, "B": references},
        "action": "deploy",
        "approved_disruptions": [],
        "digest": digest([each.spec("") for each in carried(policies, bucket.objects)]),
    }
    return Profile(name, spec, policies)


def derive(
    role: str, profiles: Iterable[Profile], domains: Mapping[str, Domain]
) -> tuple[list[Profile], list[Template]]:
    """The profiles, of which those that the file wants derived name their template; and the templates.

    Each pair has its own: its ports are a policy of its own.
    """
    found, made = [], []
    for each in profiles:
        if not domains[each.name].derived:
            found.append(each)
            continue
        name = f"{role}-template-domain-{each.name}"
        spec = {"schema": SCHEMA, "name": name, **{key: each.spec[key] for key in ("organization", "policies")}}
        made.append(Template(name, spec, "domain"))
        found.append(replace(each, spec={**each.spec, "template": name}))
    return found, made


def _policies(
    name: str, domain: Domain, site: Site, frontend: Pair | None, bucket: Bucket
) -> Iterator[IntersightObject]:
    group = bucket.add(
        "fabric.EthNetworkGroupPolicy", "uplink-vlans", {"VlanSettings": {"AllowedVlans": ranges(vlans(frontend))}}
    )
    lacp = _lacp(domain, bucket)
    flow = bucket.add("fabric.FlowControlPolicy", "flow-control", {"PriorityFlowControlMode": "auto"})
    yield _add(bucket, _vlans(frontend, bucket))
    uplinks: dict[str, Any] = {
        "EthNetworkGroupPolicy": (group.reference,),
        "LinkAggregationPolicy": lacp.reference,
        "FlowControlPolicy": flow.reference,
    }
    if domain.udld is not None:
        settings = {"UdldSettings": {"AdminState": "Enabled", "Mode": domain.udld}}
        uplinks["LinkControlPolicy"] = bucket.add("fabric.LinkControlPolicy", f"udld-{domain.udld}", settings).reference
    yield _add(bucket, _ports(bucket.role, name, domain, uplinks))
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


def _vlans(frontend: Pair | None, bucket: Bucket) -> IntersightObject:
    """VLANs of the frontend, each with the multicast policy; without a frontend there is neither."""
    children = []
    for name, vlan in frontend.vlans.items() if frontend else ():
        snooping = {"SnoopingState": "Enabled", "QuerierState": "Disabled"}
        multicast = bucket.add("fabric.MulticastPolicy", "multicast", snooping)
        properties = {"VlanId": vlan.id, "AutoAllowOnUplinks": False, "IsNative": False}
        children.append(Child("fabric.Vlan", name, properties, {"MulticastPolicy": multicast.reference}))
    return IntersightObject("fabric.EthNetworkPolicy", f"{bucket.role}-domain-vlans", {}, {}, tuple(children))


def _lacp(domain: Domain, bucket: Bucket) -> IntersightObject:
    name = "lacp" if domain.lacp == "normal" else f"lacp-{domain.lacp}"
    return bucket.add("fabric.LinkAggregationPolicy", name, {"LacpRate": domain.lacp, "SuspendIndividual": False})


def _ports(role: str, name: str, domain: Domain, uplinks: dict[str, Any]) -> IntersightObject:
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
        uplinks,
    )
    servers = tuple(
        Child("fabric.ServerRole", f"server-{port}", {"SlotId": 1, "PortId": port, "PreferredDeviceType": "Auto"})
        for port in sorted(domain.server_ports)
    )
    children = (*_modes(domain), uplink, *servers)
    return IntersightObject("fabric.PortPolicy", f"{role}-ports-{name}", {"DeviceModel": domain.model}, {}, children)


def _modes(domain: Domain) -> Iterator[Child]:
    """Ports that are no plain Ethernet ports: Fibre Channel in one range, a broken-out port by itself."""
    for each in domain.port_modes:
        ports = sorted(each.ports)
        ranges_of = [(ports[0], ports[-1])] if each.mode == FIBRE_CHANNEL else [(port, port) for port in ports]
        for first, last in ranges_of:
            place = {"SlotId": 1, "PortIdStart": first, "PortIdEnd": last}
            yield Child("fabric.PortMode", f"mode-{first}", {**place, "CustomMode": each.mode})


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
