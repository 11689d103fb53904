"""The installation: hosts by role, and where the image is published."""

from typing import Any

from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.hardware import server_model
from podwright.components.model import Cluster, Server

CONTROL_PLANE = "control-plane"
"""Name of the pool whose servers hold the control plane."""


def spec(cluster: Cluster) -> dict[str, Any]:
    """Spec of `podwright:openshift:Install`."""
    openshift = cluster.openshift
    return {
        "schema": SCHEMA,
        "cluster": cluster.name,
        "domain": openshift.domain,
        "version": openshift.version,
        "api_vip": str(openshift.api_vip),
        "ingress_vip": str(openshift.ingress_vip),
        "machine_network": str(openshift.machine_network),
        "gateway": str(openshift.gateway),
        "dns": [str(server) for server in cluster.site.dns],
        "ntp": list(cluster.site.ntp),
        "architecture": "x86_64",
        "pull_secret": openshift.pull_secret,
        "ssh_key": openshift.ssh_key,
        "publish": {"directory": openshift.publish.directory, "url": openshift.publish.url},
        "intersight": {
            "endpoint": cluster.intersight.endpoint,
            "key_id": cluster.intersight.key_id,
            "secret": cluster.intersight.key,
        },
        "hosts": [_host(cluster, name, server) for name, server in cluster.servers.items()],
    }


def bmc_address(server: Server) -> str | None:
    """Redfish address of a server, None for one that only Intersight reaches."""
    return str(server.bmc) if server.bmc is not None and server_model(server.model).platform == "Standalone" else None


def _host(cluster: Cluster, name: str, server: Server) -> dict[str, Any]:
    address = bmc_address(server)
    return {
        "name": name,
        "role": "master" if server.pool == CONTROL_PLANE else "worker",
        "pool": server.pool,
        "serial": server.serial,
        **({"bmc": address, "credential": cluster.bmc.password} if address else {"intersight": True}),
        "boot_mac": server.boot_mac,
        "address": str(server.address),
        "disk": server.disk,
    }
