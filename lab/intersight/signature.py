"""HTTP Signatures (draft-cavage-http-signatures-12) as Intersight's clients send them.

Three clients, three header sets, RSA and EC keys, an `expires` that may be a float: the verifier follows what the
`headers` parameter lists, over the request line as it came.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey
MAX_SKEW_SECONDS = 300
_PARAMETER = re.compile(r'(\w+)=(?:"([^"]*)"|([0-9.]+))')


@dataclass(frozen=True)
class Request:
    """What a signature covers. `target` is path and query as in the request line; header names are lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


def new_key() -> str:
    """A P-256 key in the form Intersight hands out: a PKCS#8 body under an `EC PRIVATE KEY` label.

    It is the one EC form that the SDK, Ansible and Terraform all take.
    """
    pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem.decode().replace("BEGIN PRIVATE KEY", "BEGIN EC PRIVATE KEY").replace("END PRIVATE", "END EC PRIVATE")


def public_of(pem: str) -> PublicKey:
    """Public half of an RSA or EC private key, PKCS#1, SEC1 or PKCS#8, also when a PKCS#8 body is labelled EC.

    Raises:
        ValueError: no RSA or P-256 private key.
    """
    try:
        key = serialization.load_pem_private_key(pem.encode(), None)
    except ValueError:
        relabelled = pem.replace("EC PRIVATE KEY", "PRIVATE KEY")
        key = serialization.load_pem_private_key(relabelled.encode(), None)
    public = key.public_key()
    if not isinstance(public, (rsa.RSAPublicKey, ec.EllipticCurvePublicKey)):
        raise ValueError("an Intersight key is RSA or P-256")  # noqa: TRY004 - the text is wrong, not its type
    return public


def verified(request: Request, keys: Callable[[str], PublicKey | None], now: float | None = None) -> str | None:
    """Key id that signed this request, or None when the request is not signed rightly and in time."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "signature":
        return None
    parameters = {m[1]: m[2] if m[2] is not None else m[3] for m in _PARAMETER.finditer(rest)}
    key = keys(parameters.get("keyId", ""))
    names = parameters.get("headers", "").lower().split()
    if key is None or "(request-target)" not in names or not _in_time(request, parameters, names, now or time.time()):
        return None
    if not _digest_holds(request, names):
        return None
    text = _signed_text(request, parameters, names)
    if text is None or not _signature_holds(key, parameters.get("signature", ""), text):
        return None
    return parameters["keyId"]


def _signed_text(request: Request, parameters: Mapping[str, str], names: list[str]) -> bytes | None:
    lines = []
    for name in names:
        if name == "(request-target)":
            value = f"{request.method.lower()} {request.target}"
        elif name in ("(created)", "(expires)"):
            value = parameters.get(name.strip("()"), "")
        elif name in request.headers:
            value = request.headers[name].strip()
        else:
            return None
        lines.append(f"{name}: {value}")
    return "\n".join(lines).encode()


def _in_time(request: Request, parameters: Mapping[str, str], names: list[str], now: float) -> bool:
    """A signed Date or (created) close to now, and no (expires) in the past."""
    try:
        if "expires" in parameters and float(parameters["expires"]) < now:
            return False
        if "(created)" in names:
            return abs(float(parameters["created"]) - now) <= MAX_SKEW_SECONDS
        if "date" in names:
            return abs(parsedate_to_datetime(request.headers["date"]).timestamp() - now) <= MAX_SKEW_SECONDS
    except (KeyError, ValueError, TypeError):
        return False
    return False


def _digest_holds(request: Request, names: list[str]) -> bool:
    """The Digest header is signed and is that of the body."""
    kind, _, text = request.headers.get("digest", "").partition("=")
    right = base64.b64encode(hashlib.sha256(request.body).digest()).decode()
    return "digest" in names and kind.upper() == "SHA-256" and hmac.compare_digest(text, right)


def _signature_holds(key: PublicKey, signature: str, text: bytes) -> bool:
    try:
        raw = base64.b64decode(signature, validate=True)
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(raw, text, padding.PKCS1v15(), hashes.SHA256())
        else:
            key.verify(raw, text, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True
