"""Certificates of management controllers: what one is until when, and which one a controller shows.

Only the handshake is made: nothing is sent, no password either, so what the controller shows need not be trusted, and
one that has expired is seen all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from podwright.components.providers.reach import Reach

PORT = 443


@dataclass(frozen=True)
class Certificate:
    """One certificate: the SHA-256 of it, and the time in which it is valid."""

    fingerprint: str
    begins: datetime
    ends: datetime


def parsed(pem: str) -> Certificate | None:
    """A certificate from PEM text; None where it is none."""
    try:
        return _of(x509.load_pem_x509_certificate(pem.encode()))
    except ValueError:
        return None


def _of(found: x509.Certificate) -> Certificate:
    fingerprint = found.fingerprint(hashes.SHA256()).hex()
    return Certificate(fingerprint, found.not_valid_before_utc, found.not_valid_after_utc)


async def shown(address: str, reach: Reach, seconds: float) -> Certificate | None:
    """What the controller at that address shows; None where it shows none within `seconds`."""
    host, port = reach.endpoint(address, PORT)
    unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(host, port, ssl=unverified)
    except (OSError, TimeoutError):
        return None
    try:
        der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return _of(x509.load_der_x509_certificate(der)) if der else None
    except ValueError:
        return None
    finally:
        with contextlib.suppress(OSError):
            writer.transport.abort()
