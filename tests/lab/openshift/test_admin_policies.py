"""The lab's evaluator of administrators' policies, by sentences of the API's types."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.network_policies import Peer

Row = dict[str, Any]
PUBLISHED = {
    "adminnetworkpolicies": "cb41c072a9f9fcacc493c3019958f8d2895111a5e93148e571a1af7c9fe2a87a",
    "baselineadminnetworkpolicies": "49b166ac05e0a7965842b1efb59f36efa37d3f22ef7162043a1f46934bc79494",
}
"""config/crd/experimental of kubernetes-sigs/network-policy-api v0.1.5."""
NAME = "kubernetes.io/metadata.name"
SERVED = {"api": ("TCP", 8080), "probe": ("UDP", 53)}


def _pod(namespace: str, app: str, address: str) -> Peer:
    return Peer(namespace, {NAME: namespace}, {"app": app}, address, ports=SERVED)


CHAT, BESIDE = _pod("chat", "web", "10.128.0.7"), _pod("chat", "job", "10.128.0.8")
DATA = _pod("data", "web", "10.128.0.9")
HOST = Peer("openshift-host-network", {NAME: "openshift-host-network"}, None, "192.0.2.20", {"role": "worker"})
ENDS = (CHAT, BESIDE, DATA, HOST)


def _named(name: str) -> Row:
    return {"namespaces": {"matchLabels": {NAME: name}}}


def admin(priority: int, ingress: list[Row] | None = None, egress: list[Row] | None = None, name: str = "") -> Row:
    spec = {"priority": priority, "subject": _named("chat"), "ingress": ingress or [], "egress": egress or []}
    return {"metadata": {"name": name or f"p{priority}", "creationTimestamp": name}, "spec": spec}


def rule_of(action: str, *peers: Row, way: str = "from", ports: list[Row] | None = None) -> Row:
    return {"action": action, way: list(peers), **({"ports": ports} if ports else {})}


OPEN = {"metadata": {"namespace": "chat", "name": "o"}, "spec": {"podSelector": {}, "ingress": [{}], "egress": [{}]}}
SHUT = {"metadata": {"namespace": "chat", "name": "s"}, "spec": {"podSelector": {}}}
DENY = admin(50, [rule_of("Deny", _named("data"))])
EVERY: Row = {"namespaces": {}}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_the_definition_is_the_published_one(kind: str) -> None:
    text = (Path(OWN) / f"policy.networking.k8s.io_{kind}.yaml").read_bytes()
    assert hashlib.sha256(text).hexdigest() == PUBLISHED[kind]


CASES: list[tuple[str, Policies, list[Peer]]] = [
    ("without any everybody comes in", Policies(), [*ENDS]),
    ("deny comes before a policy of the namespace that opens it", Policies([OPEN], [DENY]), [CHAT, BESIDE, HOST]),
    ("allow comes before one that closes it", Policies([SHUT], [admin(1, [rule_of("Allow", _named("data"))])]), [DATA]),
    ("who matches no rule is left to the namespace's own", Policies([SHUT], [DENY]), []),
    ("the lower priority is first", Policies((), [DENY, admin(49, [rule_of("Allow", EVERY)])]), [*ENDS]),
    ("so is the first rule", Policies((), [admin(1, [rule_of("Allow", EVERY), rule_of("Deny", EVERY)])]), [*ENDS]),
    ("pass leaves it to the namespace", Policies([SHUT], [admin(1, [rule_of("Pass", EVERY)]), DENY]), []),
    ("and where it has none, to nobody", Policies((), [admin(1, [rule_of("Pass", EVERY)]), DENY]), [*ENDS]),
    ("a priority that OVN-Kubernetes does not take is as if it were not there",
     Policies((), [admin(100, [rule_of("Deny", EVERY)])]), [*ENDS]),
    ("the baseline is for pods that no policy of the namespace is for",
     Policies((), (), [admin(0, [rule_of("Deny", _named("data"))])]), [CHAT, BESIDE, HOST]),
    ("and says nothing of the others", Policies([OPEN], (), [admin(0, [rule_of("Deny", EVERY)])]), [*ENDS]),
    ("every namespace has no host", Policies((), [admin(1, [rule_of("Deny", EVERY)])]), [HOST]),
    ("rules for egress are about connections out",
     Policies((), [admin(1, egress=[rule_of("Deny", EVERY, way="to")])]), [*ENDS]),
]  # fmt: skip


@pytest.mark.parametrize(("policies", "found"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_who_comes_in(policies: Policies, found: list[Peer]) -> None:
    assert [each for each in ENDS if policies.enters(each, CHAT, 8080)] == found


@pytest.mark.parametrize(
    ("row", "opened"),
    [
        ({"portNumber": {"port": 8080}}, [8080]),
        ({"portNumber": {"port": 8080, "protocol": "UDP"}}, []),
        ({"portRange": {"start": 8079, "end": 8080}}, [8080]),
        ({"portRange": {"start": 1, "end": 8079}}, []),
        ({"namedPort": "api"}, [8080]),
        ({"namedPort": "probe"}, []),
        ({"namedPort": "other"}, []),
    ],
)
def test_a_port_is_a_number_a_range_or_that_port_of_the_pod_which_has_the_name(row: Row, opened: list[int]) -> None:
    policies = Policies([SHUT], [admin(1, [rule_of("Allow", EVERY, ports=[row])])])
    assert [port for port in (8080, 8081) if policies.enters(DATA, CHAT, port)] == opened


def test_a_connection_must_leave_and_enter() -> None:
    out = admin(1, egress=[rule_of("Deny", _named("data"), way="to")])
    assert not Policies((), [out]).connects(CHAT, DATA, 8080)
    assert Policies((), [out]).connects(DATA, CHAT, 8080)
    assert not Policies((), [DENY]).connects(DATA, CHAT, 8080)
    hosts = rule_of("Deny", {"nodes": {"matchLabels": {"role": "worker"}}}, {"networks": ["10.128.0.9/32"]}, way="to")
    assert [end for end in ENDS if Policies((), [admin(1, egress=[hosts])]).connects(CHAT, end, 8080)] == [
        CHAT,
        BESIDE,
    ]
