"""What clients with keys are given: word by word, and that no key and no name of nobody is left open."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.operators import client_keys
from podwright.components.design.workloads import picked
from podwright.components.design.workloads.gateway.clients import COUNTED
from podwright.components.model import ClientKeys, Cluster, Operators
from tests.components.recording import register
from tests.components.test_graph import all_before, of
from tests.design.with_gateway import with_gateway, with_keys

GOLDEN = Path(__file__).with_name("gateway_keys.yaml")
NEW = ("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy")


def _picked(cluster: Cluster) -> list[dict[str, Any]]:
    assert cluster.openshift
    return list(picked("chat", cluster.workloads.inference["chat"], cluster.openshift.inference_gateway))


def _made() -> list[dict[str, Any]]:
    cluster = with_keys()
    gateway = cluster.openshift.inference_gateway if cluster.openshift else None
    assert cluster.operators and gateway and gateway.keys
    own = [each for each in _picked(cluster) if each["kind"] in (*NEW, "HTTPRoute")]
    return [*client_keys(cluster.operators, gateway.keys).manifests, *own]


def test_every_object_of_keys_and_clients() -> None:
    """Word by word."""
    assert _made() == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_without_clients_nothing_is_planned_of_it() -> None:
    kinds = {each["kind"] for each in _picked(with_gateway())}
    assert not kinds & set(NEW)
    assert [each for each in _picked(with_keys()) if each["kind"] not in (*NEW, "HTTPRoute")] == [
        each for each in _picked(with_gateway()) if each["kind"] != "HTTPRoute"
    ]
    assert "--enable-force-include-usage" not in str([each.inputs for each in register(with_gateway()).values()])


def test_where_tokens_are_counted_every_stream_says_what_it_took() -> None:
    """Of the service alone, whose client has a limit of tokens."""
    found = [each.inputs for each in of(register(with_keys()), "kubernetes:apps/v1:Deployment")]
    words = {each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0].get("args") for each in found}
    assert [name for name, args in words.items() if "--enable-force-include-usage" in (args or [])] == ["chat"]


def test_who_has_tokens_asks_for_nothing_that_is_not_counted() -> None:
    (policy,) = (each for each in _made() if each["kind"] == "AuthPolicy" and each["metadata"]["name"] == "chat")
    (counted,) = policy["spec"]["rules"]["authorization"].values()
    assert counted["when"] == [{"predicate": 'auth.identity.metadata.labels["podwright.io/client"] in ["portal"]'}]
    (pattern,) = counted["patternMatching"]["patterns"]
    assert all(f'"{each}"' in pattern["predicate"] for each in COUNTED) and "responses" not in pattern["predicate"]


@pytest.mark.parametrize(("away", "mode"), [("refuse", "deny"), ("serve", "allow")])
def test_what_becomes_of_requests_that_nobody_counts(away: Any, mode: str) -> None:
    planned = client_keys(Operators(release="2026.10"), ClientKeys(counters_away=away))
    env = {row["name"]: row["value"] for row in planned.subscription["spec"]["config"]["env"]}
    assert env["RATELIMIT_CHECK_SERVICE_FAILURE_MODE"] == env["RATELIMIT_SERVICE_FAILURE_MODE"] == mode
    assert env["AUTH_SERVICE_FAILURE_MODE"] == "deny"


def test_what_connectivity_link_depends_on_may_come_along_and_nothing_else() -> None:
    planned = client_keys(Operators(release="2026.10"), ClientKeys())
    assert planned.approval
    assert planned.approval["dependencies"] == [
        "authorino-operator.v1.4.*", "limitador-operator.v1.4.*", "dns-operator.v1.4.*"
    ]  # fmt: skip


def test_nobody_is_let_in_before_a_service_names_its_clients() -> None:
    """The gateway's own policy stands before a service's: until then a route has that one."""
    seen = register(with_keys())
    policies = {each.inputs["metadata"]["name"]: each for each in of(seen, "kubernetes:kuadrant.io/v1:AuthPolicy")}
    assert set(policies) == {"inference-nobody", "chat"}
    assert all_before(seen, policies["chat"], [policies["inference-nobody"]])
    (gateway,) = of(seen, "kubernetes:gateway.networking.k8s.io/v1:Gateway")
    assert all_before(seen, policies["inference-nobody"], [gateway])
