"""Certificates of the kubelets of hosts that join: asked for by the host, approved for the names that are expected.

A cluster approves by itself what a Machine object vouches for; hosts of a node image have none, so their requests wait
for `oc adm certificate approve` (https://github.com/openshift/cluster-machine-approver, OpenShift documentation "Adding
worker nodes to an on-premise cluster"). Approved is what this update waits for, by its name, and nothing else.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import urllib.parse
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Context

if TYPE_CHECKING:
    from cryptography import x509

REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
CLIENT, SERVING = "kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"
USER, GROUP = "system:node:", "system:nodes"
PAUSE_SECONDS = 1.0

Host = Mapping[str, Any]


@contextlib.asynccontextmanager
async def approving(kube: Kube, hosts: Sequence[Host], ctx: Context) -> AsyncIterator[None]:
    """While the body runs, requests of these hosts are approved."""

    async def watch() -> None:
        while True:
            with contextlib.suppress(KubeError, SilentError):  # the API server may be away for a while: look again
                await approve(kube, hosts, ctx)
            await asyncio.sleep(PAUSE_SECONDS)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


async def approve(kube: Kube, hosts: Sequence[Host], ctx: Context) -> None:
    """Approve what waits and is a request of one of these hosts. Raises KubeError and SilentError.

    A client certificate only for a node that is not there yet: who has the bootstrapper's token must not become one
    that is.
    """
    for request in await kube.items(REQUESTS):
        name = asked_by(request, hosts) if _waits(request) else ""
        serving = request["spec"].get("signerName") == SERVING
        if name and (serving or await kube.find(f"{NODES}/{urllib.parse.quote(name)}") is None):
            await _approve(kube, request, name)
            ctx.log(f"{name}: approved its kubelet's certificate request {request['metadata']['name']}")


def asked_by(request: Mapping[str, Any], hosts: Sequence[Host]) -> str:
    """Name of the host that a request is of; empty where it is of none, or asks for more than a kubelet needs."""
    from cryptography import x509  # noqa: PLC0415 - on first use: an update without a host that joins needs none
    from cryptography.x509.oid import NameOID  # noqa: PLC0415 - as above

    spec = request.get("spec") or {}
    try:
        asked = x509.load_pem_x509_csr(base64.b64decode(str(spec.get("request") or "")))
    except ValueError:
        return ""
    names = [str(each.value) for each in asked.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    groups = [str(each.value) for each in asked.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    workers = [each for each in hosts if each["role"] == "worker"]
    host = next((each for each in workers if names == [f"{USER}{each['name']}"]), None)
    if host is None or groups != [GROUP]:
        return ""
    places, usages, user = _places(asked), set(spec.get("usages") or []), spec.get("username")
    if spec.get("signerName") == CLIENT:
        fits = user == BOOTSTRAPPER and not places and "server auth" not in usages
    else:
        own = {str(host["name"]), str(host["address"])}
        serving = spec.get("signerName") == SERVING and user == names[0] and "client auth" not in usages
        fits = serving and bool(places) and places <= own
    return str(host["name"]) if fits else ""


def _places(asked: x509.CertificateSigningRequest) -> set[str]:
    """Every name and address that the certificate would be good for."""
    from cryptography import x509  # noqa: PLC0415 - as above

    try:
        found = asked.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {str(each.value) for each in found}


def _waits(request: Mapping[str, Any]) -> bool:
    return not ((request.get("status") or {}).get("conditions") or [])


async def _approve(kube: Kube, request: Mapping[str, Any], name: str) -> None:
    """With the version that was read: what somebody changed or decided since is left to them."""
    condition = {
        "type": "Approved",
        "status": "True",
        "reason": "PodwrightApprove",
        "message": f"{name} joins the cluster by the stack's file",
    }
    path = f"{REQUESTS}/{urllib.parse.quote(str(request['metadata']['name']))}/approval"
    body = {**request, "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    await kube.request("PUT", path, {**body, "status": {**(request.get("status") or {}), "conditions": [condition]}})
