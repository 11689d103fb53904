"""Which images run on the nodes: allowed registries, and signatures, as the Machine Config Operator takes them.

The operator writes both into /etc/containers/policy.json of every pool, and for signatures a file below
/etc/containers/registries.d too. CRI-O reads them anew, and no node drains or restarts for either: every cluster has
node disruption policies for both (`defaultClusterPolicies`,
https://github.com/openshift/machine-config-operator/blob/release-4.20/pkg/apihelpers/apihelpers.go, alike in 4.17).
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.design.compute import digest
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.platform.mirror import CONFIG, pools_of
from podwright.components.design.platform.names import Manifest
from podwright.components.model import OpenShift, Server, Signature
from podwright.components.model.image_names import own_registries


@dataclass(frozen=True)
class ImagesPlan:
    """What is applied."""

    registries: Manifest | None
    """Fields of Image/cluster, which every cluster has; None where every registry is allowed."""
    policies: tuple[Manifest, ...]
    """A ClusterImagePolicy for each scope."""
    ready: Mapping[str, Mapping[str, Any]]
    """Specs of `podwright:openshift:PoolReady` by pool: nodes that take it."""


def plan(openshift: OpenShift, servers: Mapping[str, Server], *, certified: bool) -> ImagesPlan | None:
    """None where every image may run. `certified`: operators of the certified catalogue run on the cluster."""
    section = openshift.images
    if section is None:
        return None
    mirror = openshift.mirror.registry if openshift.mirror else None
    allowed = sorted({*section.allowed_registries, *own_registries(certified=certified, mirror=mirror)})
    kept: dict[str, Any] = {"signed": {scope: _roots(each) for scope, each in sorted(section.signatures.items())}}
    if section.allowed_registries:
        kept["allowed"] = allowed
    spec = {"schema": SCHEMA, "resources": {}, "images": kept, "trigger": digest(kept)}
    return ImagesPlan(
        registries=_registries(allowed) if section.allowed_registries else None,
        policies=tuple(policy(scope, each) for scope, each in sorted(section.signatures.items())),
        ready={pool: {**spec, "pool": pool, "nodes": nodes} for pool, nodes in pools_of(servers).items()},
    )


def _registries(allowed: Sequence[str]) -> Manifest:
    return {
        "apiVersion": CONFIG,
        "kind": "Image",
        "metadata": {"name": "cluster"},
        "spec": {"registrySources": {"allowedRegistries": list(allowed)}},
    }


def name(scope: str) -> str:
    """Of a scope's ClusterImagePolicy: readable, and no other scope's."""
    readable = re.sub(r"[^a-z0-9.]+", "-", scope).strip("-.")[:200]
    return f"podwright-{readable}-{hashlib.sha256(scope.encode()).hexdigest()[:8]}"


def policy(scope: str, signature: Signature) -> Manifest:
    """Signatures that cosign makes name a repository and no tag, which the default of `signedIdentity` never accepts
    (https://github.com/containers/image/blob/main/docs/containers-policy.json.5.md#sigstoresigned)."""
    return {
        "apiVersion": CONFIG,
        "kind": "ClusterImagePolicy",
        "metadata": {"name": name(scope)},
        "spec": {
            "scopes": [scope],
            "policy": {"rootOfTrust": _root(signature), "signedIdentity": {"matchPolicy": "MatchRepository"}},
        },
    }


def _root(signature: Signature) -> dict[str, Any]:
    if (fulcio := signature.fulcio) is not None:
        return {
            "policyType": "FulcioCAWithRekor",
            "fulcioCAWithRekor": {
                "fulcioCAData": _encoded(fulcio.authority),
                "rekorKeyData": _encoded(fulcio.rekor_key),
                "fulcioSubject": {"oidcIssuer": fulcio.issuer, "signedEmail": fulcio.email},
            },
        }
    assert signature.public_key is not None, "the checks have refused it"
    rekor = {"rekorKeyData": _encoded(signature.rekor_key)} if signature.rekor_key else {}
    return {"policyType": "PublicKey", "publicKey": {"keyData": _encoded(signature.public_key), **rekor}}


def _roots(signature: Signature) -> list[str]:
    """Digests of what a node verifies with, sorted: keys and certificates as they are in its file."""
    return sorted(hashlib.sha256(each.encode()).hexdigest()[:16] for each in texts(signature))


def texts(signature: Signature) -> Iterator[str]:
    """Keys, certificates and accounts that a signature is verified with."""
    fulcio = signature.fulcio
    yield from filter(None, (signature.public_key, signature.rekor_key))
    yield from (fulcio.authority, fulcio.rekor_key, fulcio.issuer, fulcio.email) if fulcio else ()


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
