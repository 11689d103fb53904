"""API keys: what Intersight takes, read from any PEM a person may hold, and the signer made of it.

Intersight knows two keys: RSA (v2, RSASSA-PKCS1-v1_5) and EC on P-256 (v3, ECDSA), both over SHA-256. The SDK
signs with them when their PEM wrapper is the one it expects; here every wrapper of those two is taken, and every
other key is refused with a sentence.
"""

from __future__ import annotations

import sys
from typing import Any

from podwright.components.providers.protocol.kind import ProviderError

SIGNED_HEADERS = ("(request-target)", "Host", "Date", "Digest")
"""What Cisco's own SDK helper signs (`intersight.authentication.get_api_client`)."""


class Signer:
    """Signs requests to one host with one key."""

    def __init__(self, key_id: str, pem: str, host: str) -> None:
        """`host` is the name requests are made to, with a port when that is not 443.

        Raises ProviderError when `pem` holds no key that Intersight would take; the text never quotes it.
        """
        normal, algorithm = _normalise(pem)
        signing = _sdk_signing()
        self._signing = signing.HttpSigningConfiguration(
            key_id=key_id,
            private_key_string=normal,
            signing_scheme=signing.SCHEME_HS2019,
            signing_algorithm=getattr(signing, algorithm),
            hash_algorithm=signing.HASH_SHA256,
            signed_headers=list(SIGNED_HEADERS),
        )
        self._signing.host = f"https://{host}"

    def headers(self, method: str, path: str, query: list[tuple[str, str]], body: Any | None) -> dict[str, str]:
        """Host, Date, Digest and Authorization of one request; `body` is signed as `json.dumps` writes it."""
        signed: dict[str, str] = self._signing.get_http_signature_headers(path, method, {}, body, query)
        return signed


def _sdk_signing() -> Any:
    """The SDK's signer, imported on first use: it costs 0.12 s and 29 MB that a preview need not pay."""
    limit = sys.getrecursionlimit()
    from intersight import signing  # noqa: PLC0415 - on first use, see above

    # The SDK's package sets 1,200, less than a host with deep state may have asked for.
    sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))
    return signing


def _normalise(pem: str) -> tuple[str, str]:
    """The key in the wrapper that the SDK reads, and the SDK's name of its algorithm."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - on first use, as the SDK
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - on first use, as the SDK
    from cryptography.hazmat.primitives.asymmetric import ec, rsa  # noqa: PLC0415 - on first use, as the SDK

    # An EC key as Intersight hands it out is PKCS#8 under the older EC heading: read it under both.
    relabelled = pem.replace(" EC PRIVATE KEY-----", " PRIVATE KEY-----")
    key: Any = None
    for text in (pem, relabelled):
        try:
            key = serialization.load_pem_private_key(text.strip().encode(), password=None)
            break
        except TypeError:
            raise ProviderError(
                "the Intersight API key is protected by a passphrase; store it without one, as downloaded"
            ) from None
        except (ValueError, UnsupportedAlgorithm):
            continue
    if isinstance(key, rsa.RSAPrivateKey):
        algorithm = "ALGORITHM_RSASSA_PKCS1v15"
    elif isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        algorithm = "ALGORITHM_ECDSA_MODE_DETERMINISTIC_RFC6979"
    else:
        found = "no private key in PEM form" if key is None else f"a key of type {type(key).__name__.lstrip('_')}"
        raise ProviderError(
            f"the Intersight API key is {found}; Intersight takes RSA (version 2) and EC on P-256 (version 3) keys"
        )
    encoding = serialization.Encoding.PEM
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(encoding, form, serialization.NoEncryption()).decode(), algorithm
