"""The certificate that a server's management controller shows, as the policy that brings it there."""

import base64
from collections.abc import Iterator
from typing import Any

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.model import IntersightObject
from podwright.components.design.compute.secrets import secret
from podwright.components.model import Server

POLICY = "certificatemanagement.Policy"
_IMC, _X509 = "certificatemanagement.Imc", "x509.Certificate"


def certificate(name: str, server: Server, bucket: Bucket) -> Iterator[IntersightObject]:
    """A policy of the server's own, since one policy has one private key; none where the file has no certificate.

    Both are sent as PEM text in base64; the key is put in when it is written (terraform-cisco-modules, base64encode).
    """
    own = server.certificate
    if own is None:
        return
    shown: dict[str, Any] = {
        "ClassId": _IMC,
        "ObjectType": _IMC,
        "Enabled": True,
        "Certificate": {
            "ClassId": _X509,
            "ObjectType": _X509,
            "PemCertificate": base64.b64encode(own.certificate.encode()).decode(),
        },
        "Privatekey": secret(own.key, own.generation),
    }
    yield bucket.add(POLICY, f"certificate-{name}", {"Certificates": [shown]})
