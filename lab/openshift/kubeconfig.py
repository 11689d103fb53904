"""Kubeconfig files, as the installer and the control plane write them."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import yaml

from podwright.lab.openshift.certificates import Pair


@dataclass(frozen=True)
class Access:
    """One way to an API server: its URL, whom to trust, who one is."""

    server: str
    ca: bytes
    client: Pair


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def render(cluster: str, user: str, access: Access) -> str:
    """The kubeconfig text with one context named after `user`, everything inline."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": cluster,
                "cluster": {"server": access.server, "certificate-authority-data": _b64(access.ca)},
            }
        ],
        "users": [
            {
                "name": user,
                "user": {
                    "client-certificate-data": _b64(access.client.certificate),
                    "client-key-data": _b64(access.client.key),
                },
            }
        ],
        "contexts": [{"name": user, "context": {"cluster": cluster, "user": user}}],
        "current-context": user,
    }
    return yaml.safe_dump(document, sort_keys=False)


def acting(text: str, user: str, *groups: str) -> str:
    """The same way, for requests in the name of another: in these groups, or one who may do everything."""
    document = yaml.safe_load(text)
    document["users"][0]["user"] |= {"as": user, "as-groups": list(groups) or ["system:masters"]}
    return yaml.safe_dump(document, sort_keys=False)


def parse(text: str) -> Access:
    """The current context of a kubeconfig with inline certificates. Raises ValueError when it has none."""
    document = yaml.safe_load(text)
    try:
        context = next(c for c in document["contexts"] if c["name"] == document["current-context"])["context"]
        cluster = next(c for c in document["clusters"] if c["name"] == context["cluster"])["cluster"]
        user = next(u for u in document["users"] if u["name"] == context["user"])["user"]
        return Access(
            cluster["server"],
            base64.b64decode(cluster["certificate-authority-data"]),
            Pair(base64.b64decode(user["client-certificate-data"]), base64.b64decode(user["client-key-data"])),
        )
    except (KeyError, TypeError, StopIteration) as problem:
        raise ValueError(f"not a kubeconfig with inline certificates: {problem}") from problem
