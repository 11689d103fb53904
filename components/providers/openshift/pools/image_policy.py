"""Which images a pool's nodes run: policy.json of the configuration that the Machine Config Operator rendered.

Shape: containers-policy.json(5). What contradicts itself the operator does not render at all, and says so in its log
alone (`validateImagePolicyWithAllowedBlockedRegistries`,
https://github.com/openshift/machine-config-operator/tree/release-4.20/pkg/controller/container-runtime-config).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.pools.registries import rendered

PATH = "/etc/containers/policy.json"
IMAGE = "/apis/config.openshift.io/v1/images/cluster"
_ENCODED = ("keyData", "rekorPublicKeyData")
_ANYTHING, _SIGNED = "insecureAcceptAnything", "sigstoreSigned"


async def unpoliced(kube: Kube, live: Survey, pool: str, wanted: Mapping[str, Any]) -> list[str]:
    """What a pool's configuration does not have yet of allowed registries and signatures; none for a pool that is not
    there. `wanted`: `allowed`, registries and no others; `signed`, by scope digests of what is verified with."""
    if not wanted or pool not in live.pools:
        return []
    policy = json.loads(await rendered(kube, live, pool, PATH) or "{}")
    return [f"MachineConfigPool {pool} {each}" for each in _lacking(policy, wanted)]


async def release(kube: Kube, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Take the list away that a wait was for and its successor is not; one that somebody else changed since stays.

    Its fields given up by an apply without them leave `spec: null`, and the object's definition asks for a mapping.
    """
    if "allowed" not in old or "allowed" in new:
        return
    found = ((await kube.find(IMAGE) or {}).get("spec") or {}).get("registrySources") or {}
    if sorted(found.get("allowedRegistries") or []) == sorted(old["allowed"]):
        await kube.merge(IMAGE, {"spec": {"registrySources": {"allowedRegistries": None}}})


def _lacking(policy: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    scopes = (policy.get("transports") or {}).get("docker") or {}
    signed = wanted.get("signed") or {}
    if "allowed" in wanted:
        if [each.get("type") for each in policy.get("default") or []] != ["reject"]:
            yield "takes images of every registry yet"
        accepted = {scope for scope, each in scopes.items() if any(one.get("type") == _ANYTHING for one in each)}
        asked = {str(each) for each in wanted["allowed"]} - set(signed)
        yield from (f"does not allow {each} yet" for each in sorted(asked - accepted - set(scopes)))
        yield from (f"allows {each} still" for each in sorted(accepted - asked))
    for scope, roots in signed.items():
        if roots not in [_roots(each) for each in scopes.get(scope) or []]:
            yield f"does not verify signatures of {scope} with its key yet"


def _roots(requirement: Mapping[str, Any]) -> list[str]:
    """Digests of what a requirement verifies with, sorted."""
    if requirement.get("type") != _SIGNED:
        return []
    fulcio = requirement.get("fulcio") or {}
    texts = [_decoded(requirement[key]) for key in _ENCODED if requirement.get(key)]
    texts += [_decoded(fulcio["caData"])] if fulcio.get("caData") else []
    texts += [str(fulcio[key]) for key in ("oidcIssuer", "subjectEmail") if fulcio.get(key)]
    return sorted(hashlib.sha256(each.encode()).hexdigest()[:16] for each in texts)


def _decoded(data: str) -> str:
    return base64.b64decode(data).decode(errors="replace")
