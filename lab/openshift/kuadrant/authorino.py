"""Authorino: whose key a request brings, and whether that may have what it asks for.

After Kuadrant/authorino, its page of features: an API key is a labelled Secret with a key `api_key`; without an
identity 401, without authorization 403. Where nothing is asked for, anybody is anonymous.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.kuadrant.predicates import ExpressionError, Known, holds, selected
from podwright.lab.openshift.selectors import matches

MANAGED = ("authorino.kuadrant.io/managed-by", "authorino")
"""Label of the Secrets that it looks at."""
Secrets = Sequence[Object]


@dataclass(frozen=True)
class Denied:
    """The gateway's own answer."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def authorised(spec: Mapping[str, Any], known: Known, secrets: Secrets, home: str) -> Mapping[str, Any] | Denied:
    """What later actions know a request's sender as; or the answer to it."""
    rules = spec.get("rules") or {}
    asked = rules.get("authentication") or {}
    identity: Mapping[str, Any] | None = {"anonymous": True}
    if asked:
        found = (_identity(each, known, secrets, home) for each in asked.values())
        identity = next((each for each in found if each is not None), None)
    if identity is None:
        realm = next(iter(asked))
        return Denied(401, {"WWW-Authenticate": f'{_prefix(asked[realm])} realm="{realm}"'})
    inside = {**known, "auth": {"identity": identity}}
    if not all(_allowed(each, inside) for each in (rules.get("authorization") or {}).values()):
        return Denied(403)
    filters = ((rules.get("response") or {}).get("success") or {}).get("filters") or {}
    shown = ((filters.get("identity") or {}).get("json") or {}).get("properties") or {}
    return {name: selected(row["selector"], inside) for name, row in shown.items()}


def _prefix(rule: Mapping[str, Any]) -> str:
    return str(((rule.get("credentials") or {}).get("authorizationHeader") or {}).get("prefix") or "Bearer")


def _identity(rule: Mapping[str, Any], known: Known, secrets: Secrets, home: str) -> Mapping[str, Any] | None:
    about = rule.get("apiKey")
    if about is None:
        return {"anonymous": True} if "anonymous" in rule else None
    word, _, key = str(known["request"]["headers"].get("authorization", "")).partition(" ")
    if word != _prefix(rule) or not key:
        return None
    for each in secrets:
        labels, meta = each["metadata"].get("labels") or {}, each["metadata"]
        there = about.get("allNamespaces") or meta["namespace"] == home
        if there and labels.get(MANAGED[0]) == MANAGED[1] and matches(about.get("selector") or {}, labels):
            given = base64.b64decode((each.get("data") or {}).get("api_key") or "")
            if given and given == key.strip().encode():
                return {"metadata": {"name": meta["name"], "namespace": meta["namespace"], "labels": labels,
                                     "annotations": meta.get("annotations") or {}}}  # fmt: skip
    return None


def _allowed(rule: Mapping[str, Any], known: Known) -> bool:
    """Of a policy in Rego the one that allows nobody is known; of others nothing is let through."""
    try:
        if not all(holds(row["predicate"], known) for row in rule.get("when") or []):
            return True
        patterns = (rule.get("patternMatching") or {}).get("patterns")
        return patterns is not None and all(holds(row["predicate"], known) for row in patterns)
    except ExpressionError:
        return False
