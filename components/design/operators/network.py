"""SR-IOV and the NVIDIA network operator: one RDMA device per rail on every node of a rail pool."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from podwright.components.design.operators import nic_driver, nic_settings, node_addresses
from podwright.components.design.platform.names import (
    ACCEPTANCE_NAMESPACE,
    POOL_LABEL,
    SHARED_LABEL,
    TENANT_LABEL,
    Manifest,
)
from podwright.components.model import NO_TENANT, Operators, RailNetwork, RailNetworks, RailPool, Tenants
from podwright.components.model.catalogue import ReleaseSet

VENDOR = "15b3"
"""PCI vendor id of NVIDIA's network adapters."""
API = "sriovnetwork.openshift.io/v1"
_READY = {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}
META_PLUGINS = '{"type": "sbr"}, {"type": "rdma"}'
"""CNI plugins after sriov: routes by source address, since eight rails lead to the same networks, and the RDMA device
moved into the pod, which needs the host's exclusive mode."""


def resource(rail: int) -> str:
    """Extended resource that a pod asks for to get a rail's device."""
    return f"openshift.io/rail{rail}"


def network_name(namespace: str, group: int | None, rail: int) -> str:
    """Name of a rail's network attachment in a namespace; the operator names the attachment after its SriovNetwork.

    `group` None: one for all leaf groups, where host ports route.
    """
    return f"{namespace}-rail{rail}" if group is None else f"{namespace}-group{group}-rail{rail}"


def sriov(
    release: ReleaseSet,
    pools: Iterable[RailPool],
    networks: RailNetworks,
    namespaces: Iterable[str],
    tenants: Tenants | None = None,
    shared: str | None = None,
) -> Iterator[Manifest]:
    """What configures the SR-IOV operator for pools on the backend; pods of `namespaces` get to their rails, those of
    a tenant's team to its leaf groups' alone. `shared`: why teams without a tenant of their own share them."""
    pools = tuple(pools)
    home = release.sriov.namespace
    yield {
        "apiVersion": API,
        "kind": "SriovOperatorConfig",
        "metadata": {"name": "default", "namespace": home},
        "spec": {
            "enableInjector": True,
            "enableOperatorWebhook": True,
            "logLevel": 2,
            # A daemon that makes functions before driver and firmware are ready loses them again.
            "configDaemonNodeSelector": {
                "node-role.kubernetes.io/worker": "",
                nic_settings.DRIVER_WAIT: "false",
                nic_settings.WAIT: "false",
            },
            # Firmware settings have one writer, the NIC Configuration Operator.
            "disablePlugins": ["mellanox"],
        },
    }
    for pool in pools:
        yield _pool_config(home, pool.name, pause=pool.pause)
        yield from _policies(home, pool, networks.mtu)
    used = {group for pool in pools for group in pool.groups}
    carried = [rail for rail in networks.rails if rail.group in used]
    for namespace in namespaces:
        own, marks = _own(carried, namespace, tenants), _marks(namespace, tenants, shared)
        if networks.routed:
            for number in sorted({rail.rail for rail in own}):
                name = network_name(namespace, None, number)
                yield _network(home, namespace, name, number, node_addresses.ipam(number), marks)
        else:
            for rail in own:
                name = network_name(namespace, rail.group, rail.rail)
                yield _network(home, namespace, name, rail.rail, _shared(rail, networks), marks)


def _own(rails: Sequence[RailNetwork], namespace: str, tenants: Tenants | None) -> list[RailNetwork]:
    """Rails that pods of a namespace may use; a namespace that is no team's has all of them, as acceptance needs."""
    if tenants is None or namespace not in tenants.teams:
        return [*rails]
    return [rail for rail in rails if rail.group in tenants.groups.get(tenants.of(namespace), ())]


def _marks(namespace: str, tenants: Tenants | None, shared: str | None) -> dict[str, dict[str, str]]:
    """Whose a network is, for those who look at it: its tenant, or why several teams share it."""
    tenant = tenants.teams.get(namespace) if tenants else None
    measured = namespace == ACCEPTANCE_NAMESPACE
    return {
        **({"labels": {TENANT_LABEL: tenant}} if tenant else {}),
        **({"annotations": {SHARED_LABEL: shared}} if shared and not measured and tenant in (None, NO_TENANT) else {}),
    }


def nic_cluster_policy(
    operators: Operators, release: ReleaseSet, *, routed: bool = False, admission: bool = False
) -> Manifest:
    """NIC settings of the cluster, and the driver where no pool has one of its own. Attachments and devices are the
    SR-IOV operator's alone: two device plugins on one NIC would both hand it out. With the driver it is not awaited:
    it is not ready while a node has an earlier one, which the roll-out of its pool takes away later.
    """
    driver = {} if release.driver_by_pool else {"ofedDriver": nic_driver.section(operators, release)}
    return {
        "apiVersion": nic_driver.API,
        "kind": "NicClusterPolicy",
        "metadata": {"name": nic_driver.CLUSTER, **({} if driver else {"annotations": {**_READY}})},
        "spec": {
            **driver,
            "nicConfigurationOperator": nic_settings.section(release),
            **({"nvIpam": node_addresses.section(release)} if routed else {}),
            **nic_driver.tolerated(operators, admission=admission),
        },
    }


def _pool_config(home: str, pool: str, *, pause: bool) -> Manifest:
    """The operator drains one node at a time, and none at 0 (sriov-network-operator, drain_controller_helper.go). It
    does not ask whether somebody else has paused the MachineConfigPool, so a pause is told to it here."""
    return {
        "apiVersion": API,
        "kind": "SriovNetworkPoolConfig",
        "metadata": {"name": pool, "namespace": home},
        "spec": {
            "rdmaMode": "exclusive",
            "maxUnavailable": 0 if pause else 1,
            "nodeSelector": {"matchLabels": {POOL_LABEL: pool}},
        },
    }


def _policies(home: str, pool: RailPool, mtu: int) -> Iterator[Manifest]:
    """One policy per rail, selecting exactly the NIC that is cabled to it.

    By PCI address alone: every criterion of a selector must hold (sriov-network-operator, api/v1/helper.go, Selected),
    and an interface's name is its system's: enp9s0f0np0, or eth3 where net.ifnames=0.
    """
    for nics in pool.nics:
        yield {
            "apiVersion": API,
            "kind": "SriovNetworkNodePolicy",
            "metadata": {"name": f"{pool.name}-rail{nics.rail}", "namespace": home},
            "spec": {
                "resourceName": f"rail{nics.rail}",
                "deviceType": "netdevice",
                "isRdma": True,
                "linkType": "eth",
                "mtu": mtu,
                "numVfs": nic_settings.FUNCTIONS,
                "priority": 99,
                "nodeSelector": {POOL_LABEL: pool.name},
                "nicSelector": {
                    "vendor": VENDOR,
                    "deviceID": nics.device,
                    "rootDevices": list(nics.pci),
                },
            },
        }


def _shared(rail: RailNetwork, networks: RailNetworks) -> dict[str, Any]:
    """Addresses of the subnet that a leaf group's servers share. The leaf's and the servers' own are not given to
    pods.
    """
    taken = [f"{rail.gateway}/32", *_server_addresses(rail)]
    return {
        "type": "whereabouts",
        "range": str(rail.subnet),
        "exclude": taken,
        # The way to the same rail of other leaf groups, and across rails through the spines.
        "routes": [{"dst": str(networks.reach), "gw": str(rail.gateway)}],
    }


def _network(
    home: str, namespace: str, name: str, rail: int, ipam: dict[str, Any], marks: Mapping[str, Any]
) -> Manifest:
    """A rail's network in one namespace."""
    return {
        "apiVersion": API,
        "kind": "SriovNetwork",
        "metadata": {"name": name, "namespace": home, **marks},
        "spec": {
            "resourceName": f"rail{rail}",
            "networkNamespace": namespace,
            "ipam": json.dumps(ipam),
            "metaPlugins": META_PLUGINS,
            "linkState": "auto",
            "spoofChk": "on",
            "trust": "off",
        },
    }


def _server_addresses(rail: RailNetwork) -> list[str]:
    """Server n has address n of the subnet: the lower half is the servers', whatever their number today."""
    beyond = [f"{rail.subnet.network_address + number}/32" for number in range(128, rail.highest_index + 1)]
    return [f"{rail.subnet.network_address}/25", *beyond]
