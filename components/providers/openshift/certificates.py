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

from podwright.components.providers.openshift import handover, unregistered
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
FINAL = {400, 403, 422}
"""Refusals of a Node that another attempt would meet again: a policy of the site's, or rights that are missing."""

Host = Mapping[str, Any]


Taints = Mapping[str, Any]
"""By pool, the taint that its nodes have, or the list of them."""


@contextlib.asynccontextmanager
async def approving(
    kube: Kube, hosts: Sequence[Host], ctx: Context, taints: Taints | None = None
) -> AsyncIterator[None]:
    """While the body runs, requests of these hosts are approved.

    `taints`: a host gets its certificate once a Node with its pool's taint, and what is kept of the node before it,
    is there for its kubelet to find. None: hosts of the first day, whose requests the installer approves too, whatever
    it finds (openshift/assisted-installer, `approveCsrs`). What was made for a host that has not come when the body
    fails is deleted; a person who asks to stop will run again.
    """

    async def watch() -> None:
        while True:
            with contextlib.suppress(KubeError, SilentError):  # the API server may be away for a while: look again
                await approve(kube, hosts, ctx, taints)
            await asyncio.sleep(PAUSE_SECONDS)

    watching = asyncio.create_task(watch())
    try:
        yield
    except Exception:
        await _ended(watching)
        if not ctx.cancel.is_set():
            try:
                await unregistered.clear(kube, ctx)
            except KubeError as refused:
                ctx.warn(f"nodes that were made for hosts which have not come are still there: {refused}")
        raise
    finally:
        await _ended(watching)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def approve(kube: Kube, hosts: Sequence[Host], ctx: Context, taints: Taints | None = None) -> None:
    """Approve what waits and is a request of one of these hosts. Raises KubeError and SilentError.

    A client certificate only for a node that is not there yet, or that was made here and has seen no kubelet: who has
    the bootstrapper's token must not become one that is.
    """
    for request in await kube.items(REQUESTS):
        name = asked_by(request, hosts) if _waits(request) else ""
        serving = request["spec"].get("signerName") == SERVING
        if name and (serving or await _to_come(kube, name, hosts, ctx, taints)):
            await _approve(kube, request, name)
            ctx.log(f"{name}: approved its kubelet's certificate request {request['metadata']['name']}")


async def _to_come(kube: Kube, name: str, hosts: Sequence[Host], ctx: Context, taints: Taints | None) -> bool:
    """Whether the node of this name is still to come; it is tainted from its first moment then."""
    wanted: list[Mapping[str, Any]] = []
    if taints is not None:
        pool = next(host["pool"] for host in hosts if host["name"] == name)
        kept = [each for record in await handover.records(kube) if record.node == name for each in record.had.taints]
        own = _own(taints.get(pool))
        wanted = [*own, *(each for each in kept if each not in own)]
    try:
        return await unregistered.made(kube, name, wanted)
    except KubeError as refused:
        if refused.status not in FINAL:
            raise
        ctx.warn(f"{name} joins without a taint, and takes pods until it has it: the node cannot be made: {refused}")
        return await kube.find(f"{NODES}/{urllib.parse.quote(name)}") is None


def _own(given: Any) -> list[Mapping[str, Any]]:
    """Taints of a pool as the spec has them: one, several, or none."""
    return list(given) if isinstance(given, list) else [given] if given else []


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
