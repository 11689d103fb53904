"""Teams kept apart: the planned policies, and what the lab's evaluator makes of them, beside NetworkPolicies of any
kind that members of a team may write."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design import platform
from podwright.components.design.platform import isolation
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Team, TeamIsolation
from podwright.lab.openshift.admin_policies import Policies
from podwright.lab.openshift.ingress import PLACES
from podwright.lab.openshift.network_policies import Peer

TEAMS = {"chat": Team(reaches=("data",)), "data": Team(), "research": Team(gpus=8)}
NAME = "kubernetes.io/metadata.name"
OPEN = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"], "ingress": [{}], "egress": [{}]}


def _pod(namespace: str) -> Peer:
    return Peer(namespace, {NAME: namespace, **PLACES.get(namespace, {})}, {"app": "any"}, "10.128.0.7")


HOST = Peer("openshift-host-network", {NAME: "openshift-host-network", **PLACES["openshift-host-network"]}, None)


def _network(team: str) -> tuple[Manifest, ...]:
    reached_by = [name for name, each in TEAMS.items() if team in each.reaches]
    plan = platform.team(team, TEAMS[team], trains=False, serves=True, reached_by=reached_by)
    return tuple(each for each in plan.inside if each["kind"] == "NetworkPolicy")


def _policies(*network: Any, isolated: bool = True) -> Policies:
    return Policies(network, isolation.policies(TeamIsolation() if isolated else None, TEAMS))


def _opened() -> list[dict[str, Any]]:
    return [{"metadata": {"namespace": team, "name": "open"}, "spec": OPEN} for team in TEAMS]


def test_it_is_the_golden() -> None:
    golden = Path(__file__).with_name("isolation.yaml")
    planned = [*isolation.policies(TeamIsolation(priority=40), TEAMS), *_network("chat")[-1:], *_network("data")[-1:]]
    assert planned == list(yaml.safe_load_all(golden.read_text()))


def test_without_the_key_there_is_nothing_nor_for_a_team_alone() -> None:
    assert isolation.policies(None, TEAMS) == ()
    assert isolation.policies(TeamIsolation(), {"chat": Team()}) == ()
    both = {"chat": Team(reaches=("data",)), "data": Team(reaches=("chat",))}
    assert isolation.policies(TeamIsolation(), both) == ()


@pytest.mark.parametrize("network", [[], _opened()], ids=["a team deletes its policies", "a team opens everything"])
def test_no_team_reaches_another_whatever_is_in_their_namespaces(network: list[Any]) -> None:
    apart, before = _policies(*network), _policies(*network, isolated=False)
    for source, target in permutations(TEAMS, 2):
        allowed = (source, target) == ("chat", "data")
        assert apart.connects(_pod(source), _pod(target), 8000) == allowed
        assert before.connects(_pod(source), _pod(target), 8000), "without them a team takes its own fence down"


def test_one_of_the_two_ends_is_enough() -> None:
    planned = isolation.policies(TeamIsolation(), TEAMS)
    for left in range(len(planned)):
        apart = Policies((), planned[:left] + planned[left + 1 :])
        assert not apart.connects(_pod("data"), _pod("chat"), 8000)
        assert not apart.connects(_pod("research"), _pod("chat"), 8000)


def test_what_is_no_teams_is_left_to_the_namespaces_own_policies() -> None:
    network = [each for team in TEAMS for each in _network(team)]
    apart, before = _policies(*network), _policies(*network, isolated=False)
    places = ("openshift-dns", "openshift-monitoring", "openshift-ingress", "kueue-system", "default")
    others = [*map(_pod, places), HOST, _pod("chat")]
    for end in others:
        for port, protocol in ((5353, "UDP"), (443, "TCP"), (6443, "TCP"), (8000, "TCP")):
            for source, target in ((end, _pod("chat")), (_pod("chat"), end)):
                found = apart.connects(source, target, port, protocol)
                assert found == before.connects(source, target, port, protocol)
    assert apart.connects(_pod("chat"), _pod("openshift-dns"), 5353, "UDP")
    assert apart.connects(_pod("openshift-monitoring"), _pod("chat"), 8000)


def test_a_team_that_reaches_another_one_does_so_at_both_ends_and_one_way() -> None:
    network = [each for team in TEAMS for each in _network(team)]
    assert [
        (source, target)
        for source, target in permutations(TEAMS, 2)
        if _policies(*network).connects(_pod(source), _pod(target), 8000)
    ] == [("chat", "data")]
