"""Connectivity Link on a rack, as planned, with keys of clients: for the drill of the inference gateway."""

import json
from typing import Any

from podwright.components.design.operators import client_keys
from podwright.components.model import ClientKeys, Operators
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe

SPACE = "kuadrant-system"
KINDS = ("authpolicy", "ratelimitpolicy", "tokenratelimitpolicy")
KEYS = {"portal": "key-of-portal", "batch": "key-of-batch", "stranger": "key-of-a-stranger"}
NO_KEYS = ("unlabelled", "unmanaged", "elsewhere", "misnamed")
"""Of Secrets that lack something: the client's label, Authorino's, the namespace, the name of the key."""
_MANAGED = {"authorino.kuadrant.io/managed-by": "authorino"}


def install(cluster: Rack, section: ClientKeys) -> None:
    """Subscribe, apply what it is told, wait until it is ready; keys are there."""
    planned = client_keys(Operators(release="2026.10"), section)
    subscribe(cluster, planned, 120)
    first, last = planned.stages
    cluster.apply(*first)
    cluster.wait("Kuadrant is ready", lambda: _said(cluster, "kuadrant", "kuadrant", SPACE).get("Ready") == "True", 120)
    cluster.apply(*last)
    for name, key in KEYS.items():
        cluster.apply(_secret(name, key, SPACE, {**_MANAGED, "podwright.io/client": name}))
    portal = {"podwright.io/client": "portal"}
    cluster.apply(
        _secret("unlabelled", "unlabelled", SPACE, _MANAGED),
        _secret("unmanaged", "unmanaged", SPACE, portal),
        _secret("elsewhere", "elsewhere", "chat", {**_MANAGED, **portal}),
        _secret("misnamed", "misnamed", SPACE, {**_MANAGED, **portal}, "key"),
    )


def enforced(cluster: Rack, name: str) -> dict[str, tuple[str, str]]:
    """Accepted and Enforced of a service's policies."""
    found = {kind: _said(cluster, kind, name, "chat") for kind in KINDS}
    return {kind: (each.get("Accepted", ""), each.get("Enforced", "")) for kind, each in found.items()}


def scaled(cluster: Rack, name: str, replicas: int) -> None:
    """Pods of Authorino or of Limitador."""
    cluster.kubectl("scale", "deployment", name, "-n", SPACE, f"--replicas={replicas}")


def shut(cluster: Rack, name: str) -> None:
    """Let nobody to it."""
    spec = {"podSelector": {"matchLabels": {f"{name}-resource": name}}, "policyTypes": ["Ingress"], "ingress": []}
    patch = json.dumps([{"op": "replace", "path": "/spec", "value": spec}])
    cluster.kubectl("patch", "networkpolicy", f"{name}-from-gateway", "-n", SPACE, "--type=json", "-p", patch)


def opened(cluster: Rack, name: str, section: ClientKeys) -> None:
    """Its policy as planned."""
    planned = client_keys(Operators(release="2026.10"), section)
    (policy,) = (each for each in planned.settings if each["metadata"]["name"] == f"{name}-from-gateway")
    cluster.apply(policy)


def _secret(name: str, key: str, namespace: str, labels: dict[str, str], called: str = "api_key") -> dict[str, Any]:
    meta = {"name": f"key-{name}", "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": {called: key}}


def _said(cluster: Rack, kind: str, name: str, namespace: str) -> dict[str, str]:
    found = cluster.get(kind, name, "-n", namespace) or {}
    return {row["type"]: row["status"] for row in (found.get("status") or {}).get("conditions") or []}
