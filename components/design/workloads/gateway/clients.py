"""Who may call a service behind the inference gateway, and how much: policies of Kuadrant at its HTTPRoute.

After Kuadrant/kuadrant-operator v1.5.2, doc/reference and doc/overviews/token-rate-limiting.md. Tokens are read from
`usage.total_tokens` of an answer, or of a stream's last event but one; OpenAI's form of answers alone has it there.
"""

import json
from typing import Any, Final

from podwright.components.design.platform.names import Manifest
from podwright.components.design.workloads.gateway.picker import meta_of
from podwright.components.model import GatewayRoute, Inference, Limit

CLIENT_LABEL: Final = "podwright.io/client"
"""Of a Secret with a key: whose it is."""
PREFIX: Final = "Bearer"
"""As clients of OpenAI's API send a key, so that none needs a change."""
WINDOWS: Final = {"minute": "1m", "hour": "1h", "day": "24h"}
COUNTED: Final = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings")
"""Paths of vLLM whose answers say at /usage/total_tokens what they took. /v1/responses streams it elsewhere, and
/v1/messages calls it otherwise: Kuadrant would not count them."""
FREE: Final = ("/v1/models",)
"""What is asked first, and takes no tokens."""
_ENFORCED_SECONDS: Final = 300
_WHO: Final = "auth.identity.userid"


def kept(name: str, inference: Inference, defined: GatewayRoute) -> tuple[Manifest, ...]:
    """AuthPolicy, and policies of what is limited; nothing where the service has no clients."""
    clients = defined.clients or {}
    if not clients:
        return ()
    requests = {each: one.requests for each, one in clients.items() if one.requests is not None}
    tokens = {each: one.tokens for each, one in clients.items() if one.tokens is not None}
    found = [_policy("kuadrant.io/v1", "AuthPolicy", name, inference, {"rules": _rules(list(clients), list(tokens))})]
    if requests:
        limits = {each: _limit(each, limit) for each, limit in requests.items()}
        found.append(_policy("kuadrant.io/v1", "RateLimitPolicy", name, inference, {"limits": limits}))
    if tokens:
        limits = {each: _limit(each, limit, f"request.url_path in {_list(COUNTED)}") for each, limit in tokens.items()}
        found.append(_policy("kuadrant.io/v1alpha1", "TokenRateLimitPolicy", name, inference, {"limits": limits}))
    return tuple(found)


def _rules(clients: list[str], counted: list[str]) -> dict[str, Any]:
    """A key of a client; who has tokens to use asks for nothing that is not counted."""
    wanted = {"key": CLIENT_LABEL, "operator": "In", "values": clients}
    paths = {
        "when": [{"predicate": f'auth.identity.metadata.labels["{CLIENT_LABEL}"] in {_list(counted)}'}],
        "patternMatching": {"patterns": [{"predicate": f"request.url_path in {_list((*COUNTED, *FREE))}"}]},
    }
    userid = {"selector": "auth.identity.metadata.labels." + CLIENT_LABEL.replace(".", "\\.")}
    return {
        "authentication": {
            "clients": {
                # Of the namespace that Authorino is in alone: a team's Secret with this label opens nothing.
                "apiKey": {"allNamespaces": False, "selector": {"matchExpressions": [wanted]}},
                "credentials": {"authorizationHeader": {"prefix": PREFIX}},
            }
        },
        **({"authorization": {"counted": paths}} if counted else {}),
        # What the limits know a client by.
        "response": {"success": {"filters": {"identity": {"json": {"properties": {"userid": userid}}}}}},
    }


def _limit(client: str, limit: Limit, *more: str) -> dict[str, Any]:
    return {
        "rates": [{"limit": limit.limit, "window": WINDOWS[limit.per]}],
        "when": [{"predicate": each} for each in (f'{_WHO} == "{client}"', *more)],
        "counters": [{"expression": _WHO}],
    }


def _list(values: list[str] | tuple[str, ...]) -> str:
    """As CEL has it."""
    return json.dumps(list(values))


def _policy(version: str, kind: str, name: str, inference: Inference, spec: dict[str, Any]) -> Manifest:
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {
            **meta_of(name, name, inference),
            "annotations": {
                "pulumi.com/waitFor": json.dumps(["condition=Accepted", "condition=Enforced"]),
                "pulumi.com/timeoutSeconds": str(_ENFORCED_SECONDS),
            },
        },
        "spec": {"targetRef": {"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": name}, **spec},
    }
