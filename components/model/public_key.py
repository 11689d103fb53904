"""Public keys as PEM text (RFC 7468), and what makes one a key that signatures are verified with."""

import base64
import binascii
from typing import Annotated

from pydantic import StringConstraints

from podwright.components.model.types import Words

PublicKey = Annotated[
    str,
    StringConstraints(
        pattern=r"^-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/]{1,76}={0,2}\n)+-----END PUBLIC KEY-----\n?$",
        max_length=8192,
    ),
    Words("one public key as PEM text, a block of YAML that begins with -----BEGIN PUBLIC KEY-----"),
]
"""One public key, such as cosign.pub. It is public; the key that signs has no place in a file."""

ALGORITHMS = {
    bytes.fromhex("2a864886f70d010101"): "RSA",
    bytes.fromhex("2a8648ce3d0201"): "ECDSA",
    bytes.fromhex("2b6570"): "Ed25519",
}
"""Keys that sigstore signs with, by the object identifier of their algorithm in DER (RFC 3279, RFC 5480, RFC 8410)."""
_SEQUENCE, _IDENTIFIER, _BITS = 0x30, 0x06, 0x03


def is_public_key(text: str) -> bool:
    """Whether a PEM text is a SubjectPublicKeyInfo (RFC 5280) of one of these algorithms, to its last byte."""
    body = "".join(line for line in text.splitlines() if not line.startswith("-----"))
    try:
        whole, rest = _read(base64.b64decode(body, validate=True), _SEQUENCE)
        algorithm, bits = _read(whole, _SEQUENCE)
        identifier, _ = _read(algorithm, _IDENTIFIER)
        key, after = _read(bits, _BITS)
    except (binascii.Error, ValueError):
        return False
    return identifier in ALGORITHMS and not rest and not after and len(key) > 1


def _read(data: bytes, tag: int) -> tuple[bytes, bytes]:
    """Content of the first element, and what follows it. Raises ValueError where it is another one, or cut off."""
    if len(data) < 2 or data[0] != tag:
        raise ValueError("another element")
    size, start = data[1], 2
    if size & 0x80:
        start += size & 0x7F
        size = int.from_bytes(data[2:start], "big")
    if len(data) < start + size:
        raise ValueError("cut off")
    return data[start : start + size], data[start + size :]
