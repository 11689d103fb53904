"""The lab's name server, asked by a client that is not ours."""

from __future__ import annotations

from collections.abc import Iterator

import dns.message
import dns.query
import dns.rcode
import pytest

from podwright.lab.openshift.names import NameServer, Zone

RECORDS = {"api.lab.example.com": "192.0.2.200", "*.apps.lab.example.com": "192.0.2.201"}


@pytest.fixture
def server() -> Iterator[NameServer]:
    made = NameServer(Zone(RECORDS))
    yield made
    made.stop()


@pytest.mark.parametrize("ask", [dns.query.udp, dns.query.tcp])
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("api.lab.example.com", "192.0.2.200"),
        ("API.lab.Example.com", "192.0.2.200"),
        ("console.apps.lab.example.com", "192.0.2.201"),
        ("a.b.apps.lab.example.com", "192.0.2.201"),
        ("apps.lab.example.com", None),
        ("www.example.com", None),
    ],
)
def test_names_have_the_addresses_of_the_zone(server: NameServer, ask: object, name: str, address: str | None) -> None:
    assert callable(ask)
    reply = ask(dns.message.make_query(name, "A"), "127.0.0.1", port=server.port, timeout=10)
    assert [row.to_text() for answer in reply.answer for row in answer] == ([address] if address else [])
    assert reply.rcode() == (dns.rcode.NOERROR if address else dns.rcode.NXDOMAIN)


def test_a_name_without_an_address_of_the_other_kind_exists(server: NameServer) -> None:
    reply = dns.query.udp(
        dns.message.make_query("api.lab.example.com", "AAAA"), "127.0.0.1", port=server.port, timeout=9
    )
    assert (reply.rcode(), reply.answer) == (dns.rcode.NOERROR, [])
