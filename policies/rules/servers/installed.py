"""Whether a server's profile is the one of the server that the installation waits for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule
from .asked import all_of, asked, each_of, holds, indexed, members, sifted, some
from .inventory import (
    INSTALL,
    MACHINES,
    POLICY,
    PROFILE,
    REDFISH,
    Object,
    Objects,
    attached,
    children,
    machines,
    node_of,
    objects,
    of,
    part,
    spec,
)

_INSTALL: Final = "https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/installing_an_on-premise_cluster_with_the_agent-based_installer/preparing-to-install-with-agent-based-installer"
_WITH_VICS: Final = "vnic.LanConnectivityPolicy"


def _installed(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Name, serial number and boot address of each server are those that the installation waits for."""
    installs = (each for each in resources if each.type == INSTALL)
    there = asked(lambda each: members(spec(each).get("hosts")), installs)
    hosts = indexed(there, lambda host: str(host["name"]))
    servers = [each for each in resources if each.type in (PROFILE, REDFISH)]
    if not servers or not holds(lambda _: True, hosts):
        raise NotApplicable("no server is installed here")
    about_machines, known = machines(resources), objects(resources)
    yield from asked(lambda each: _as_installed(each, about_machines, hosts, known), servers)


def _as_installed(
    server: Resource, about_machines: Mapping[str, Object], hosts: Mapping[str, Object], known: Objects
) -> Iterator[Finding]:
    name = str(spec(server).get("name"))

    def model() -> Iterator[Finding]:
        stated = about_machines.get(name, {}).get("model")
        if stated and (own := spec(server).get("model")) != stated:
            yield Finding(f"{server.name} is for a {own}, the server is a {stated}", server.urn)

    def on_host() -> Iterator[Finding]:
        machine = about_machines.get(name)
        host = hosts.get(node_of(machine) if machine else name)
        if host is None:
            yield Finding(f"{server.name} configures the server {name}, which is installed nowhere", server.urn)
            return
        questions: Sequence[Callable[[Resource, Object], Iterator[Finding]]] = (
            _serial,
            _address,
            partial(_addressed, known),
        )
        yield from asked(lambda ask: ask(server, host), questions)

    return all_of((model, on_host))


def _serial(server: Resource, host: Object) -> Iterator[Finding]:
    own = spec(server).get("serial")
    if own != host.get("serial"):
        yield Finding(f"{server.name} is bound to {own}, installed is {host.get('serial')}", server.urn)


def _address(server: Resource, host: Object) -> Iterator[Finding]:
    own = spec(server).get("address") if server.type == REDFISH else host.get("bmc")
    if own != host.get("bmc"):
        yield Finding(f"{server.name} is reached at {own}, installed at {host.get('bmc')}", server.urn)


def _addressed(known: Objects, profile: Resource, host: Object) -> Iterator[Finding]:
    """Addresses by which the installer finds a host's interfaces are those of its vNICs."""
    if spec(profile).get("target_platform") != "FIAttached":  # what Redfish configures has none
        return
    lan = attached(profile, known).get(_WITH_VICS)
    if lan is None:
        return
    vnics = children(lan, "vnic.EthIf")
    macs = some(each_of(lambda one: str(part(one, "properties").get("StaticMacAddress")).lower(), vnics))

    def boots() -> Iterator[Finding]:
        if not macs.has(str(host.get("boot_mac")).lower()):
            yield Finding(f"no vNIC of {profile.name} has its boot_mac {host.get('boot_mac')}", profile.urn)

    def others() -> Iterator[Finding]:
        for name, mac in sifted(lambda each: not macs.has(each[1]), _interfaces(host)):
            yield Finding(f"no vNIC of {profile.name} has {mac}, installed as its interface {name}", profile.urn)

    yield from all_of((boots, others))


def _interfaces(host: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Interfaces of a host's network beside the one that it boots by: the installer's agent finds them by address."""
    found = part(host, "network", "interfaces")
    addresses = each_of(lambda name: (str(name), str(found[name]).lower()), found)
    return sifted(lambda each: each[1] != str(host.get("boot_mac")).lower(), addresses)


INSTALLED: tuple[StackRule, ...] = (
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
)
