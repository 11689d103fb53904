"""The installation: hosts by role, and where the image is published."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design import mirror
from podwright.components.design.compute import host_network
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.hardware import platform
from podwright.components.design.mirror import NO_PULLS, Pulls
from podwright.components.model import Bmc, ClusterNetworks, Intersight, OpenShift, Server, Site

CONTROL_PLANE = "control-plane"
"""Name of the pool whose servers hold the control plane."""


@dataclass(frozen=True)
class Management:
    """How servers are reached before they have an operating system. None: no server is reached that way."""

    bmc: Bmc | None
    intersight: Intersight | None


def spec(
    cluster: str,
    openshift: OpenShift,
    servers: Mapping[str, Server],
    site: Site,
    management: Management,
    pairs: Pairs | None = None,
    pulls: Pulls = NO_PULLS,
) -> dict[str, Any]:
    """Spec of `podwright:openshift:Install`; without `pairs`, hosts have one interface and an address on it.

    `pulls` is what a disconnected site's mirror serves beyond the release.
    """
    account = management.intersight
    reached = {"endpoint": account.endpoint, "key_id": account.key_id, "secret": account.key} if account else None
    return {
        "schema": SCHEMA,
        "cluster": cluster,
        "domain": openshift.domain,
        "version": openshift.version,
        "api_vip": str(openshift.api_vip),
        "ingress_vip": str(openshift.ingress_vip),
        "machine_network": str(openshift.machine_network),
        **_networks(openshift.networks),
        "gateway": str(openshift.gateway),
        "dns": [str(server) for server in site.dns],
        "ntp": list(site.ntp),
        "architecture": "x86_64",
        "pull_secret": openshift.pull_secret,
        "ssh_key": openshift.ssh_key,
        **_mirror(openshift, pulls),
        "publish": {"directory": openshift.publish.directory, "url": openshift.publish.url},
        **({"intersight": reached} if reached else {}),
        "hosts": [
            {
                **_host(name, server, management.bmc),
                **(host_network.spec(name, server, openshift, site, pairs) if pairs else {}),
            }
            for name, server in servers.items()
        ],
    }


def _networks(networks: ClusterNetworks) -> dict[str, Any]:
    """The installer's own are left out: a cluster that was installed with them is not compared with others."""
    found = {"cluster": str(networks.cluster), "host_prefix": networks.host_prefix, "service": str(networks.service)}
    usual = ClusterNetworks()
    same = (networks.cluster, networks.host_prefix, networks.service) == (
        usual.cluster, usual.host_prefix, usual.service,
    )  # fmt: skip
    return {} if same else {"networks": found}


def _mirror(openshift: OpenShift, pulls: Pulls) -> dict[str, Any]:
    """Where the first boot finds its images. A running cluster has objects for it."""
    found = openshift.mirror
    if found is None:
        return {}
    trusted = mirror.trust(found)
    sources = mirror.digest_sources(found, pulls)
    return {"mirror": {"sources": sources, **({"trust": trusted} if trusted else {})}}


def bmc_address(server: Server) -> str | None:
    """Redfish address of a server, None for one that only Intersight reaches."""
    return str(server.bmc) if server.bmc is not None and platform(server) == "Standalone" else None


def bmc_secret(server: Server, bmc: Bmc) -> str:
    """Name of the secret that holds a server's Redfish password."""
    return server.bmc_password or bmc.password


def _host(name: str, server: Server, bmc: Bmc | None) -> dict[str, Any]:
    address = bmc_address(server)
    return {
        "name": name,
        "role": "master" if server.pool == CONTROL_PLANE else "worker",
        "pool": server.pool,
        "serial": server.serial,
        **({"bmc": address, "credential": bmc_secret(server, bmc)} if address and bmc else {"intersight": True}),
        "boot_mac": server.boot_mac,
        "address": str(server.address),
        "disk": server.disk,
    }
