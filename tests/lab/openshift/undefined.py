"""Kinds whose own definition the lab does not have, served with any fields: for rules that read some of them."""

from __future__ import annotations

from typing import Any


def definition(kind: str, plural: str, group: str, version: str) -> dict[str, Any]:
    """A CustomResourceDefinition of a namespaced kind that takes every field."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [
                {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}},
            ],
        },
    }
