"""Specs for tests: fresh copies, so that one test's edit is not another's start."""

from __future__ import annotations

from typing import Any


def policy(object_type: str, name: str, properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "object_type": object_type,
        "name": name,
        "organization": "default",
        "properties": properties,
        **more,
    }


def ntp(name: str = "t-ntp") -> dict[str, Any]:
    return policy("ntp.Policy", name, {"Enabled": True, "NtpServers": ["192.0.2.1"], "Timezone": "Etc/GMT"})


def bios(name: str = "t-bios", **tokens: str) -> dict[str, Any]:
    said = tokens or {"SrIov": "enabled", "CbsDfCmnDramNps": "NPS1", "SmtMode": "Off"}
    return policy("bios.Policy", name, said)


def qos(name: str = "t-qos") -> dict[str, Any]:
    return policy("vnic.EthQosPolicy", name, {"Mtu": 9000, "Priority": "Best Effort"})


def vlans(name: str = "t-vlans", allowed: str = "7,5,6,10") -> dict[str, Any]:
    return policy("vnic.EthNetworkPolicy", name, {"VlanSettings": {"Mode": "TRUNK", "AllowedVlans": allowed}})


def vnic(name: str, order: int) -> dict[str, Any]:
    return {
        "object_type": "vnic.EthIf",
        "name": name,
        "properties": {"Order": order, "Placement": {"Id": "MLOM", "Uplink": order}, "FailoverEnabled": False},
        "references": {
            "EthQosPolicy": {"object_type": "vnic.EthQosPolicy", "name": "t-qos"},
            "EthNetworkPolicy": {"object_type": "vnic.EthNetworkPolicy", "name": "t-vlans"},
        },
    }


def lan(name: str = "t-lan", vnics: int = 2) -> dict[str, Any]:
    children = [vnic(f"eth{number}", number) for number in range(vnics)]
    said = {"TargetPlatform": "Standalone", "PlacementMode": "custom"}
    return policy("vnic.LanConnectivityPolicy", name, said, children=children)


def macs(name: str = "t-macs") -> dict[str, Any]:
    block = {"From": "00:25:b5:00:00:00", "Size": 16}
    return policy("macpool.Pool", name, {"AssignmentOrder": "sequential", "MacBlocks": [block]})


def profile(*policies: tuple[str, str], **change: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "name": "cp-01",
        "organization": "default",
        "target_platform": "Standalone",
        "serial": "WZP00000011",
        "model": "UCSC-C225-M8N",
        "policies": [{"object_type": kind, "name": name} for kind, name in policies],
        "action": "stage",
        "approved_disruptions": [],
        **change,
    }
