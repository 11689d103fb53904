"""A host that joins asks for its kubelet's certificates: they are approved for it, and for nobody else."""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Mapping
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from podwright.components.providers.openshift import certificates
from podwright.components.providers.openshift.certificates import BOOTSTRAPPER, CLIENT, SERVING

HOSTS = [
    {"name": "gpu-01", "role": "worker", "address": "192.0.2.21"},
    {"name": "cp-01", "role": "master", "address": "192.0.2.11"},
]
KEY = ec.generate_private_key(ec.SECP256R1())


def asked(name: str = "system:node:gpu-01", group: str = "system:nodes", *places: str, **spec: Any) -> dict[str, Any]:
    """A request as a kubelet posts it, client's unless `spec` says otherwise."""
    who = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group), x509.NameAttribute(NameOID.COMMON_NAME, name)]
    made = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(who))
    if places:
        named = [x509.IPAddress(ipaddress.ip_address(each)) if each[0].isdigit() else x509.DNSName(each)
                 for each in places]  # fmt: skip
        made = made.add_extension(x509.SubjectAlternativeName(named), critical=False)
    pem = made.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    usages = ["digital signature", "client auth"]
    basic = {"signerName": CLIENT, "username": BOOTSTRAPPER, "usages": usages}
    return {"metadata": {"name": "csr-1"}, "spec": {**basic, "request": base64.b64encode(pem).decode(), **spec}}


def served(*places: str, **spec: Any) -> dict[str, Any]:
    usages = ["digital signature", "server auth"]
    own = {"signerName": SERVING, "username": "system:node:gpu-01", "usages": usages, **spec}
    return asked("system:node:gpu-01", "system:nodes", *places, **own)


@pytest.mark.parametrize("request_", [asked(), served("gpu-01", "192.0.2.21"), served("192.0.2.21")])
def test_what_the_kubelet_of_a_joining_worker_asks_for_is_its_own(request_: Mapping[str, Any]) -> None:
    assert certificates.asked_by(request_, HOSTS) == "gpu-01"


@pytest.mark.parametrize(
    "request_",
    [
        asked("system:node:gpu-02"),
        asked("system:node:cp-01"),
        asked("system:node:gpu-01", "system:masters"),
        asked("system:admin"),
        asked(username="system:serviceaccount:default:default"),
        asked("system:node:gpu-01", "system:nodes", "api.lab.example.com"),
        asked(usages=["client auth", "server auth"]),
        asked(signerName="kubernetes.io/kube-apiserver-client"),
        asked(request=base64.b64encode(b"no request").decode()),
        served("gpu-01", "api.lab.example.com"),
        served("192.0.2.200"),
        served(),
        served("gpu-01", username=BOOTSTRAPPER),
        served("gpu-01", usages=["server auth", "client auth"]),
    ],
)
def test_nothing_else_is_approved(request_: Mapping[str, Any]) -> None:
    assert certificates.asked_by(request_, HOSTS) == ""
