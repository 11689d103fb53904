"""The same on a cluster of the lab: OLM, the operator's handlers, a real API server with the published definitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.node_network import STATES, shown
from podwright.components.providers.openshift.pools.network_policies import ENACTMENTS, POLICIES
from podwright.components.providers.protocol.kind import Incomplete
from podwright.lab.world.inventory import Bond, Nic
from tests.lab.openshift.manifests import OPERATORS, operator
from tests.providers.openshift.conftest import BY_TOKEN, Rack, apply, build

pytestmark = pytest.mark.rough

PACKAGE = "kubernetes-nmstate-operator"
NETWORK = BY_TOKEN["HostNetwork"]
NODES = ("gpu-01", "gpu-02")
kubeconfigs: dict[str, str] = {}


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    built = build(tmp_path_factory.mktemp("networks") / "rack")
    for number, node in enumerate(NODES, 1):
        nics = {name: Nic(name, 100, mac) for name, mac in stored(number).items()}
        built.world.servers[node].nics |= nics
    try:
        yield built
    finally:
        built.close()


def stored(number: int) -> dict[str, str]:
    """Addresses of a node's interfaces on the storage pair, by their names in the plan."""
    return {f"stor{port}": f"02:00:00:00:04:{number}{port}" for port in (0, 1)}


def bonded(*numbers: int) -> dict[str, Any]:
    """VLANs, and a bond of each node's two interfaces on the storage pair."""
    found = wanted(*numbers)
    off = {"ipv4": {"enabled": False}, "ipv6": {"enabled": False}}
    for number, node in enumerate(NODES, 1):
        macs = stored(number)
        own = {"enabled": True, "dhcp": False, "address": [{"ip": f"10.40.0.{number}", "prefix-length": 24}]}
        bundle = {"mode": "802.3ad", "options": {"miimon": "100", "lacp_rate": "slow"}, "port": [*macs]}
        nics = [{"name": nic, "type": "ethernet", "state": "up", "mtu": 9000, **off} for nic in macs]
        bond = {"name": "bond1", "type": "bond", "state": "up", "mtu": 9000, "link-aggregation": bundle, **off}
        found["spec"]["interfaces"][node] += [*nics, {**bond, "ipv4": own}]
        found["spec"]["macs"][node] = macs
    return found


def installed(rack: Rack) -> dict[str, Any]:
    """The installation, its workers bonded as a plan has it."""
    spec = rack.spec()
    for host in spec["hosts"]:
        if host["name"] in NODES:
            host["network"] = network(host["boot_mac"], host["address"])
    return spec


def network(mac: str, address: str) -> dict[str, Any]:
    off = {"ipv4": {"enabled": False}, "ipv6": {"enabled": False}}
    nics = [{"name": f"boot{port}", "type": "ethernet", "state": "up", "mtu": 9000, **off} for port in (0, 1)]
    own = {"ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": address, "prefix-length": 24}]}}
    bundle = {"mode": "802.3ad", "options": {"miimon": "100"}, "port": ["boot0", "boot1"]}
    bond = {"name": "bond0", "type": "bond", "state": "up", "mtu": 9000, "link-aggregation": bundle, **off, **own}
    route = {"destination": "0.0.0.0/0", "next-hop-address": "192.0.2.1", "next-hop-interface": "bond0"}
    state = {
        "interfaces": [*nics, bond],
        "dns-resolver": {"config": {"server": ["192.0.2.1"]}},
        "routes": {"config": [{**route, "table-id": 254}]},
    }
    return {"interfaces": {"boot0": mac, "boot1": mac[:-5] + "01:" + mac[-2:]}, "state": state}


def wanted(*numbers: int) -> dict[str, Any]:
    rows = {
        node: [
            {
                "name": f"bond0.{number}",
                "type": "vlan",
                "state": "up",
                "mtu": 9000,
                "vlan": {"base-iface": "bond0", "id": number},
                "ipv4": {
                    "enabled": True,
                    "dhcp": False,
                    "address": [{"ip": f"10.{number}.0.{index + 1}", "prefix-length": 24}],
                },
                "ipv6": {"enabled": False},
            }
            for number in numbers
        ]
        for index, node in enumerate(NODES)
    }
    spec = {"schema": 1, "pool": "training", "nodes": list(NODES), "interfaces": rows, "macs": {}, "soak_seconds": 1}
    return {"spec": spec, "kubeconfig": kubeconfigs["lab"]}


async def cluster(rack: Rack) -> Kube:
    if "lab" not in kubeconfigs:
        created = await BY_TOKEN["Install"].create({"spec": installed(rack)}, rack.context())
        kubeconfigs["lab"] = created.outputs["kubeconfig"].value
        await apply(Kube(kubeconfigs["lab"]), *operator(PACKAGE))
        namespace, _, _, csv = OPERATORS[PACKAGE]
        spec = {"schema": 1, "namespace": namespace, "subscription": PACKAGE, "csv": csv}
        await BY_TOKEN["OperatorInstall"].create({"spec": spec, "kubeconfig": kubeconfigs["lab"]}, rack.context())
        body = {"apiVersion": "nmstate.io/v1", "kind": "NMState", "metadata": {"name": "nmstate"}}
        await apply(Kube(kubeconfigs["lab"]), body)
    return Kube(kubeconfigs["lab"])


async def interfaces(kube: Kube, node: str) -> set[str]:
    return {name for name in shown(await kube.get(f"{STATES}/{node}")) if name.startswith("bond0.")}


async def test_handlers_bring_each_node_its_vlan_and_answer_for_todays_policy(rack: Rack) -> None:
    kube = await cluster(rack)
    await NETWORK.create(wanted(20), rack.context())
    for node in NODES:
        assert await interfaces(kube, node) == {"bond0.20"}
        policy = await kube.get(f"{POLICIES}/{node}-vlans")
        answer = await kube.get(f"{ENACTMENTS}/{node}.{node}-vlans")
        assert answer["status"]["policyGeneration"] == policy["metadata"]["generation"]
    seen = await NETWORK.read("training", wanted(20), {}, rack.context())
    assert seen is not None and NETWORK.diff(seen.inputs, wanted(20), {}).changes == {}


async def test_the_first_that_loses_its_gateway_is_rolled_back_and_the_last(rack: Rack) -> None:
    kube = await cluster(rack)
    rack.world.fault({"kind": "host-network", "server": "gpu-01", "loses_gateway": True})
    with pytest.raises(Incomplete, match="gpu-01: rolled back by NMState"):
        await NETWORK.update("training", wanted(20, 30), wanted(20), {}, rack.context())
    assert await interfaces(kube, "gpu-01") == await interfaces(kube, "gpu-02") == {"bond0.20"}
    rack.world.fault({"kind": "host-network", "server": "gpu-01", "loses_gateway": False})
    await NETWORK.update("training", wanted(20, 30), wanted(20), {}, rack.context())
    assert await interfaces(kube, "gpu-01") == await interfaces(kube, "gpu-02") == {"bond0.20", "bond0.30"}


async def test_an_interface_deleted_by_hand_is_drift_and_comes_back(rack: Rack) -> None:
    kube = await cluster(rack)
    rack.world.fault({"kind": "host-network", "server": "gpu-02", "interface": "bond0.20"})
    while "bond0.20" in await interfaces(kube, "gpu-02"):
        pass
    seen = await NETWORK.read("training", wanted(20, 30), {}, rack.context())
    assert seen is not None
    assert {path[2] for path in NETWORK.diff(seen.inputs, wanted(20, 30), {}).changes} == {"gpu-02"}
    await NETWORK.update("training", wanted(20, 30), seen.inputs, {}, rack.context())
    assert await interfaces(kube, "gpu-02") == {"bond0.20", "bond0.30"}


async def test_vlans_that_leave_the_file_leave_the_nodes_and_their_policies(rack: Rack) -> None:
    kube = await cluster(rack)
    await NETWORK.update("training", wanted(), wanted(20, 30), {}, rack.context())
    assert await interfaces(kube, "gpu-01") == await interfaces(kube, "gpu-02") == set()
    assert await kube.items(POLICIES) == []


async def test_a_storage_bond_is_made_on_nodes_that_run_outlives_a_restart_and_goes(rack: Rack) -> None:
    kube = await cluster(rack)
    await NETWORK.update("training", bonded(), wanted(), {}, rack.context())
    for number, node in enumerate(NODES, 1):
        made = shown(await kube.get(f"{STATES}/{node}"))["bond1"]
        assert made["ipv4"]["address"] == [{"ip": f"10.40.0.{number}", "prefix-length": 24}]
        assert rack.world.bond(node, "stor1") == Bond("802.3ad", frozenset(stored(number).values()))
    seen = await NETWORK.read("training", bonded(), {}, rack.context())
    assert seen is not None and NETWORK.diff(seen.inputs, bonded(), {}).changes == {}
    host = rack.world.hosts["gpu-01"]
    before = host.boots
    rack.world.power("gpu-01", "ForceRestart")
    while host.boots == before or not host.bonds:
        await interfaces(kube, "gpu-02")
    assert rack.world.bond("gpu-01", "stor0") == Bond("802.3ad", frozenset(stored(1).values()))
    await NETWORK.update("training", wanted(), bonded(), {}, rack.context())
    assert rack.world.bond("gpu-01", "stor0") is None
    assert "bond1" not in shown(await kube.get(f"{STATES}/gpu-01"))
    assert await kube.items(POLICIES) == []
