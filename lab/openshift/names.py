"""The site's name server: DNS over UDP and TCP on loopback (RFC 1035), with the records that an administrator makes.

It begins with those of the world's cluster. POST /fault `{"kind": "dns", "name", "address"}` writes another address
for a name, none with `null`; `{"kind": "address", "vip": "api_vip"|"ingress_vip", "state": "taken"|"free"}` lets a
device that nobody knows of have a virtual address.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from podwright.lab.openshift.ports import ReservedPort
from podwright.lab.world.model import WorldError

QUERIER = "thanos-querier-openshift-monitoring"
"""Name of the Route of Thanos Querier within the cluster's domain of applications."""
PORTS = {"api_vip": (22, 22623), "ingress_vip": (22, 80, 443)}
TTL = 60


class Zone:
    """Names and addresses; `*.name` answers for everything below it that has no record of its own (RFC 4592)."""

    def __init__(self, records: Mapping[str, str]) -> None:
        self.records = dict(records)

    def find(self, name: str) -> str | None:
        """The address of a name, without its trailing dot and in lower case."""
        if name in self.records:
            return self.records[name]
        parts = name.split(".")
        wild = (".".join(["*", *parts[index:]]) for index in range(1, len(parts)))
        return next((self.records[each] for each in wild if each in self.records), None)

    def answer(self, wire: bytes) -> bytes:
        """The reply to one query, as bytes. Raises ValueError for what is no query."""
        try:
            query = dns.message.from_wire(wire)
        except Exception as bad:
            raise ValueError(str(bad)) from bad
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.AA
        question = query.question[0] if query.question else None
        # A question is an empty set of records, which counts as false.
        address = None if question is None else self.find(question.name.to_text(omit_final_dot=True).lower())
        if question is None or address is None:
            reply.set_rcode(dns.rcode.NXDOMAIN)
        elif question.rdtype == dns.rdatatype.A:
            reply.answer.append(dns.rrset.from_text(question.name, TTL, "IN", "A", address))
        return reply.to_wire()


class NameServer:
    """A zone on one loopback port, over UDP and TCP."""

    def __init__(self, zone: Zone) -> None:
        self.zone = zone
        handlers = _handlers(zone)
        self._tcp, self._udp = _servers(*handlers)
        self.port = int(self._tcp.server_address[1])
        for server in (self._tcp, self._udp):
            threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()

    def stop(self) -> None:
        """Give the port back."""
        for server in (self._tcp, self._udp):
            server.shutdown()
            server.server_close()


def _servers(
    tcp: type[socketserver.BaseRequestHandler], udp: type[socketserver.BaseRequestHandler]
) -> tuple[socketserver.ThreadingTCPServer, socketserver.ThreadingUDPServer]:
    """Both on one port number, which somebody may have for the other protocol."""
    while True:
        first = socketserver.ThreadingTCPServer(("127.0.0.1", 0), tcp)
        first.daemon_threads = True
        try:
            return first, socketserver.ThreadingUDPServer(("127.0.0.1", int(first.server_address[1])), udp)
        except OSError:
            first.server_close()


def _handlers(
    zone: Zone,
) -> tuple[type[socketserver.BaseRequestHandler], type[socketserver.BaseRequestHandler]]:
    class Stream(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError, ValueError, struct.error):
                (length,) = struct.unpack("!H", self.rfile.read(2))
                reply = zone.answer(self.rfile.read(length))
                self.wfile.write(struct.pack("!H", len(reply)) + reply)

    class Datagram(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            wire, here = self.request
            with suppress(OSError, ValueError):
                here.sendto(zone.answer(wire), self.client_address)

    return Stream, Datagram


class Addresses:
    """The cluster's names and virtual addresses, before anybody has them: what dials them finds nobody."""

    def __init__(self, cluster: Mapping[str, Any]) -> None:
        self._cluster = cluster
        base = f"{cluster.get('name')}.{cluster.get('domain')}"
        names = {f"api.{base}": "api_vip", f"api-int.{base}": "api_vip", f"*.apps.{base}": "ingress_vip"}
        self.server = NameServer(Zone({name: str(cluster[key]) for name, key in names.items() if cluster.get(key)}))
        self._holders = {key: _Holder() for key in PORTS if cluster.get(key)}
        self.forward = {f"{each}:53": f"127.0.0.1:{self.server.port}" for each in cluster.get("dns") or []}
        self.router = ReservedPort()
        if cluster.get("name") and cluster.get("domain"):
            self.forward[f"{QUERIER}.apps.{base}:443"] = f"127.0.0.1:{self.router.number}"
        for key, holder in self._holders.items():
            self.forward |= {f"{cluster[key]}:{port}": f"127.0.0.1:{holder.port}" for port in PORTS[key]}

    def record(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "dns", "name", "address": "192.0.2.9"}: write a record of an address, null takes it away."""
        name, address = str(body.get("name", "")).lower().rstrip("."), body.get("address")
        if not name:
            raise WorldError("which name?")
        self.server.zone.records.pop(name, None)
        if address is not None:
            self.server.zone.records[name] = str(address)
        return {"name": name, "address": address}

    def take(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "address", "vip", "state": "taken"|"free"}: a device nobody knows of has a virtual address."""
        holder = self._holders.get(str(body.get("vip")))
        if holder is None:
            raise WorldError(f"vip is one of {', '.join(self._holders)}")
        holder.listen() if body.get("state", "taken") == "taken" else holder.free()
        return {"vip": body.get("vip"), "state": body.get("state", "taken")}

    def stop(self) -> None:
        """Give the ports back."""
        self.server.stop()
        self.router.close()
        for holder in self._holders.values():
            holder.close()


class _Holder:
    """A port that refuses connections until somebody has the address."""

    def __init__(self) -> None:
        self._socket = self._bound(0)
        self.port = int(self._socket.getsockname()[1])

    @staticmethod
    def _bound(port: int) -> socket.socket:
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        return made

    def listen(self) -> None:
        self._socket.listen(8)

    def free(self) -> None:
        self._socket.close()
        self._socket = self._bound(self.port)

    def close(self) -> None:
        self._socket.close()
