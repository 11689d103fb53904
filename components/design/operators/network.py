"""SR-IOV and the NVIDIA network operator: one RDMA device per rail on every node of a rail pool."""

import json
from collections.abc import Iterator

from podwright.components.design import hardware
from podwright.components.design.fabric import FabricPlan, Rail
from podwright.components.design.platform import pools
from podwright.components.design.platform.names import ACCEPTANCE_NAMESPACE, EVERY_POOL, POOL_LABEL, Manifest
from podwright.components.design.platform.teams import trains
from podwright.components.design.releases import Release
from podwright.components.model import Cluster

VENDOR = "15b3"
"""PCI vendor id of NVIDIA's network adapters."""
API = "sriovnetwork.openshift.io/v1"
META_PLUGINS = '{"type": "sbr"}, {"type": "rdma"}'
"""CNI plugins after sriov: routes by source address, since eight rails lead to the same networks, and the RDMA device
moved into the pod, which needs the host's exclusive mode."""


def resource(rail: int) -> str:
    """Extended resource that a pod asks for to get a rail's device."""
    return f"openshift.io/rail{rail}"


def network_name(namespace: str, group: int, rail: int) -> str:
    """Name of a rail's network attachment in a namespace; the operator names the attachment after its SriovNetwork."""
    return f"{namespace}-group{group}-rail{rail}"


def namespaces(cluster: Cluster) -> tuple[str, ...]:
    """Namespaces whose pods use rails."""
    named = tuple(name for name in cluster.openshift.teams if trains(cluster, name))
    return (*named, ACCEPTANCE_NAMESPACE)


def sriov(cluster: Cluster, fabric: FabricPlan, release: Release) -> Iterator[Manifest]:
    """What the SR-IOV operator is told."""
    home = release.sriov.namespace
    yield {
        "apiVersion": API,
        "kind": "SriovOperatorConfig",
        "metadata": {"name": "default", "namespace": home},
        "spec": {
            "enableInjector": True,
            "enableOperatorWebhook": True,
            "logLevel": 2,
            "configDaemonNodeSelector": {"node-role.kubernetes.io/worker": ""},
        },
    }
    for name, pool in cluster.pools.items():
        if pool.rails:
            yield _pool_config(home, name)
            yield from _policies(cluster, home, name)
    for namespace in namespaces(cluster):
        for rail in fabric.rails.values():
            if _used(cluster, rail.group):
                yield _network(cluster, home, namespace, rail)


def nic_cluster_policy(cluster: Cluster, release: Release) -> Manifest:
    """The DOCA driver on every node with an NVIDIA NIC. Attachments and devices are the SR-IOV operator's alone: two
    device plugins on one NIC would both hand it out.
    """
    probes = {
        "startupProbe": {"initialDelaySeconds": 10, "periodSeconds": 20},
        "livenessProbe": {"initialDelaySeconds": 30, "periodSeconds": 30},
        "readinessProbe": {"initialDelaySeconds": 10, "periodSeconds": 30},
    }
    return {
        "apiVersion": "mellanox.com/v1alpha1",
        "kind": "NicClusterPolicy",
        "metadata": {
            "name": "nic-cluster-policy",
            "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"},
        },
        "spec": {
            "ofedDriver": {
                "image": "doca-driver",
                "repository": "nvcr.io/nvidia/mellanox",
                "version": release.doca_driver,
                "forcePrecompiled": False,
                "terminationGracePeriodSeconds": 300,
                # A new driver unloads the NIC under running jobs: roll-outs do that, not the operator on its own.
                "upgradePolicy": {"autoUpgrade": False},
                **probes,
            },
            **({"tolerations": EVERY_POOL} if cluster.operators.gpu_node_tolerations else {}),
        },
    }


def _used(cluster: Cluster, group: int) -> bool:
    return any(
        server.group == group and server.pool in cluster.pools and cluster.pools[server.pool].rails
        for server in cluster.servers.values()
    )


def _pool_config(home: str, pool: str) -> Manifest:
    return {
        "apiVersion": API,
        "kind": "SriovNetworkPoolConfig",
        "metadata": {"name": pool, "namespace": home},
        "spec": {
            "rdmaMode": "exclusive",
            "maxUnavailable": 1,
            "nodeSelector": {"matchLabels": {POOL_LABEL: pool}},
        },
    }


def _policies(cluster: Cluster, home: str, pool: str) -> Iterator[Manifest]:
    """One policy per rail, selecting exactly the NIC that is cabled to it."""
    nics: dict[int, list[hardware.Nic]] = {}
    for server in pools.servers(cluster, pool).values():
        for nic in hardware.rails(server):
            found = nics.setdefault(nic.rail, [])
            if nic not in found:
                found.append(nic)
    for rail, members in sorted(nics.items()):
        yield {
            "apiVersion": API,
            "kind": "SriovNetworkNodePolicy",
            "metadata": {"name": f"{pool}-rail{rail}", "namespace": home},
            "spec": {
                "resourceName": f"rail{rail}",
                "deviceType": "netdevice",
                "isRdma": True,
                "linkType": "eth",
                "mtu": cluster.fabric.lossless.host_mtu,
                "numVfs": 1,
                "priority": 99,
                "nodeSelector": {POOL_LABEL: pool},
                "nicSelector": {
                    "vendor": VENDOR,
                    "deviceID": members[0].device,
                    "rootDevices": [nic.pci for nic in members],
                    "pfNames": [nic.netdev for nic in members],
                },
            },
        }


def _network(cluster: Cluster, home: str, namespace: str, rail: Rail) -> Manifest:
    """A rail's network in one namespace. The leaf's address and the servers' own are not given to pods."""
    taken = [f"{rail.gateway}/32", *_server_addresses(cluster, rail)]
    ipam = {
        "type": "whereabouts",
        "range": str(rail.subnet),
        "exclude": taken,
        # The way to the same rail of other leaf groups, and across rails through the spines.
        "routes": [{"dst": str(cluster.fabric.addressing.hosts), "gw": str(rail.gateway)}],
    }
    return {
        "apiVersion": API,
        "kind": "SriovNetwork",
        "metadata": {"name": network_name(namespace, rail.group, rail.rail), "namespace": home},
        "spec": {
            "resourceName": f"rail{rail.rail}",
            "networkNamespace": namespace,
            "ipam": json.dumps(ipam),
            "metaPlugins": META_PLUGINS,
            "linkState": "auto",
            "spoofChk": "on",
            "trust": "off",
        },
    }


def _server_addresses(cluster: Cluster, rail: Rail) -> list[str]:
    """Server n has address n of the subnet: the lower half is the servers', whatever their number today."""
    highest = max((server.index for server in cluster.servers.values() if server.group == rail.group), default=0)
    beyond = [f"{rail.subnet.network_address + number}/32" for number in range(128, highest + 1)]
    return [f"{rail.subnet.network_address}/25", *beyond]
