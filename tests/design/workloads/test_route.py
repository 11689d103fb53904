"""Routes: annotations that the router's own patterns take, one way to balance, one way through the closed network."""

import copy
import itertools
import re
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design.workloads import route
from podwright.components.model import Cluster, Inference
from tests.design import whole
from tests.model.changes import LAB, put

ROUTER = "haproxy.router.openshift.io/"
PATTERNS = {
    "balance": r"roundrobin|leastconn|source|random",
    "disable_cookies": r"true",
    "timeout": r"[1-9][0-9]*(us|ms|s|m|h|d)?",
    "ip_allowlist": r"([0-9.]+/[0-9]+)( [0-9.]+/[0-9]+)*",
    "hsts_header": r"max-age=\d+",
    "rate-limit-connections": r"true",
    "rate-limit-connections.concurrent-tcp": r"\d+",
    "rate-limit-connections.rate-tcp": r"\d+",
}
"""What the router takes: openshift/router, images/router/haproxy/conf/haproxy-config.template, and of integers
`isInteger`. All else it leaves out without a word."""


def _cluster(defined: dict[str, Any] | None) -> Cluster:
    stack: dict[str, Any] = copy.deepcopy(LAB)
    put("workloads/inference/chat/route", defined)(stack)
    return model.load(stack)


def _chat(defined: dict[str, Any] | None) -> tuple[Inference, tuple[dict[str, Any], ...]]:
    found = _cluster(defined).workloads.inference["chat"]
    return found, route("chat", found)


def _notes(**defined: Any) -> dict[str, str]:
    _, (_, made) = _chat(defined)
    return {
        key.removeprefix(ROUTER): value
        for key, value in made["metadata"]["annotations"].items()
        if key.startswith(ROUTER)
    }


def test_without_a_route_a_service_is_as_it_was() -> None:
    assert _chat(None)[1] == ()


def test_the_name_is_written_out_and_leads_to_the_services_port() -> None:
    _, (_, made) = _chat({})
    assert made["spec"]["host"] == "chat-chat.apps.lab.example.com"
    fronts = {each["metadata"]["name"]: each for each in whole.workloads(_cluster({})) if each["kind"] == "Service"}
    front = fronts["chat"]
    (port,) = front["spec"]["ports"]
    assert made["spec"]["to"]["name"] == front["metadata"]["name"]
    assert made["spec"]["port"]["targetPort"] == port["name"]
    assert made["spec"]["tls"] == {"termination": "edge", "insecureEdgeTerminationPolicy": "Redirect"}


def test_a_name_of_ones_own_stays() -> None:
    assert _chat({"host": "chat.example.com"})[1][1]["spec"]["host"] == "chat.example.com"


EVERY = {
    "balance": ("leastconn", "random", "roundrobin", "source", "cookie"),
    "timeout_seconds": (1, 86400),
    "limits": ({}, {"connections": 1}, {"connections_per_3s": 65534}),
    "sources": ([], ["10.0.0.0/8", "192.0.2.1/32"]),
    "hsts_days": (None, 1, 730),
}


def test_no_value_that_a_file_can_have_is_one_that_the_router_leaves_out() -> None:
    for values in itertools.product(*EVERY.values()):
        for key, value in _notes(**dict(zip(EVERY, values, strict=True))).items():
            assert re.fullmatch(PATTERNS[key], value), (key, value)


@pytest.mark.parametrize("balance", EVERY["balance"])
def test_a_balance_stands_without_the_cookie_that_comes_before_it(balance: str) -> None:
    notes = _notes(balance=balance)
    wanted = {} if balance == "cookie" else {"balance": balance, "disable_cookies": "true"}
    assert {key: notes[key] for key in ("balance", "disable_cookies") if key in notes} == wanted


def test_the_router_refuses_from_its_figure_on() -> None:
    notes = _notes(limits={"connections": 20})
    assert notes["rate-limit-connections.concurrent-tcp"] == "21" and notes["rate-limit-connections"] == "true"
    assert not any(key.startswith("rate-limit") for key in _notes())


def test_the_way_in_is_to_the_services_pods_and_port_from_routers_in_both_places() -> None:
    _, (policy, _) = _chat({})
    (deployment,) = (each for each in whole.workloads(_cluster({})) if each["kind"] == "Deployment")
    spec, pod = policy["spec"], deployment["spec"]["template"]
    assert spec["podSelector"]["matchLabels"] == pod["metadata"]["labels"]
    assert spec["policyTypes"] == ["Ingress"]
    (rule,) = spec["ingress"]
    (container,) = pod["spec"]["containers"]
    # By number: OVN-Kubernetes takes a name for every port.
    assert [each["port"] for each in rule["ports"]] == [each["containerPort"] for each in container["ports"]]
    wanted = [{f"policy-group.network.openshift.io/{group}": ""} for group in ("ingress", "host-network")]
    assert rule["from"] == [{"namespaceSelector": {"matchLabels": each}} for each in wanted]


@pytest.mark.parametrize(
    "defined",
    [
        {"balance": "sticky"},
        {"timeout_seconds": 0},
        {"timeout_seconds": 2.5},
        {"limits": {"connections": 0}},
        {"sources": ["10.0.0.1/8"]},
        {"hsts_days": 0},
        {"host": "Chat.example.com"},
        {"host": "chat"},
        {"host": f"{'a' * 64}.example.com"},
        {"host": f"{'a.' * 125}example.com"},
        {"sticky": True},
    ],
)
def test_what_the_router_would_not_take_is_refused(defined: dict[str, Any]) -> None:
    with pytest.raises(model.SpecErrors, match=r"inference\.chat\.route"):
        _chat(defined)
