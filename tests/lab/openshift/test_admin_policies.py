"""The lab's evaluator of administrators' policies: by sentences of the API's types, and against another one that makes
one table of everything, as OVN has its access lists, and asks that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def _rule(action: str, *peers: Row, way: str = "from", ports: list[Row] | None = None) -> Row:
    return {"action": action, way: list(peers), **({"ports": ports} if ports else {})}


OPEN = {"metadata": {"namespace": "chat", "name": "o"}, "spec": {"podSelector": {}, "ingress": [{}], "egress": [{}]}}
SHUT = {"metadata": {"namespace": "chat", "name": "s"}, "spec": {"podSelector": {}}}
DENY = admin(50, [_rule("Deny", _named("data"))])
EVERY: Row = {"namespaces": {}}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_the_definition_is_the_published_one(kind: str) -> None:
    text = (Path(OWN) / f"policy.networking.k8s.io_{kind}.yaml").read_bytes()
    assert hashlib.sha256(text).hexdigest() == PUBLISHED[kind]


CASES: list[tuple[str, Policies, list[Peer]]] = [
    ("without any everybody comes in", Policies(), [*ENDS]),
    ("deny comes before a policy of the namespace that opens it", Policies([OPEN], [DENY]), [CHAT, BESIDE, HOST]),
    ("allow comes before one that closes it", Policies([SHUT], [admin(1, [_rule("Allow", _named("data"))])]), [DATA]),
    ("who matches no rule is left to the namespace's own", Policies([SHUT], [DENY]), []),
    ("the lower priority is first", Policies((), [DENY, admin(49, [_rule("Allow", EVERY)])]), [*ENDS]),
    ("so is the first rule", Policies((), [admin(1, [_rule("Allow", EVERY), _rule("Deny", EVERY)])]), [*ENDS]),
    ("pass leaves it to the namespace", Policies([SHUT], [admin(1, [_rule("Pass", EVERY)]), DENY]), []),
    ("and where it has none, to nobody", Policies((), [admin(1, [_rule("Pass", EVERY)]), DENY]), [*ENDS]),
    ("a priority that OVN-Kubernetes does not take is as if it were not there",
     Policies((), [admin(100, [_rule("Deny", EVERY)])]), [*ENDS]),
    ("the baseline is for pods that no policy of the namespace is for",
     Policies((), (), [admin(0, [_rule("Deny", _named("data"))])]), [CHAT, BESIDE, HOST]),
    ("and says nothing of the others", Policies([OPEN], (), [admin(0, [_rule("Deny", EVERY)])]), [*ENDS]),
    ("every namespace has no host", Policies((), [admin(1, [_rule("Deny", EVERY)])]), [HOST]),
    ("rules for egress are about connections out",
     Policies((), [admin(1, egress=[_rule("Deny", EVERY, way="to")])]), [*ENDS]),
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
    policies = Policies([SHUT], [admin(1, [_rule("Allow", EVERY, ports=[row])])])
    assert [port for port in (8080, 8081) if policies.enters(DATA, CHAT, port)] == opened


def test_a_connection_must_leave_and_enter() -> None:
    out = admin(1, egress=[_rule("Deny", _named("data"), way="to")])
    assert not Policies((), [out]).connects(CHAT, DATA, 8080)
    assert Policies((), [out]).connects(DATA, CHAT, 8080)
    assert not Policies((), [DENY]).connects(DATA, CHAT, 8080)
    hosts = _rule("Deny", {"nodes": {"matchLabels": {"role": "worker"}}}, {"networks": ["10.128.0.9/32"]}, way="to")
    assert [end for end in ENDS if Policies((), [admin(1, egress=[hosts])]).connects(CHAT, end, 8080)] == [
        CHAT,
        BESIDE,
    ]


# Another evaluator: everything in one table of (tier, order, ends that it is for, ends that it names, ports, action),
# where each end is looked up in sets worked out beforehand, as OVN-Kubernetes has port groups and address sets.


def _members(selector: Row) -> set[int]:
    chosen: set[int] = set()
    for number, each in enumerate(ENDS):
        if "ipBlock" in selector:
            hit = each.address == selector["ipBlock"]["cidr"].removesuffix("/32")
        elif "networks" in selector:
            hit = f"{each.address}/32" in selector["networks"]
        elif "nodes" in selector:
            hit = each.pod_labels is None
        else:
            pods = selector.get("pods") or {"namespaceSelector": selector.get("namespaces"), "podSelector": {}}
            space, labels = pods["namespaceSelector"]["matchLabels"], pods["podSelector"].get("matchLabels", {})
            of_space = all(each.namespace_labels.get(key) == value for key, value in space.items())
            hit = each.pod_labels is not None and of_space and labels.items() <= each.pod_labels.items()
        if hit:
            chosen.add(number)
    return chosen


def _numbers(rows: list[Row] | None) -> set[int]:
    return {row["portNumber"]["port"] for row in rows} if rows else {8080, 8081}


def _table(policies: Policies, way: str) -> Iterator[tuple[int, int, set[int], set[int], set[int], str]]:
    side = "from" if way == "ingress" else "to"
    everybody = set(range(len(ENDS)))
    for tier, rows in ((1, policies.admin), (3, policies.baseline)):
        for item in rows:
            for place, rule in enumerate(item["spec"][way]):
                named = set().union(*(_members(each) for each in rule[side]))
                order = item["spec"].get("priority", 0) * 100 + place
                yield tier, order, _members(item["spec"]["subject"]), named, _numbers(rule.get("ports")), rule["action"]
    for item in policies.network:
        space, spec = item["metadata"]["namespace"], item["spec"]
        if way.capitalize() not in spec["policyTypes"]:
            continue
        mine = {
            number for number, each in enumerate(ENDS)
            if each.namespace == space and each.pod_labels is not None
            and spec["podSelector"].get("matchLabels", {}).items() <= each.pod_labels.items()
        }  # fmt: skip
        yield 2, 1, mine, everybody, {8080, 8081}, "Deny"
        for rule in spec.get(way, []):
            peers = rule.get(side)
            named = set().union(*(_members(each) for each in peers)) if peers else everybody
            yield 2, 0, mine, named, {8080, 8081}, "Allow"


def _passes(policies: Policies, way: str, subject: int, peer: int, port: int) -> bool:
    rows = [
        (tier, order, action)
        for tier, order, mine, named, ports, action in _table(policies, way)
        if subject in mine and peer in named and port in ports
    ]
    least = 0
    for tier, _, action in sorted(rows):
        if tier < least:
            continue
        if action != "Pass":
            return action == "Allow"
        least = tier + 1
    return True


_SPACES = st.sampled_from([{"matchLabels": {NAME: "chat"}}, {"matchLabels": {NAME: "data"}}, {"matchLabels": {}}])
_PODS = st.sampled_from([{}, {"matchLabels": {"app": "web"}}, {"matchLabels": {"app": "job"}}])
_INSIDE = st.one_of(
    st.builds(lambda space: {"namespaces": space}, _SPACES),
    st.builds(lambda space, pods: {"pods": {"namespaceSelector": space, "podSelector": pods}}, _SPACES, _PODS),
)
_OUT = st.one_of(
    _INSIDE,
    st.just({"nodes": {"matchLabels": {"role": "worker"}}}),
    st.sampled_from([{"networks": ["10.128.0.9/32"]}, {"networks": ["192.0.2.20/32", "10.128.0.8/32"]}]),
)
_PORTS = st.sampled_from([None, [{"portNumber": {"port": 8080}}], [{"portNumber": {"port": 8081}}]])


def _rules(side: str, peers: Any, actions: str) -> Any:
    made = st.builds(
        lambda action, named, ports: _rule(action, *named, way=side, ports=ports),
        st.sampled_from(actions.split()), st.lists(peers, min_size=1, max_size=2), _PORTS,
    )  # fmt: skip
    return st.lists(made, max_size=3)


def _of(actions: str) -> Any:
    return st.builds(
        lambda subject, ingress, egress: {"subject": subject, "ingress": ingress, "egress": egress},
        _INSIDE, _rules("from", _INSIDE, actions), _rules("to", _OUT, actions),
    )  # fmt: skip


_ADMIN = st.builds(
    lambda specs: [{"metadata": {"name": f"p{at}"}, "spec": {**spec, "priority": at}} for at, spec in specs.items()],
    st.dictionaries(st.integers(0, 99), _of("Allow Deny Pass"), max_size=3),
)
_BASE = st.lists(st.builds(lambda spec: {"metadata": {"name": "default"}, "spec": spec}, _of("Allow Deny")), max_size=1)
_ENTRY = st.one_of(
    st.builds(lambda space, pods: {"namespaceSelector": space, "podSelector": pods}, _SPACES, _PODS),
    st.sampled_from([{"ipBlock": {"cidr": "10.128.0.9/32"}}, {"ipBlock": {"cidr": "192.0.2.20/32"}}]),
)


def _own_members(entry: Row) -> Row:
    return entry if "ipBlock" in entry else {"pods": entry}


def _own(side: str) -> Any:
    return st.lists(st.builds(lambda peers: {side: peers}, st.lists(_ENTRY, max_size=2)), max_size=2)


_NETWORK = st.lists(
    st.builds(
        lambda space, pods, types, ingress, egress: {
            "metadata": {"namespace": space, "name": "n"},
            "spec": {"podSelector": pods, "policyTypes": types, "ingress": ingress, "egress": egress},
        },
        st.sampled_from(["chat", "data"]), _PODS,
        st.sampled_from([["Ingress"], ["Egress"], ["Ingress", "Egress"]]), _own("from"), _own("to"),
    ),
    max_size=3,
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(_NETWORK, _ADMIN, _BASE)
def test_another_evaluator_agrees_on_every_pair(network: list[Row], admin: list[Row], baseline: list[Row]) -> None:
    policies = Policies(network, admin, baseline)
    tabled = Policies(
        [{**each, "spec": {**each["spec"], **{way: [
            {side: [_own_members(entry) for entry in rule[side]]} for rule in each["spec"][way]
        ] for way, side in (("ingress", "from"), ("egress", "to"))}}} for each in network],
        admin, baseline,
    )  # fmt: skip
    for source, start in enumerate(ENDS):
        for target, goal in enumerate(ENDS):
            for port in (8080, 8081):
                leaves = start.pod_labels is None or _passes(tabled, "egress", source, target, port)
                enters = goal.pod_labels is None or _passes(tabled, "ingress", target, source, port)
                assert policies.connects(start, goal, port) == (leaves and enters), (start, goal, port)
