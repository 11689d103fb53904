"""A host that joins a running cluster asks for its kubelet's certificate, and somebody has to say yes.

After the OpenShift documentation for adding workers on premise: the request of the node bootstrapper stays Pending
until `oc adm certificate approve`; nothing approves it by itself where no Machine object vouches for the host.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from podwright.lab.openshift.api import Api
from podwright.lab.openshift.certificates import Pair, private
from podwright.lab.openshift.kubeconfig import Access

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
BINDING = "system-bootstrap-node-bootstrapper"


@dataclass(frozen=True)
class Request:
    """A kubelet's request by its generated name, and the key that stays on the host."""

    name: str
    key: bytes


def allow_requests(api: Api) -> None:
    """The bootstrapper may ask for certificates; Kubernetes' own role says no more than that."""
    api.ensure("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": BINDING},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": BOOTSTRAPPER}],
    })  # fmt: skip


def ask(access: Access, hostname: str) -> Request:
    """Post the kubelet's request as the bootstrapper. Raises ApiError."""
    name = x509.Name([
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
        x509.NameAttribute(NameOID.COMMON_NAME, f"system:node:{hostname}"),
    ])  # fmt: skip
    request = x509.CertificateSigningRequestBuilder().subject_name(name)
    key = ec.generate_private_key(ec.SECP256R1())
    signed = request.sign(key, hashes.SHA256())
    bootstrapper = Api(access, BOOTSTRAPPER)
    try:
        made = bootstrapper.create(REQUESTS, {
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
            "metadata": {"generateName": "csr-"},
            "spec": {
                "request": base64.b64encode(signed.public_bytes(serialization.Encoding.PEM)).decode(),
                "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
                "usages": ["digital signature", "client auth"],
            },
        })  # fmt: skip
    finally:
        bootstrapper.close()
    return Request(str(made["metadata"]["name"]), private(key))


def denied(api: Api, request: Request) -> bool:
    """Whether the request was denied, or is gone. Raises ApiError."""
    found = api.get(f"{REQUESTS}/{request.name}")
    return found is None or any(c["type"] == "Denied" for c in found.get("status", {}).get("conditions", []))


def certificate(api: Api, request: Request) -> Pair | None:
    """What the host has once its request was approved and signed; None while it waits. Raises ApiError."""
    found = api.get(f"{REQUESTS}/{request.name}") or {}
    signed = found.get("status", {}).get("certificate")
    return Pair(base64.b64decode(signed), request.key) if signed else None
