"""Certificates of management controllers: of servers that take one from Intersight, each with a key of its own."""

import base64
import binascii
from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.compute import Server
from podwright.components.model.problems import Problem

_SEQUENCE = 0x30
"""First byte of a certificate (X.690: a SEQUENCE)."""


def certificate_problems(servers: Mapping[str, Server]) -> list[Problem]:
    """A certificate is readable and reaches its controller; its key is that of one server."""
    found: list[Problem] = []
    keys: dict[str, str] = {}
    for name, server in servers.items():
        if server.certificate is None:
            continue
        loc = ("servers", name, "certificate")
        model = SERVERS.get(server.model)
        if model is not None and model.manager != "intersight":
            message = f"{model.name} has no profile in Intersight that would bring it a certificate"
            found.append(Problem(loc, message, "delete this section", at_key=True))
        if not _readable(server.certificate.certificate):
            message = "is no certificate: what stands between the lines is no X.509 in base64"
            found.append(Problem((*loc, "certificate"), message, "write the file's text as it is, all of its lines"))
        other = keys.setdefault(server.certificate.key, name)
        if other != name:
            message = f"{server.certificate.key} is the key of {other}: who has it would be both"
            found.append(Problem((*loc, "key"), message, "give each server a key of its own"))
    return found


def _readable(pem: str) -> bool:
    body = "".join(pem.split("\n")[1:]).partition("-----END")[0]
    try:
        return base64.b64decode(body, validate=True)[:1] == bytes([_SEQUENCE])
    except binascii.Error:
        return False


def _certificates(cluster: Cluster) -> Iterator[Problem]:
    yield from certificate_problems(cluster.servers)


CLUSTER = (_certificates,)
