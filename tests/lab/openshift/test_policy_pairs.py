"""The lab's evaluator of network policies against another one, on every pair of ends under policies by lot.

The other has everything in one table of (tier, order, ends that it is for, ends that it names, ports, action), where
each end is looked up in sets worked out beforehand, as OVN-Kubernetes has port groups and address sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.lab.openshift.admin_policies import Policies
from tests.lab.openshift.test_admin_policies import ENDS, NAME, Row, rule_of

_BLOCKS = {
    "10.128.0.9/32": {"10.128.0.9"},
    "192.0.2.20/32": {"192.0.2.20"},
    "10.128.0.0/14": {each.address for each in ENDS if each.address.startswith("10.12")},
}


def _chosen(selector: Row, labels: Mapping[str, str]) -> bool:
    """Whether labels are among those that a selector names one by one."""
    if not selector.get("matchLabels", {}).items() <= labels.items():
        return False
    for row in selector.get("matchExpressions", ()):
        value = labels.get(row["key"])
        taken = {"In": value in row.get("values", ()), "Exists": value is not None}
        taken |= {"NotIn": value not in row.get("values", ()), "DoesNotExist": value is None}
        if not taken[row["operator"]]:
            return False
    return True


def _open(rows: list[Row] | None) -> set[int]:
    """Ports of TCP among the two that a rule of a namespace's own opens."""
    if not rows:
        return {8080, 8081}
    found: set[int] = set()
    for row in rows:
        first: int = row.get("port") or 0
        last: int = row.get("endPort") or first or 65535
        if row.get("protocol", "TCP") == "TCP":
            found |= {each for each in (8080, 8081) if first <= each <= last}
    return found


def _members(selector: Row) -> set[int]:
    chosen: set[int] = set()
    for number, each in enumerate(ENDS):
        if "ipBlock" in selector:
            kept = {item.removesuffix("/32") for item in selector["ipBlock"].get("except", ())}
            hit = each.address in _BLOCKS[selector["ipBlock"]["cidr"]] - kept
        elif "networks" in selector:
            hit = f"{each.address}/32" in selector["networks"]
        elif "nodes" in selector:
            hit = each.pod_labels is None
        else:
            pods = selector.get("pods") or {"namespaceSelector": selector.get("namespaces"), "podSelector": {}}
            of_space = _chosen(pods["namespaceSelector"], each.namespace_labels)
            hit = each.pod_labels is not None and of_space and _chosen(pods["podSelector"], each.pod_labels)
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
            and _chosen(spec["podSelector"], each.pod_labels)
        }  # fmt: skip
        yield 2, 1, mine, everybody, {8080, 8081}, "Deny"
        for rule in spec.get(way, []):
            peers = rule.get(side)
            named = set().union(*(_members(each) for each in peers)) if peers else everybody
            yield 2, 0, mine, named, _open(rule.get("ports")), "Allow"


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
_PODS = st.sampled_from([
    {}, {"matchLabels": {"app": "web"}}, {"matchLabels": {"app": "job"}},
    *({"matchExpressions": [{"key": "app", **row}]} for row in (
        {"operator": "In", "values": ["web", "job"]}, {"operator": "NotIn", "values": ["web"]},
        {"operator": "Exists"}, {"operator": "DoesNotExist"},
    )),
])  # fmt: skip
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
        lambda action, named, ports: rule_of(action, *named, way=side, ports=ports),
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
    st.sampled_from(
        [
            {"ipBlock": {"cidr": "10.128.0.9/32"}},
            {"ipBlock": {"cidr": "192.0.2.20/32"}},
            {"ipBlock": {"cidr": "10.128.0.0/14", "except": ["10.128.0.9/32"]}},
        ]
    ),
)


def _own_members(entry: Row) -> Row:
    return entry if "ipBlock" in entry else {"pods": entry}


_OPENED = st.sampled_from([
    {}, {"ports": []}, {"ports": [{"port": 8080}]}, {"ports": [{"port": 8080, "endPort": 8090}]},
    {"ports": [{"protocol": "UDP", "port": 8080}, {"protocol": "TCP", "port": 8081}]}, {"ports": [{"protocol": "TCP"}]},
])  # fmt: skip


def _own(side: str) -> Any:
    made = st.builds(lambda peers, ports: {side: peers, **ports}, st.lists(_ENTRY, max_size=2), _OPENED)
    return st.lists(made, max_size=2)


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
            {**rule, side: [_own_members(entry) for entry in rule[side]]} for rule in each["spec"][way]
        ] for way, side in (("ingress", "from"), ("egress", "to"))}}} for each in network],
        admin, baseline,
    )  # fmt: skip
    for source, start in enumerate(ENDS):
        for target, goal in enumerate(ENDS):
            for port in (8080, 8081):
                leaves = start.pod_labels is None or _passes(tabled, "egress", source, target, port)
                enters = goal.pod_labels is None or _passes(tabled, "ingress", target, source, port)
                assert policies.connects(start, goal, port) == (leaves and enters), (start, goal, port)
