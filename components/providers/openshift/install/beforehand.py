"""What a site must have ready before a host is switched on: free virtual addresses, and names that lead to them.

An installation that finds a wrong record or a taken address fails after most of an hour. Names after OpenShift's
requirements for bare metal (`api`, `*.apps`; `api-int` is served inside the cluster, and must not lead elsewhere):
https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/installing_on_bare_metal/installer-provisioned-infrastructure
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import dns.asyncquery
import dns.exception
import dns.message
import dns.rcode
import dns.rdatatype

from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import DIRECT

API_PORT = 6443
PORTS: Mapping[str, tuple[int, ...]] = {"api_vip": (API_PORT, 22623, 22), "ingress_vip": (443, 80, 22)}
"""Ports of a cluster at each address, and the one by which most other hosts answer."""
DNS_PORT = 53
SECONDS = 5.0
"""How long an address or a name server may take to answer."""
ANY_APP = "podwright-check"
"""A name below `*.apps` that nobody has a record of its own for."""


@dataclass(frozen=True)
class Record:
    """A name and the address that it must lead to."""

    name: str
    address: str
    key: str
    """Key of the stack file that has the address."""
    optional: bool = False
    """The name may have no record at all."""

    @property
    def line(self) -> str:
        """The record as a zone file has it."""
        written = self.name.replace(f"{ANY_APP}.", "*.")
        return f"{written}. IN A {self.address}"


def records(spec: Mapping[str, Any]) -> tuple[Record, ...]:
    """Names that clients and nodes look up."""
    base = f"{spec['cluster']}.{spec['domain']}"
    api, ingress = str(spec["api_vip"]), str(spec["ingress_vip"])
    single = sum(host["role"] == "master" for host in spec["hosts"]) == 1
    return (
        Record(f"api.{base}", api, "api_vip"),
        # With virtual addresses the cluster's own name service has it; a single host has none.
        Record(f"api-int.{base}", api, "api_vip", optional=not single),
        Record(f"{ANY_APP}.apps.{base}", ingress, "ingress_vip"),
    )


async def judge_site(spec: Mapping[str, Any], ctx: Context) -> None:
    """Raise ProviderError with everything that would stop the installation; no host was touched by then."""
    found = await asyncio.gather(
        _strangers(spec, ctx), *(_names(str(each), spec, ctx) for each in spec.get("dns") or [])
    )
    problems = list(dict.fromkeys(sentence for part in found for sentence in part))
    if problems:
        raise ProviderError("; ".join(problems) + ". No host was touched")


async def _strangers(spec: Mapping[str, Any], ctx: Context) -> list[str]:
    """Somebody else's cluster by its name, or whatever has a virtual address."""
    name = f"api.{spec['cluster']}.{spec['domain']}"
    places = [(name, API_PORT), *((str(spec[key]), port) for key, ports in PORTS.items() for port in ports)]
    ends = await asyncio.gather(*(_answer(host, port, ctx) for host, port in places))
    by = {end: [place for place, each in zip(places, ends, strict=True) if each == end] for end in ("taken", "refused")}
    for key in PORTS:
        address = str(spec[key])
        if address in {host for host, _ in by["refused"]} - {host for host, _ in by["taken"]}:
            # A device without these services refuses, and so does a firewall for an address that nobody has.
            ctx.warn(
                f"{address} ({key}) refuses connections: see that no device has it; a firewall may be what answers"
            )
    return list(_sentences(spec, by["taken"]))


def _sentences(spec: Mapping[str, Any], taken: list[tuple[str, int]]) -> Iterator[str]:
    clusters = [host for host, port in taken if port == API_PORT]
    if clusters:
        yield (
            f"a cluster that this stack did not install answers at {clusters[0]}:{API_PORT}: "
            "give ours another name and address, or switch that one off first"
        )
    for key in PORTS:
        address = str(spec[key])
        ports = [port for host, port in taken if host == address]
        if ports and address not in clusters:
            yield (
                f"{address} ({key}) is taken: something answers there on port {ports[0]}; "
                f"write an address that nobody has as openshift.{key}, or take it off that device"
            )


async def _answer(host: str, port: int, ctx: Context) -> str:
    """`taken`, `refused` by whoever has the address, or nothing. What a forward refuses says nothing about it."""
    way = _way(host, port, ctx)
    if way is None:
        return ""
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(*way), SECONDS)
    except ConnectionRefusedError:
        return "refused" if way == (host, port) else ""
    except (OSError, TimeoutError):
        return ""
    writer.close()
    return "taken"


async def _names(server: str, spec: Mapping[str, Any], ctx: Context) -> list[str]:
    """What a name server of the site answers wrongly. One that is not reached from here is warned of."""
    way = _way(server, DNS_PORT, ctx)
    asked = records(spec)
    try:
        if way is None:
            raise OSError("no way there in the reach file")  # noqa: TRY301 - one way out for all
        answers = await asyncio.gather(*(_addresses(each.name, way) for each in asked))
    except (OSError, TimeoutError, dns.exception.DNSException) as silent:
        ctx.warn(
            f"name server {server} was not asked for {asked[0].name} and *.apps: {silent or type(silent).__name__}; "
            "hosts will ask it when they are installed"
        )
        return []
    return [_wrong(server, *pair) for pair in zip(asked, answers, strict=True) if not _right(*pair)]


def _right(record: Record, found: list[str]) -> bool:
    return found == [record.address] or (record.optional and not found)


def _wrong(server: str, record: Record, found: list[str]) -> str:
    name = record.name.replace(f"{ANY_APP}.", "*.")
    if not found:
        return f"name server {server} has no address of {name}: write the record `{record.line}`"
    return (
        f"name server {server} has {' and '.join(found)} for {name}, and openshift.{record.key} is {record.address}: "
        f"write the record `{record.line}`"
    )


async def _addresses(name: str, way: tuple[str, int]) -> list[str]:
    """IPv4 addresses that a name server answers with, sorted; over TCP where UDP leads nowhere, as behind a forward, or
    to something that is no name server."""
    query = dns.message.make_query(name, dns.rdatatype.A)
    host, port = way
    try:
        reply, _ = await dns.asyncquery.udp_with_fallback(query, host, timeout=SECONDS / 2, port=port)
    except (OSError, dns.exception.DNSException):
        reply = await dns.asyncquery.tcp(query, host, timeout=SECONDS, port=port)
    if reply.rcode() not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
        raise OSError(f"it answers {dns.rcode.to_text(reply.rcode())}")
    rows = [row for answer in reply.answer if answer.rdtype == dns.rdatatype.A for row in answer]
    return sorted({row.to_text() for row in rows})


def _way(host: str, port: int, ctx: Context) -> tuple[str, int] | None:
    """Where to dial; None in a world of its own that has no way there: what answers would be somebody else's."""
    way = ctx.reach.endpoint(host, port)
    return None if ctx.reach.world != DIRECT and way == (host, port) else way
