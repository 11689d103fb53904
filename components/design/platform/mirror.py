"""What a running cluster pulls from a disconnected site's mirror: mirror sets, trust, catalogues.

Applied in this order. A registry that a digest mirror set adds is read by CRI-O without a drain; another change of a
mirror, and every tag mirror, drains nodes one after the other and restarts none (`isSafeContainerRegistryConfChanges`,
https://github.com/openshift/machine-config-operator/blob/release-4.20/pkg/daemon/drain.go). What the installer was
given of digests is the same, so that none of that happens right after an installation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design import mirror
from podwright.components.design.compute import CONTROL_PLANE, digest
from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.mirror import Pulls
from podwright.components.design.platform.names import Manifest
from podwright.components.model import OpenShift, Server

CONFIG = "config.openshift.io/v1"
NAME = "podwright-mirror"
"""Of both mirror sets; the installer's own is `image-digest-mirror`."""
MARKETPLACE = "openshift-marketplace"


@dataclass(frozen=True)
class MirrorPlan:
    """What is applied, in this order."""

    trust: Manifest | None
    """Fields of the bundle that the installer made; None where no private authority signs."""
    sets: tuple[Manifest, ...]
    """Digest mirrors, and tag mirrors where something cannot be named by digest."""
    ready: Mapping[str, Mapping[str, Any]]
    """Specs of `podwright:openshift:PoolReady` by pool: nodes that take the mirror sets."""
    hub: Manifest
    """Fields of OperatorHub/cluster: OpenShift's own catalogues, which nobody can pull, are switched off. One that
    cannot be pulled keeps operators of every other from being resolved."""
    catalogs: tuple[Manifest, ...]
    """CatalogSources of the mirrored catalogues."""


def plan(openshift: OpenShift, servers: Mapping[str, Server], pulls: Pulls) -> MirrorPlan | None:
    """None where nodes pull from the internet."""
    found = openshift.mirror
    if found is None:
        return None
    trusted = mirror.trust(found)
    sets = tuple(_sets(openshift, pulls))
    trigger = digest({"sets": [each["spec"] for each in sets], "trust": trusted})
    return MirrorPlan(
        trust=_trust(trusted) if trusted else None,
        sets=sets,
        ready={each["pool"]: each for each in _ready(openshift, servers, trigger, pulls)},
        hub={
            "apiVersion": CONFIG,
            "kind": "OperatorHub",
            "metadata": {"name": "cluster"},
            "spec": {"disableAllDefaultSources": True},
        },
        catalogs=tuple(_catalogs(openshift)),
    )


def catalogs(openshift: OpenShift) -> dict[str, str]:
    """By catalogue, the CatalogSource that has its operators; empty where OpenShift's own are used."""
    found = openshift.mirror
    return {each: mirror.catalog_source(each, openshift.version) for each in found.catalogs} if found else {}


def _sets(openshift: OpenShift, pulls: Pulls) -> Iterator[Manifest]:
    found = openshift.mirror
    assert found is not None
    for kind, key, sources in (
        ("ImageDigestMirrorSet", "imageDigestMirrors", mirror.digest_sources(found, pulls)),
        ("ImageTagMirrorSet", "imageTagMirrors", mirror.tag_sources(found, pulls)),
    ):
        if sources:
            yield {"apiVersion": CONFIG, "kind": kind, "metadata": {"name": NAME}, "spec": {key: sources}}


def _trust(trusted: str) -> Manifest:
    """The bundle that the Machine Config Operator puts on every node, whether a proxy is defined or not (`sync.go`,
    https://github.com/openshift/machine-config-operator/tree/release-4.20/pkg/operator)."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "user-ca-bundle", "namespace": "openshift-config"},
        "data": {"ca-bundle.crt": trusted},
    }


def _ready(openshift: OpenShift, servers: Mapping[str, Server], trigger: str, pulls: Pulls) -> Iterator[dict[str, Any]]:
    """One wait a pool: OpenShift's own two, and those that the file makes later and whose nodes are workers before."""
    found = openshift.mirror
    assert found is not None
    mirrors = {row["source"]: row["mirrors"] for row in mirror.digest_sources(found, pulls)}
    for pool, nodes in pools_of(servers).items():
        yield {
            "schema": SCHEMA, "pool": pool, "nodes": nodes, "resources": {}, "mirrors": mirrors, "trigger": trigger,
        }  # fmt: skip


def pools_of(servers: Mapping[str, Server]) -> dict[str, list[str]]:
    """Nodes by MachineConfigPool: OpenShift's own two, and those of the file."""
    members: dict[str, list[str]] = {"master": [], "worker": []}
    for name, server in servers.items():
        members.setdefault("master" if server.pool == CONTROL_PLANE else server.pool, []).append(name)
    return members


def _catalogs(openshift: OpenShift) -> Iterator[Manifest]:
    assert openshift.mirror is not None
    for catalog, name in catalogs(openshift).items():
        yield {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "CatalogSource",
            "metadata": {"name": name, "namespace": MARKETPLACE},
            "spec": {"sourceType": "grpc", "image": mirror.index(openshift.mirror, catalog), "displayName": catalog},
        }
