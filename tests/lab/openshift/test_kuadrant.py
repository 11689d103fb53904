"""The lab's Kuadrant, part by part: whose key it is, what a limit counts, what it says of policies."""

import base64
import json
from typing import Any

import pytest

from podwright.components.design.workloads.gateway.clients import kept
from podwright.components.model import GatewayRoute, Inference
from podwright.lab.openshift.kuadrant.authorino import Denied
from podwright.lab.openshift.kuadrant.keeper import Keeper, Passed, Policies, used
from podwright.lab.openshift.kuadrant.limits import Limitador, seconds
from podwright.lab.openshift.kuadrant.predicates import ExpressionError, holds, selected
from podwright.lab.openshift.kuadrant.statuses import NAMES, Known, conditions, in_force

CHAT = "/v1/chat/completions"
SERVICE = {
    "team": "chat", "pool": "inference", "replicas": 1, "image": "registry.example.com/vllm", "model": "m",
    "memory_gib": 1, "cpus": 1, "load_seconds": 10,
}  # fmt: skip


def _secret(name: str, labels: dict[str, str], namespace: str = "kuadrant-system", key: str = "api_key") -> Any:
    managed = {"authorino.kuadrant.io/managed-by": "authorino", **labels}
    data = {key: base64.b64encode(name.encode()).decode()}
    return {"metadata": {"name": name, "namespace": namespace, "labels": managed}, "data": data}


def _policies(clients: dict[str, Any]) -> Policies:
    route = GatewayRoute.model_validate({"host": "chat.example.com", "clients": clients})
    made = {each["kind"]: each for each in kept("chat", Inference.model_validate(SERVICE), route)}
    kinds = ("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy")
    return Policies(*((("chat", kind), made[kind]["spec"]) if kind in made else None for kind in kinds))


def _request(key: str, path: str = CHAT) -> dict[str, Any]:
    headers = {"authorization": key} if key else {}
    return {"method": "POST", "path": path, "url_path": path.partition("?")[0], "headers": headers}


def _keeper(**more: Any) -> Keeper:
    secrets = [
        _secret("a", {"podwright.io/client": "portal"}),
        _secret("b", {"podwright.io/client": "other"}),
        _secret("c", {"podwright.io/client": "portal"}, "chat"),
        _secret("d", {"podwright.io/client": "portal"}, key="password"),
    ]
    given = {"authorino": True, "counts": True, "secrets": secrets, "namespace": "kuadrant-system", **more}
    return Keeper(**given)


def _status(found: Passed | Denied) -> int:
    return found.status if isinstance(found, Denied) else 200


@pytest.mark.parametrize(("key", "status"), [
    ("Bearer a", 200), ("", 401), ("a", 401), ("APIKEY a", 401), ("Bearer b", 401), ("Bearer c", 401),
    ("Bearer d", 401), ("Bearer ", 401), ("Bearer A", 401),
])  # fmt: skip
def test_whose_key_it_is(key: str, status: int) -> None:
    found = _keeper().judge(_policies({"portal": {}}), _request(key))
    assert _status(found) == status


def test_a_policy_that_allows_nobody() -> None:
    nobody = Policies(("gateway", {"rules": {"authorization": {"nobody": {"opa": {"rego": "allow = false"}}}}}))
    assert _status(_keeper().judge(nobody, _request("Bearer a"))) == 403


@pytest.mark.parametrize(("path", "status"), [
    (CHAT, 200), (f"{CHAT}?beta=1", 200), ("/v1/models", 200), ("/v1/responses", 403), ("/metrics", 403),
])  # fmt: skip
def test_who_has_tokens_asks_for_what_is_counted(path: str, status: int) -> None:
    limited, free = {"tokens": {"limit": 9, "per": "day"}}, {"requests": {"limit": 9, "per": "day"}}
    assert _status(_keeper().judge(_policies({"portal": limited}), _request("Bearer a", path))) == status
    assert _status(_keeper().judge(_policies({"portal": free}), _request("Bearer a", path))) == 200


def test_requests_of_a_window() -> None:
    now = [0.0]
    keeper = _keeper(limitador=Limitador(lambda: now[0]))
    policies = _policies({"portal": {"requests": {"limit": 2, "per": "minute"}}})
    asked = [_status(keeper.judge(policies, _request("Bearer a"))) for _ in range(3)]
    now[0] = 61.0
    assert [*asked, _status(keeper.judge(policies, _request("Bearer a")))] == [200, 200, 429, 200]


def test_tokens_are_counted_when_an_answer_has_ended() -> None:
    keeper, policies = _keeper(), _policies({"portal": {"tokens": {"limit": 10, "per": "day"}}})
    for total, status in ((9, 200), (9, 200), (1, 429)):
        found = keeper.judge(policies, _request("Bearer a"))
        assert _status(found) == status
        if isinstance(found, Passed):
            body = json.dumps({"usage": {"total_tokens": total}}).encode()
            assert keeper.answered(found, "application/json", body) is None
    assert _status(keeper.judge(policies, _request("Bearer a", "/v1/models"))) == 200, "which takes none"


@pytest.mark.parametrize(("env", "auth", "limits"), [
    ({}, 500, 200),
    ({"AUTH_SERVICE_FAILURE_MODE": "allow"}, 200, 200),
    ({"RATELIMIT_SERVICE_FAILURE_MODE": "deny"}, 500, 500),
    ({"RATELIMIT_CHECK_SERVICE_FAILURE_MODE": "deny"}, 500, 200),
])  # fmt: skip
def test_what_is_away(env: dict[str, str], auth: int, limits: int) -> None:
    policies = _policies({"portal": {"requests": {"limit": 1, "per": "day"}}})
    assert _status(_keeper(authorino=False, env=env).judge(policies, _request("Bearer a"))) == auth
    assert _status(_keeper(counts=False, env=env).judge(policies, _request("Bearer a"))) == limits


@pytest.mark.parametrize(("env", "status"), [({}, None), ({"RATELIMIT_REPORT_SERVICE_FAILURE_MODE": "deny"}, 500)])
def test_an_answer_without_usage(env: dict[str, str], status: int | None) -> None:
    keeper = _keeper(env=env)
    found = keeper.judge(_policies({"portal": {"tokens": {"limit": 1, "per": "day"}}}), _request("Bearer a"))
    assert isinstance(found, Passed)
    assert keeper.answered(found, "application/json", b"{}") == status


@pytest.mark.parametrize(("events", "total"), [
    ([{"x": 1}, {"usage": {"total_tokens": 7}}, "[DONE]"], 7),
    ([{"usage": {"total_tokens": 7}}, {"x": 1}, "[DONE]"], None),
    ([{"x": 1}, "[DONE]"], None),
])  # fmt: skip
def test_tokens_of_a_stream_are_those_of_its_last_two_events(events: list[Any], total: int | None) -> None:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in events]
    assert used("text/event-stream; charset=utf-8", "".join(f"data: {each}\n\n" for each in lines).encode()) == total


def test_expressions() -> None:
    known = {"a": {"b.c/d": "x", "n": {"e": "y"}}}
    assert holds('a["b.c/d"] == "x" && a.n.e in ["y", "z"]', known) and holds('!(a.n.e != "y") || a.none == 1', known)
    assert selected(r"a.b\.c/d", known) == "x" and selected("a.none.e", known) == ""
    for wrong in ("a.none", "a.n.e.startsWith(1)", "a ==", "1 + 1"):
        with pytest.raises(ExpressionError):
            holds(wrong, known)
    assert [seconds(each) for each in ("1m", "24h", "1m30s", "500ms")] == [60, 86400, 90, 0.5]


GATEWAY = ("openshift-ingress", "inference")
OURS = "openshift.io/gateway-controller/v1"


def _policy(name: str, kind: str = "HTTPRoute", target: str = "chat", created: str = "1", **spec: Any) -> Any:
    namespace = GATEWAY[0] if kind == "Gateway" else "chat"
    meta = {"name": name, "namespace": namespace, "creationTimestamp": created, "generation": 1}
    return {"kind": "AuthPolicy", "metadata": meta, "spec": {"targetRef": {"kind": kind, "name": target}, **spec}}


def _known(**changed: Any) -> Known:
    parent = {"parentRef": {"namespace": GATEWAY[0], "name": GATEWAY[1]}, "conditions": [{"status": "True"}]}
    route = {"metadata": {"name": "chat", "namespace": "chat"}, "status": {"parents": [parent]}}
    given = {"gateways": {GATEWAY: OURS}, "routes": [route], "env": {NAMES: OURS}, **changed}
    return Known(**given)


def _said(policy: Any, others: list[Any], known: Known) -> dict[str, str]:
    return {row["type"]: row["reason"] for row in conditions(policy, [policy, *others], known)}


@pytest.mark.parametrize(("policy", "others", "changed", "said"), [
    (_policy("chat"), [], {}, {"Accepted": "Accepted", "Enforced": "Enforced"}),
    (_policy("all", "Gateway", "inference"), [], {}, {"Accepted": "Accepted", "Enforced": "Enforced"}),
    (_policy("all", "Gateway", "inference"), [_policy("chat")], {}, {"Accepted": "Accepted", "Enforced": "Overridden"}),
    (_policy("late", created="2"), [_policy("chat")], {}, {"Accepted": "Accepted", "Enforced": "Overridden"}),
    (_policy("chat", target="lost"), [], {}, {"Accepted": "TargetNotFound"}),
    (_policy("all", "Gateway", "lost"), [], {}, {"Accepted": "TargetNotFound"}),
    (_policy("chat"), [], {"there": False}, {"Accepted": "Accepted", "Enforced": "MissingResource"}),
    (_policy("chat"), [], {"away": {"Authorino"}}, {"Accepted": "Accepted", "Enforced": "Unknown"}),
    (_policy("chat"), [], {"away": {"Limitador"}}, {"Accepted": "Accepted", "Enforced": "Enforced"}),
    (_policy("chat"), [], {"env": {}}, {"Accepted": "Accepted", "Enforced": "Unknown"}),
    (_policy("all", "Gateway", "inference"), [], {"routes": []}, {"Accepted": "Accepted", "Enforced": "Unknown"}),
])  # fmt: skip
def test_what_is_said_of_a_policy(policy: Any, others: list[Any], changed: Any, said: dict[str, str]) -> None:
    assert _said(policy, others, _known(**changed)) == said


def test_which_policy_is_in_force() -> None:
    known, every = _known(), _policy("all", "Gateway", "inference", defaults={"rules": {"x": 1}})
    (route,) = known.routes
    assert in_force([every], route, known) == (("openshift-ingress", "all"), {"rules": {"x": 1}})
    found = in_force([every, _policy("chat", rules={})], route, known)
    assert found is not None and found[0] == ("chat", "chat")
    assert in_force([every], route, _known(env={})) is None, "a Gateway that is nobody's"
    assert in_force([every], route, _known(there=False)) is None
    assert in_force([every], route, _known(away={"Authorino", "Limitador"})) is not None, "the gateway stays closed"
