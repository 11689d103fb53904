"""The lab's evaluator of NetworkPolicies, by sentences of Kubernetes' own page and API reference."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.ovn import end

SERVE = {"name": "http", "containerPort": 8000, "protocol": "TCP"}
POD = {
    "metadata": {"namespace": "chat", "name": "a", "labels": {"app": "chat", "tier": "front"}},
    "spec": {"containers": [{"name": "serve", "ports": [SERVE]}, {"name": "beside"}]},
}
FRIEND = Peer("chat", {"team": "chat"}, {"role": "client"}, "10.128.0.7")
ROUTER = Peer("openshift-ingress", {"group": "ingress"}, {"role": "router"}, "10.128.0.8")
HOST = Peer("openshift-host-network", {"group": "host"}, None, "192.0.2.20")
EVERYBODY = (FRIEND, ROUTER, HOST)


def _policy(spec: dict[str, Any], namespace: str = "chat") -> dict[str, Any]:
    return {"metadata": {"namespace": namespace, "name": "p"}, "spec": spec}


def _admitted(*specs: dict[str, Any], port: int = 8000, protocol: str = "TCP") -> list[str]:
    policies = Policies([_policy(each) for each in specs])
    return [each.namespace for each in EVERYBODY if policies.enters(each, end(POD, {}), port, protocol)]


ALL = [each.namespace for each in EVERYBODY]
INGRESS = {"namespaceSelector": {"matchLabels": {"group": "ingress"}}}
BLOCK = {"cidr": "10.128.0.0/14", "except": ["10.128.0.8/32"]}
CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("an empty selector of pods is every pod, and no rule admits nobody", {"podSelector": {}}, []),
    ("an empty list of rules is none", {"podSelector": {}, "ingress": []}, []),
    ("an empty rule admits everybody", {"podSelector": {}, "ingress": [{}]}, ALL),
    ("an empty from is everybody", {"podSelector": {}, "ingress": [{"from": []}]}, ALL),
    ("a selector of other pods is not for this one", {"podSelector": {"matchLabels": {"app": "x"}}}, ALL),
    ("the labels of a selector hold together", {"podSelector": {"matchLabels": {"app": "chat", "tier": "x"}}}, ALL),
    (
        "expressions select too",
        {"podSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["chat"]}]}},
        [],
    ),
    ("a policy for egress closes no way in", {"podSelector": {}, "policyTypes": ["Egress"]}, ALL),
    ("without types a policy with egress rules is for ingress too", {"podSelector": {}, "egress": [{}]}, []),
    (
        "pods alone are those of the policy's namespace",
        {"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}]}]},
        ["chat"],
    ),
    ("a namespace is all its pods, hosts' too", {"podSelector": {}, "ingress": [{"from": [INGRESS]}]}, [ALL[1]]),
    (
        "every namespace, hosts' among them",
        {"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {}}]}]},
        ALL,
    ),
    (
        "both in one entry hold together",
        {"podSelector": {}, "ingress": [{"from": [INGRESS | {"podSelector": {"matchLabels": {"role": "client"}}}]}]},
        [],
    ),
    (
        "both in one entry, and both are so",
        {"podSelector": {}, "ingress": [{"from": [INGRESS | {"podSelector": {"matchLabels": {"role": "router"}}}]}]},
        [ALL[1]],
    ),
    (
        "two entries are either",
        {"podSelector": {}, "ingress": [{"from": [INGRESS, {"podSelector": {"matchLabels": {"role": "client"}}}]}]},
        ALL[:2],
    ),
    (
        "no pod is in the namespace of hosts",
        {"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {}, "podSelector": {}}]}]},
        ALL[:2],
    ),
    (
        "a block of addresses, and what is left out of it",
        {
            "podSelector": {},
            "ingress": [{"from": [{"ipBlock": BLOCK}]}],
        },
        ["chat"],
    ),
]


@pytest.mark.parametrize(("spec", "wanted"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_who_is_admitted(spec: dict[str, Any], wanted: list[str]) -> None:
    assert _admitted(spec) == wanted


PORTS: list[tuple[str, list[dict[str, Any]], bool]] = [
    ("no ports are all", [], True),
    ("a number", [{"port": 8000}], True),
    ("another number", [{"port": 8001}], False),
    ("a name is every port, as OVN-Kubernetes has it", [{"port": "http"}], True),
    ("so is a name that no container has", [{"port": "metrics"}], True),
    ("of its protocol", [{"protocol": "UDP", "port": "http"}], False),
    ("TCP unless it says otherwise", [{"protocol": "UDP", "port": 8000}], False),
    ("a protocol alone is all its ports", [{"protocol": "TCP"}], True),
    ("a range", [{"port": 7000, "endPort": 9000}], True),
    ("a range that ends before", [{"port": 7000, "endPort": 7999}], False),
    ("one of several", [{"port": 1}, {"port": 8000}], True),
]


@pytest.mark.parametrize(("rows", "wanted"), [case[1:] for case in PORTS], ids=[case[0] for case in PORTS])
def test_which_ports_are_open(rows: list[dict[str, Any]], wanted: bool) -> None:
    assert _admitted({"podSelector": {}, "ingress": [{"ports": rows}]}) == (ALL if wanted else [])


def test_a_port_of_one_rule_is_not_opened_by_another() -> None:
    spec = {"podSelector": {}, "ingress": [{"from": [INGRESS], "ports": [{"port": 1}]}, {"ports": [{"port": 9}]}]}
    assert _admitted(spec) == []


def test_policies_add_up_and_none_takes_away() -> None:
    assert _admitted({"podSelector": {}}, {"podSelector": {}, "ingress": [{"from": [INGRESS]}]}) == [ALL[1]]


def test_a_pod_that_no_policy_is_for_takes_everything_and_other_namespaces_policies_are_not_for_it() -> None:
    assert _admitted() == ALL
    elsewhere = Policies([_policy({"podSelector": {}}, "other")])
    assert all(elsewhere.enters(each, end(POD, {}), 8000) for each in EVERYBODY)
