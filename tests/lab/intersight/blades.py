"""A domain with two chassis and a rack server, and the steps that bring a blade up."""

from __future__ import annotations

from typing import Any

from tests.lab.intersight.conftest import Bench
from tests.waiting import until

WORLD = """
name: x
servers:
  b-1: {model: UCSX-210C-M7, serial: FCH00000001, uuid: 00000000-0000-4000-8000-000000000001, bmc: 192.0.2.101,
        boot_mac: "02:25:b5:00:00:01", intersight: true, cpu: {vendor: intel, sockets: 2, cores: 32}}
  b-2: {model: UCSX-210C-M7, serial: FCH00000002, uuid: 00000000-0000-4000-8000-000000000002, bmc: 192.0.2.102,
        boot_mac: "02:25:b5:00:00:02", intersight: true, cpu: {vendor: intel, sockets: 2, cores: 32}}
  inf-01: {model: UCSC-845A-M8, serial: WZP00000021, uuid: 00000000-0000-4000-8000-000000000021, bmc: 192.0.2.121,
        boot_mac: "02:00:00:00:02:01", intersight: true}
  r-1: {model: UCSC-C225-M8N, serial: WZP00000031, uuid: 00000000-0000-4000-8000-000000000031, bmc: 192.0.2.131,
        boot_mac: "02:25:b5:00:00:31", intersight: true, domain: x}
domains:
  x:
    model: UCS-FI-6536
    serials: {A: FDO000000A1, B: FDO000000B1}
    chassis:
      box-1: {serial: FOX00000001, slots: {3: b-1}}
      box-2: {serial: FOX00000002, slots: {1: b-2}}
cables:
  - ["x-a:Ethernet1/9", "box-1:A1", 100]
  - ["x-b:Ethernet1/9", "box-1:B1", 100]
  - ["x-a:Ethernet1/20", "box-2:A1", 100]
  - ["x-a:Ethernet1/21", "r-1:A1", 100]
timing: {post_seconds: 0.02}
credentials: {intersight: {key_id: a/b/c, secret: intersight-key}}
"""


def deployed(bench: Bench, servers: tuple[int, ...] = (9,), fabrics: str = "AB") -> dict[str, Any]:
    """A domain profile with server ports, an uplink port-channel and VLAN 10; switch profiles by fabric."""
    client = bench.client
    ports = client.create("fabric/PortPolicies", bench.named("ports", DeviceModel="UCS-FI-6536"))
    owner = {"Moid": ports["Moid"]}
    for port in servers:
        client.create("fabric/ServerRoles", {"SlotId": 1, "PortId": port, "PortPolicy": owner})
    channel = [{"ClassId": "fabric.PortIdentifier", "SlotId": 1, "PortId": n} for n in (1, 2)]
    client.create("fabric/UplinkPcRoles", {"PcId": 1, "Ports": channel, "PortPolicy": owner})
    vlans = client.create("fabric/EthNetworkPolicies", bench.named("vlans"))
    group = client.create("fabric/MulticastPolicies", bench.named("multicast"))
    vlan = {"Name": "machine", "VlanId": 10, "EthNetworkPolicy": {"Moid": vlans["Moid"]}}
    client.create("fabric/Vlans", vlan | {"MulticastPolicy": {"Moid": group["Moid"]}})
    cluster = client.create("fabric/SwitchClusterProfiles", bench.named("x"))
    bucket = [
        {"ObjectType": "fabric.PortPolicy", "Moid": ports["Moid"]},
        {"ObjectType": "fabric.EthNetworkPolicy", "Moid": vlans["Moid"]},
    ]
    found = {}
    for fabric in fabrics:
        element = client.list("network/Elements", filter=f"SwitchId eq '{fabric}'")[0]
        made = client.create(
            "fabric/SwitchProfiles",
            {
                "Name": f"x-{fabric}",
                "SwitchId": fabric,
                "SwitchClusterProfile": {"Moid": cluster["Moid"]},
                "AssignedSwitch": {"ObjectType": "network.Element", "Moid": element["Moid"]},
                "PolicyBucket": bucket,
                "Action": "Deploy",
            },
        )
        found[fabric] = bench.until_state(f"fabric/SwitchProfiles/{made['Moid']}", "Associated")
    return found


def summaries(bench: Bench, serial: str) -> list[Any]:
    return bench.client.list("compute/PhysicalSummaries", filter=f"Serial eq '{serial}'")


def discovered(bench: Bench, serial: str) -> Any:
    return until(lambda: (found := summaries(bench, serial)) and found[0]["Lifecycle"] == "Active" and found[0])


def port(bench: Bench, fabric: str, number: int) -> Any:
    return bench.client.list("ether/PhysicalPorts", filter=f"SwitchId eq '{fabric}' and PortId eq {number}")[0]


def profile(bench: Bench, *, native: int = 10) -> Any:
    """The blade's profile with one vNIC per fabric: a static address on A, a pooled one on B."""
    client = bench.client
    group = bench.named("vlans-b", VlanSettings={"AllowedVlans": "10", "NativeVlan": native})
    vlans = client.create("fabric/EthNetworkGroupPolicies", group)
    block = {"ClassId": "macpool.Block", "From": "00:25:B5:11:00:00", "Size": 4}
    pool = client.create("macpool/Pools", bench.named("macs", MacBlocks=[block]))
    qos = client.create("vnic/EthQosPolicies", bench.named("qos", Mtu=9000))
    lan = client.create("vnic/LanConnectivityPolicies", bench.named("lan", TargetPlatform="FIAttached"))
    for order, fabric in enumerate("AB"):
        mac = {"MacAddressType": "STATIC", "StaticMacAddress": "02:25:B5:00:00:01"}
        client.create(
            "vnic/EthIfs",
            {
                "Name": f"eth{order}",
                "Order": order,
                "LanConnectivityPolicy": {"Moid": lan["Moid"]},
                "Placement": {"ClassId": "vnic.PlacementSettings", "Id": "MLOM", "SwitchId": fabric},
                "EthQosPolicy": {"Moid": qos["Moid"]},
                "FabricEthNetworkGroupPolicy": [{"Moid": vlans["Moid"]}],
                **(mac if order == 0 else {"MacAddressType": "POOL", "MacPool": {"Moid": pool["Moid"]}}),
            },
        )
    blade = discovered(bench, "FCH00000001")
    made = client.create(
        "server/Profiles",
        bench.named(
            "b-1",
            TargetPlatform="FIAttached",
            AssignedServer={"ObjectType": blade["SourceObjectType"], "Moid": blade["Moid"]},
            PolicyBucket=[{"ObjectType": "vnic.LanConnectivityPolicy", "Moid": lan["Moid"]}],
            ScheduledActions=[
                {"ClassId": "policy.ScheduledAction", "Action": "Deploy"},
                {"ClassId": "policy.ScheduledAction", "Action": "Activate", "ProceedOnReboot": True},
            ],
        ),
    )
    return bench.wait(made["Moid"], "Associated")
