"""Server profiles: whole, bound to the server that is installed, and activated by nobody but its pool's roll-out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items, nothing
from ..switches import SWITCH, switch
from .inventory import (
    CHASSIS,
    DOMAIN,
    INSTALL,
    MACHINES,
    POLICY,
    POOL,
    PROFILE,
    REDFISH,
    Key,
    attached,
    children,
    machines,
    node_of,
    objects,
    of,
    of_type,
    properties,
    spec,
    target,
)

_POLICIES: Final = (
    "https://www.cisco.com/c/en/us/products/collateral/cloud-systems-management/intersight/intersight-policies-so.html"
)
_INSTALL: Final = "https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/installing_an_on-premise_cluster_with_the_agent-based_installer/preparing-to-install-with-agent-based-installer"
_NEEDED: Final = (
    "kvm.Policy",
    "vmedia.Policy",
    "power.Policy",
    "storage.StoragePolicy",
    "bios.Policy",
    "boot.PrecisionPolicy",
)
_BY_PLATFORM: Final = {"FIAttached": ("vnic.LanConnectivityPolicy",), "Standalone": ("ntp.Policy",)}
"""A server behind Fabric Interconnects has their time: its profile takes no ntp.Policy."""
_WITH_VICS: Final = "vnic.LanConnectivityPolicy"

_BUILT_IN: Final = ("iam.EndPointRole",)
"""Types whose objects every account has from the start."""


def server_profiles(resources: Sequence[Resource]) -> list[Resource]:
    """Server profiles. Raises NotApplicable where there is none."""
    found = [each for each in resources if each.type == PROFILE]
    if not found:
        raise NotApplicable("no server profile")
    return found


def _whole(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    profiles = server_profiles(resources)
    logs = any("syslog.Policy" in attached(each, known) for each in profiles) or bool(
        list(of_type(resources, "syslog.Policy"))
    )
    for each in profiles:
        own = attached(each, known)
        needed = (*_NEEDED, *(("syslog.Policy",) if logs else ()))
        needed = (*needed, *_BY_PLATFORM.get(str(spec(each).get("target_platform")), ()))
        lacks = [kind for kind in needed if kind not in own]
        if lacks:
            yield Finding(f"{each.name} has no {', '.join(lacks)}", each.urn)


def _organization(resource: Resource) -> str:
    return str(spec(resource).get("organization"))


def _exist(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    owners = [each for each in resources if each.type in (POLICY, POOL, PROFILE, DOMAIN, CHASSIS)]
    if not owners:
        raise NotApplicable("nothing of Intersight's")
    places = {(_organization(each), key) for each in owners for key in objects([each])}
    for each in owners:
        needed = {key for key in _named_by(each) if key[0] not in _BUILT_IN}
        missing = sorted({f"{kind} {name}" for kind, name in needed - set(known)})
        if missing:
            yield Finding(f"{each.name} names {', '.join(missing)}, which nobody defines", each.urn)
        own = _organization(each)
        apart = sorted(f"{key[0]} {key[1]}" for key in needed & set(known) if (own, key) not in places)
        if apart:
            yield Finding(f"{each.name} is in the organization {own} and names {', '.join(apart)} of another", each.urn)
    used = {key for each in owners for key in _named_by(each)}
    for key, each in known.items():
        if key not in used:
            yield Finding(f"{each.name} is defined, and no profile or policy names it", each.urn)


def _named_by(resource: Resource) -> Iterator[Key]:
    about = spec(resource)
    for owner in (about, *items(about.get("children"))):
        for references in (owner.get("references") or {}).values():
            yield from target(references)
    yield from target(about.get("uuid_pool"))
    policies: Any = about.get("policies") or ()
    for each in policies.values() if isinstance(policies, Mapping) else (policies,):
        yield from target(list(items(each)))


def _installed(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Name, serial number and boot address of each server are those that the installation waits for."""
    hosts = {
        str(host["name"]): host for each in resources if each.type == INSTALL for host in items(spec(each).get("hosts"))
    }
    servers = [each for each in resources if each.type in (PROFILE, REDFISH)]
    if not hosts or not servers:
        raise NotApplicable("no server is installed here")
    known, about_machines = objects(resources), machines(resources)
    for each in servers:
        about = spec(each)
        machine = about_machines.get(str(about.get("name")), {})
        model = machine.get("model")
        if model and about.get("model") != model:
            yield Finding(f"{each.name} is for a {about.get('model')}, the server is a {model}", each.urn)
        host = hosts.get(node_of(machine) if machine else str(about.get("name")))
        if host is None:
            yield Finding(
                f"{each.name} configures the server {about.get('name')}, which is installed nowhere", each.urn
            )
            continue
        if about.get("serial") != host.get("serial"):
            yield Finding(f"{each.name} is bound to {about.get('serial')}, installed is {host.get('serial')}", each.urn)
        if each.type == REDFISH and about.get("address") != host.get("bmc"):
            yield Finding(f"{each.name} is reached at {about.get('address')}, installed at {host.get('bmc')}", each.urn)
        lan = attached(each, known).get(_WITH_VICS) if each.type == PROFILE else None
        if lan is not None and about.get("target_platform") == "FIAttached":
            yield from _addressed(each, lan, host)


def _addressed(profile: Resource, lan: Resource, host: Mapping[str, Any]) -> Iterator[Finding]:
    """Addresses by which the installer finds a host's interfaces are those of its vNICs."""
    macs = {str((one.get("properties") or {}).get("StaticMacAddress")).lower() for one in children(lan, "vnic.EthIf")}
    if str(host.get("boot_mac")).lower() not in macs:
        yield Finding(f"no vNIC of {profile.name} has its boot_mac {host.get('boot_mac')}", profile.urn)
    for name, mac in _interfaces(host):
        if mac not in macs:
            yield Finding(f"no vNIC of {profile.name} has {mac}, installed as its interface {name}", profile.urn)


def _interfaces(host: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Interfaces of a host's network beside the one that it boots by: the installer's agent finds them by address."""
    for name, mac in ((host.get("network") or {}).get("interfaces") or {}).items():
        if str(mac).lower() != str(host.get("boot_mac")).lower():
            yield str(name), str(mac).lower()


def _services(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Time, names and logs are those of the nodes and switches."""
    installs = [spec(each) for each in resources if each.type == INSTALL]
    switches = [switch(each) for each in resources if each.type == SWITCH]
    receivers = {line.words[2] for one in switches for line in one.lines if line.words[:2] == ("logging", "server")}
    if not installs and not receivers:
        raise NotApplicable("no node or switch to compare with")
    for kind, key, read in (
        ("ntp.Policy", "ntp", _ntp),
        ("networkconfig.Policy", "dns", _dns),
        ("ippool.Pool", "dns", _pool),
    ):
        wanted = {str(one) for each in installs for one in items(each.get(key))}
        for each in of_type(resources, kind):
            if wanted and read(each) ^ wanted:
                odd = ", ".join(sorted(read(each) ^ wanted))
                yield Finding(f"{each.name} has other {key} servers than the nodes: {odd}", each.urn)
    for each in of_type(resources, "syslog.Policy"):
        for client in items(properties(each).get("RemoteClients")):
            host, port, protocol = (
                client.get("Hostname"),
                int(client.get("Port") or 514),
                client.get("Protocol") or "udp",
            )
            if receivers and (host not in receivers or port != 514 or protocol != "udp"):
                yield Finding(
                    f"{each.name} logs to {host} {protocol} {port}, the switches to {min(receivers)} udp 514", each.urn
                )


def _ntp(resource: Resource) -> set[str]:
    return {str(each) for each in items(properties(resource).get("NtpServers"))}


def _pool(resource: Resource) -> set[str]:
    config = properties(resource).get("IpV4Config") or {}
    return {str(config[key]) for key in ("PrimaryDns", "SecondaryDns") if config.get(key)}


def _dns(resource: Resource) -> set[str]:
    found = (str(value) for key, value in properties(resource).items() if re.search(r"Ipv4dnsServer$", key))
    return set(found)


_READ: Final = (("ntp.Policy", "ntp", _ntp), ("networkconfig.Policy", "dns", _dns), ("ippool.Pool", "dns", _pool))
"""Types, the installation's servers that theirs are compared with, and how theirs are read."""


def _staged(resources: Sequence[Resource]) -> Iterator[Finding]:
    for each in server_profiles(resources):
        if spec(each).get("action") != "stage":
            yield Finding(f"{each.name} restarts its server as soon as a setting needs it", each.urn)


PROFILES: tuple[StackRule, ...] = (
    StackRule(
        id="compute-profiles-whole",
        title="A server profile has time, console, media, power, storage, BIOS and boot policies",
        why="What a profile leaves out keeps what the server had before: two servers of one role are then not alike.",
        fix="Attach a policy of each of these types; leave the role's policies as they are made.",
        reference=_POLICIES,
        severity="high",
        excused_by=of(POLICY),
        types=of(PROFILE, POLICY),
        compare=_whole,
    ),
    StackRule(
        id="compute-references-exist",
        title="What a profile or policy names is defined, and what is defined is named",
        why="An unknown name stops an apply half-way; a policy that nobody names reaches no server.",
        fix="Define the object or attach it; keep a cluster's objects in one organization.",
        reference=_POLICIES,
        severity="high",
        types=of(PROFILE, POLICY, POOL, DOMAIN, CHASSIS),
        compare=_exist,
    ),
    StackRule(
        id="compute-profile-is-the-installed-server",
        title="A profile is bound to the server that the installation waits for",
        why="The installer knows a host by its boot address and serial number: with others it waits until it gives up.",
        fix="Take name, serial and boot_mac from one entry of servers, in profile and installation alike.",
        reference=_INSTALL,
        severity="critical",
        excused_by=of(INSTALL, *MACHINES),
        types=of(PROFILE, REDFISH, POLICY, INSTALL, *MACHINES),
        compare=_installed,
    ),
    StackRule(
        id="compute-services-agree",
        title="Servers ask the time and name servers of their nodes, and log where the switches do",
        why="Times of two sources drift apart, and logs in two places are read in one: causes look like consequences.",
        fix="Take them from site.ntp, site.dns and site.syslog.",
        reference=_POLICIES,
        severity="medium",
        excused_by=of(INSTALL, SWITCH),
        types=of(POLICY, POOL, INSTALL, SWITCH),
        compare=_services,
    ),
    StackRule(
        id="compute-restarts-by-roll-out",
        title="A server profile is staged; its pool's roll-out restarts the server",
        why="A profile that is deployed restarts its server at once, and all servers of a shared policy together.",
        fix="Set action to stage; the roll-out drains one node after another.",
        reference=_POLICIES,
        severity="critical",
        excused_by=nothing,
        types=of(PROFILE),
        compare=_staged,
    ),
)
