"""What `openshift-install` refuses in install-config.yaml (schema v1) and agent-config.yaml (v1beta1).

Rules after openshift/installer `pkg/types/validation` and `pkg/asset/agent`; sentences are ours where its text is not
public fact. A rule the real installer does not have is not here: the lab must not be stricter than the site.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.install import mirrors, networking, nmstate

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
INSTALL_FIELDS = frozenset({
    "apiVersion", "metadata", "baseDomain", "platform", "pullSecret", "sshKey", "networking", "controlPlane",
    "compute", "publish", "fips", "additionalTrustBundle", "additionalTrustBundlePolicy", "imageDigestSources",
    "imageContentSources", "proxy", "capabilities", "cpuPartitioningMode", "featureSet", "featureGates",
    "credentialsMode", "bootstrapInPlace", "arbiter", "operatorPublishingStrategy",
})  # fmt: skip
AGENT_FIELDS = frozenset({
    "apiVersion", "kind", "metadata", "rendezvousIP", "hosts", "additionalNTPSources", "bootArtifactsBaseURL",
    "minimalISO",
})  # fmt: skip
HOST_FIELDS = frozenset({"hostname", "role", "rootDeviceHints", "interfaces", "networkConfig"})
ROLES = ("master", "worker", "arbiter")
CONTROL_PLANE_COUNTS = (1, 2, 3, 4, 5)
LABEL = re.compile(r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
DOMAIN = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
MAC = re.compile(r"^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$")
SSH_KEY = re.compile(r"^(ssh-(rsa|ed25519)|ecdsa-sha2-nistp\d+|sk-\S+) \S+")


def install_problems(config: Mapping[str, Any]) -> list[str]:
    """Everything wrong with an install-config, each as `path: what`. Empty when it is fine."""
    found = [f"{name}: unknown field" for name in sorted(set(config) - INSTALL_FIELDS)]
    if config.get("apiVersion") != "v1":
        found.append(f"apiVersion: Invalid value: {config.get('apiVersion')!r}: install-config version must be 'v1'")
    if not LABEL.match(str((config.get("metadata") or {}).get("name", ""))):
        found.append("metadata.name: Invalid value: a lower case DNS label is required")
    if not DOMAIN.match(str(config.get("baseDomain", ""))):
        found.append("baseDomain: Invalid value: a lower case DNS domain is required")
    found += _pull_secret(config.get("pullSecret"))
    found += mirrors.problems(config)
    key = config.get("sshKey")
    if key and not all(SSH_KEY.match(line) for line in str(key).splitlines() if line.strip()):
        found.append("sshKey: Invalid value: ssh: no key found")
    networks, problems = machine_networks(config)
    problems += networking.problems(config.get("networking") or {}, networks)
    return found + problems + _replicas(config) + _platform(config.get("platform"), networks)


def machine_networks(config: Mapping[str, Any]) -> tuple[list[Network], list[str]]:
    """The machine networks (the installer's default when unset), and what is wrong with them."""
    rows = (config.get("networking") or {}).get("machineNetwork") or [{"cidr": "10.0.0.0/16"}]
    networks: list[Network] = []
    problems: list[str] = []
    for index, row in enumerate(rows):
        try:
            networks.append(ipaddress.ip_network(str(row["cidr"])))
        except (KeyError, TypeError, ValueError) as problem:
            problems.append(f"networking.machineNetwork[{index}].cidr: Invalid value: {problem}")
    return networks, problems


def control_plane_replicas(config: Mapping[str, Any]) -> int:
    """Number of control-plane hosts; the installer's default is 3."""
    return int((config.get("controlPlane") or {}).get("replicas", 3))


def compute_replicas(config: Mapping[str, Any]) -> int:
    """Number of workers; the installer's default is 3."""
    pools = config.get("compute") or [{}]
    return sum(int(pool.get("replicas", 3)) for pool in pools)


def _pull_secret(value: Any) -> list[str]:
    if not value:
        return ["pullSecret: Required value: the pull secret is required"]
    try:
        auths = json.loads(str(value))["auths"]
        whole = bool(auths) and all(entry.get("auth") or entry.get("credsStore") for entry in auths.values())
    except (ValueError, TypeError, KeyError, AttributeError):
        return ["pullSecret: Invalid value: it must be JSON with an `auths` object"]
    return [] if whole else ["pullSecret: Invalid value: every entry of `auths` needs `auth` or `credsStore`"]


def _replicas(config: Mapping[str, Any]) -> list[str]:
    try:
        count, workers = control_plane_replicas(config), compute_replicas(config)
    except (TypeError, ValueError, AttributeError):
        return ["controlPlane.replicas: Invalid value: an integer is required"]
    found = []
    if count not in CONTROL_PLANE_COUNTS:
        found.append(f"controlPlane.replicas: Invalid value: {count}: it can only be 5, 4, 3, 2 or 1")
    if workers < 0:
        found.append(f"compute.replicas: Invalid value: {workers}: number of compute replicas must not be negative")
    return found


def _platform(platform: Any, networks: list[Network]) -> list[str]:
    if not isinstance(platform, Mapping) or len(platform) != 1:
        return ["platform: Invalid value: must specify one of the platforms (baremetal, external, none, vsphere)"]
    name = next(iter(platform))
    if name not in ("baremetal", "external", "none", "vsphere"):
        return [f"platform: Unsupported value: {name!r}: supported values: baremetal, external, none, vsphere"]
    return _vips(platform[name] or {}, networks) if name == "baremetal" else []


def _vips(platform: Mapping[str, Any], networks: list[Network]) -> list[str]:
    found: list[str] = []
    for field in ("apiVIPs", "ingressVIPs"):
        values = platform.get(field) or []
        if not values:
            found.append(f"platform.baremetal.{field}: Required value: must specify at least one VIP")
        for value in values:
            try:
                address = ipaddress.ip_address(str(value))
            except ValueError:
                found.append(f"platform.baremetal.{field}: Invalid value: {value!r}: is not a valid IP")
                continue
            if not any(address in network for network in networks):
                names = ", ".join(str(network) for network in networks)
                found.append(
                    f"platform.baremetal.{field}: Invalid value: {str(value)!r}: "
                    f"IP expected to be in one of the machine networks: {names}"
                )
    for shared in sorted(set(platform.get("apiVIPs") or []) & set(platform.get("ingressVIPs") or [])):
        found.append(
            f"platform.baremetal.apiVIPs: Invalid value: {shared!r}: VIP for API must not be one of the Ingress VIPs"
        )
    return found


def agent_problems(agent: Mapping[str, Any], install: Mapping[str, Any]) -> list[str]:
    """Everything wrong with an agent-config beside its install-config."""
    found = [f"{name}: unknown field" for name in sorted(set(agent) - AGENT_FIELDS)]
    if agent.get("apiVersion") not in ("v1alpha1", "v1beta1"):
        found.append(f"apiVersion: Invalid value: {agent.get('apiVersion')!r}")
    if agent.get("kind", "AgentConfig") != "AgentConfig":
        found.append(f"kind: Invalid value: {agent.get('kind')!r}")
    hosts = agent.get("hosts") or []
    found += host_problems(hosts)
    return found + _rendezvous(agent.get("rendezvousIP"), hosts) + _counts(hosts, install)


def host_problems(hosts: list[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a list of hosts: names, roles, interfaces, MAC addresses."""
    found: list[str] = []
    names: set[str] = set()
    macs: set[str] = set()
    for index, host in enumerate(hosts):
        where = f"hosts[{index}]"
        found += [f"{where}.{name}: unknown field" for name in sorted(set(host) - HOST_FIELDS)]
        name = str(host.get("hostname", ""))
        if name and name in names:
            found.append(f"{where}.hostname: Invalid value: {name!r}: duplicate hostname found")
        names.add(name)
        if host.get("role", "worker") not in ROLES:
            found.append(
                f"{where}.role: Forbidden: host role has incorrect value. "
                "Role must either be 'master', 'arbiter' or 'worker'"
            )
        interfaces = host.get("interfaces") or []
        if not interfaces:
            found.append(f"{where}.interfaces: Required value: at least one interface must be defined for each node")
        for place, interface in enumerate(interfaces):
            mac = str(interface.get("macAddress", "")).lower()
            if not MAC.match(mac):
                found.append(
                    f"{where}.interfaces[{place}].macAddress: Required value: "
                    "each interface must have a MAC address defined"
                )
            elif mac in macs:
                found.append(
                    f"{where}.interfaces[{place}].macAddress: Invalid value: {mac!r}: duplicate MAC address found"
                )
            macs.add(mac)
        found += nmstate.problems(host, where)
    return found


def addresses(host: Mapping[str, Any]) -> list[str]:
    """Static addresses that a host's nmstate `networkConfig` gives it, in order."""
    found = []
    for interface in (host.get("networkConfig") or {}).get("interfaces") or []:
        for family in ("ipv4", "ipv6"):
            found += [str(a["ip"]) for a in (interface.get(family) or {}).get("address") or []]
    return found


def _rendezvous(address: Any, hosts: list[Mapping[str, Any]]) -> list[str]:
    try:
        ipaddress.ip_address(str(address))
    except ValueError:
        return [f"rendezvousIP: Invalid value: {address!r}: a valid IP is required"]
    owner = next((host for host in hosts if address in addresses(host)), None)
    if owner is None:
        # Hosts without static addresses get theirs by DHCP, which the installer cannot see.
        static = hosts and all(addresses(host) for host in hosts)
        return [f"rendezvousIP: Invalid value: {address!r}: no host has this address"] if static else []
    if owner.get("role") == "worker":
        name = owner.get("hostname")
        return [
            f"hosts: Forbidden: Host {name} has role 'worker' and has the rendezvousIP assigned to it. "
            "The rendezvousIP must be assigned to a control plane host."
        ]
    return []


def _counts(hosts: list[Mapping[str, Any]], install: Mapping[str, Any]) -> list[str]:
    masters = sum(host.get("role") == "master" for host in hosts)
    workers = sum(host.get("role") == "worker" for host in hosts)
    found = []
    if masters > control_plane_replicas(install):
        found.append(
            f"hosts: Invalid value: {masters} hosts have role master, "
            f"controlPlane.replicas is {control_plane_replicas(install)}"
        )
    if workers > compute_replicas(install):
        found.append(
            f"hosts: Invalid value: {workers} hosts have role worker, compute.replicas is {compute_replicas(install)}"
        )
    return found
