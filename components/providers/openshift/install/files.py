"""The two files that the agent-based installer reads, from the spec of an installation."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

NETWORKS: Mapping[str, Any] = {"cluster": "10.128.0.0/14", "host_prefix": 23, "service": "172.30.0.0/16"}
"""Of pods and services, where the spec has none: the installer's own defaults, written out so that a later default does
not move a cluster."""
INTERFACE = "boot0"
"""Name of the machine-network interface inside the configuration; the installer maps it by MAC address."""
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "amd64": "amd64", "arm64": "arm64"}


def of_role(spec: Mapping[str, Any], role: str) -> list[Mapping[str, Any]]:
    """Hosts of a role, in the order of the spec."""
    return [host for host in spec["hosts"] if host["role"] == role]


def rendezvous(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The control-plane host that the others gather around."""
    return of_role(spec, "master")[0]


def install_config(spec: Mapping[str, Any], pull_secret: str) -> dict[str, Any]:
    """install-config.yaml (version v1)."""
    architecture = ARCHITECTURES[spec.get("architecture", "x86_64")]
    masters, workers = of_role(spec, "master"), of_role(spec, "worker")
    single = len(masters) == 1
    networks = spec.get("networks") or NETWORKS
    vips = {"apiVIPs": [spec["api_vip"]], "ingressVIPs": [spec["ingress_vip"]]}
    return {
        "apiVersion": "v1",
        "metadata": {"name": spec["cluster"]},
        "baseDomain": spec["domain"],
        "controlPlane": {"name": "master", "architecture": architecture, "replicas": len(masters)},
        "compute": [{"name": "worker", "architecture": architecture, "replicas": len(workers)}],
        "networking": {
            "networkType": "OVNKubernetes",
            "machineNetwork": [{"cidr": spec["machine_network"]}],
            "clusterNetwork": [{"cidr": networks["cluster"], "hostPrefix": networks["host_prefix"]}],
            "serviceNetwork": [networks["service"]],
        },
        # The installer takes VIPs only where more than one host can hold them.
        "platform": {"none": {}} if single else {"baremetal": vips},
        "pullSecret": pull_secret,
        "sshKey": spec["ssh_key"],
        **_mirror(spec.get("mirror")),
    }


def _mirror(mirror: Mapping[str, Any] | None) -> dict[str, Any]:
    """Where images are pulled from instead of their own registries, and whose certificates that registry shows.

    Always: operators trust them too, not only where a proxy is defined
    (https://github.com/openshift/installer/blob/main/pkg/types/installconfig.go).
    """
    if mirror is None:
        return {}
    trust = mirror.get("trust")
    trusted = {"additionalTrustBundle": trust, "additionalTrustBundlePolicy": "Always"} if trust else {}
    return {**trusted, "imageDigestSources": [dict(each) for each in mirror["sources"]]}


def agent_config(spec: Mapping[str, Any]) -> dict[str, Any]:
    """agent-config.yaml (version v1beta1): who the hosts are and where they find each other."""
    return {
        "apiVersion": "v1beta1",
        "kind": "AgentConfig",
        "metadata": {"name": spec["cluster"]},
        "rendezvousIP": rendezvous(spec)["address"],
        "additionalNTPSources": list(spec.get("ntp") or []),
        "hosts": [_host(spec, host) for host in spec["hosts"]],
    }


def nodes_config(spec: Mapping[str, Any], hosts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """nodes-config.yaml for `oc adm node-image create`: hosts that join a running cluster."""
    return {"hosts": [_host(spec, host) for host in hosts]}


def _host(spec: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    network = host.get("network") or _plain(spec, host)
    return {
        "hostname": host["name"],
        "role": host["role"],
        "rootDeviceHints": {"deviceName": host["disk"]},
        "interfaces": [{"name": name, "macAddress": mac} for name, mac in network["interfaces"].items()],
        "networkConfig": network["state"],
    }


def _plain(spec: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """One interface with the host's address: what a spec without `network` gets."""
    prefix = ipaddress.ip_network(spec["machine_network"]).prefixlen
    mac = str(host["boot_mac"])
    address = {"ip": host["address"], "prefix-length": prefix}
    state: dict[str, Any] = {
        "interfaces": [
            {
                "name": INTERFACE,
                "type": "ethernet",
                "state": "up",
                "mac-address": mac,
                "ipv4": {"enabled": True, "dhcp": False, "address": [address]},
                "ipv6": {"enabled": False},
            }
        ],
        "dns-resolver": {"config": {"server": list(spec.get("dns") or [])}},
        "routes": {
            "config": [
                {
                    "destination": "0.0.0.0/0",
                    "next-hop-address": spec["gateway"],
                    "next-hop-interface": INTERFACE,
                    "table-id": 254,
                }
            ]
        },
    }
    return {"interfaces": {INTERFACE: mac}, "state": state}
