"""Whether servers ask the time and name servers of their nodes, and log where switches do."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, apart
from ..switches import SWITCH, switch
from .asked import Some, all_of, any_of, asked, each_of, joined, members, sifted, some
from .inventory import (
    INSTALL,
    POLICY,
    POOL,
    Object,
    of,
    of_type,
    part,
    properties,
    shown,
    spec,
)

_POLICIES: Final = (
    "https://www.cisco.com/c/en/us/products/collateral/cloud-systems-management/intersight/intersight-policies-so.html"
)


def _services(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Time, names and logs are those of the nodes and switches."""
    installs = [each for each in resources if each.type == INSTALL]
    receivers = some(asked(_receivers, (each for each in resources if each.type == SWITCH)))
    if not installs and not receivers.things and receivers.unknown is None:
        raise NotApplicable("no node or switch to compare with")
    parts = (*(partial(_servers, resources, installs, *each) for each in _READ), partial(_logs, resources, receivers))
    yield from all_of(parts)


def _receivers(resource: Resource) -> Iterator[str]:
    logging = sifted(lambda line: line.words[:2] == ("logging", "server"), switch(resource).lines)
    return each_of(lambda line: line.words[2], logging)


def _servers(
    resources: Sequence[Resource],
    installs: Sequence[Resource],
    kind: str,
    what: str,
    read: Callable[[Resource], Iterator[str]],
) -> Iterator[Finding]:
    wanted = some(asked(lambda each: each_of(str, members(spec(each).get(what))), installs))
    if not wanted.things and wanted.unknown is None:
        return

    def compared(policy: Resource) -> Iterator[Finding]:
        own = some(read(policy))
        text = f"{policy.name} has other {what} servers than the nodes:"
        odd = apart((own.without(wanted), wanted.without(own)))
        return joined(odd, lambda those: Finding(f"{text} {', '.join(sorted(those))}", policy.urn))

    yield from asked(compared, of_type(resources, kind))


def _logs(resources: Sequence[Resource], receivers: Some[str]) -> Iterator[Finding]:
    if not receivers.things and receivers.unknown is None:
        return
    policies = of_type(resources, "syslog.Policy")
    clients = asked(lambda each: ((each, one) for one in members(properties(each).get("RemoteClients"))), policies)
    yield from asked(lambda each: _log(*each, receivers), clients)


def _log(policy: Resource, client: Object, receivers: Some[str]) -> Iterator[Finding]:
    def port() -> int:
        return int(client.get("Port") or 514)

    def protocol() -> str:
        return client.get("Protocol") or "udp"

    def host() -> str:
        return str(client.get("Hostname"))

    odd = (lambda: not receivers.has(host()), lambda: port() != 514, lambda: protocol() != "udp")
    if any_of(odd):
        if not receivers.things and receivers.unknown is not None:
            raise receivers.unknown
        yield Finding(
            f"{policy.name} logs to {shown(client, 'Hostname')} {shown(client, 'Protocol', 'udp')} "
            f"{shown(client, 'Port', '514')}, the switches to {min(receivers.things)} udp 514",
            policy.urn,
        )


def _ntp(resource: Resource) -> Iterator[str]:
    return each_of(str, members(properties(resource).get("NtpServers")))


def _pool(resource: Resource) -> Iterator[str]:
    config = part(properties(resource), "IpV4Config")
    return each_of(lambda key: str(config[key]), sifted(config.get, ("PrimaryDns", "SecondaryDns")))


def _dns(resource: Resource) -> Iterator[str]:
    values = properties(resource)
    return each_of(lambda key: str(values[key]), (key for key in values if key.endswith("Ipv4dnsServer")))


_READ: Final = (("ntp.Policy", "ntp", _ntp), ("networkconfig.Policy", "dns", _dns), ("ippool.Pool", "dns", _pool))
"""Types, the installation's servers that theirs are compared with, and how theirs are read."""


SERVICES: tuple[StackRule, ...] = (
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
)
