"""Cuts that are drawn, and the line that they come to."""

from __future__ import annotations

import itertools

from tests.power_cuts.drawn import MOMENTS, ROLES, SECONDS, cuts
from tests.power_cuts.figures import summary


def test_a_seed_draws_the_same_cuts_and_each_role_and_moment_soon() -> None:
    drawn = list(itertools.islice(cuts("1"), 30))
    assert drawn == list(itertools.islice(cuts("1"), 30)) != list(itertools.islice(cuts("2"), 30))
    for begin in range(0, 30, len(ROLES)):
        assert {each.role for each in drawn[begin : begin + len(ROLES)]} == set(ROLES)
    for begin in range(0, 30, len(MOMENTS)):
        assert {each.moment for each in drawn[begin : begin + len(MOMENTS)]} == set(MOMENTS)
    assert all(0 <= each.delay <= SECONDS[each.moment] for each in drawn)


def test_two_servers_without_power_are_never_of_one_pool() -> None:
    for each in itertools.islice(cuts("3"), 60):
        pools = {"member": "training", "spare": "training", "replica": "inference"}
        assert pools[each.before] != pools.get(each.role, "control plane")


def test_the_line_has_what_was_broken_alone() -> None:
    own = {"probes": 100, "dead s": 9.5, "asked": 100, "lost": 0, "slow": 3, "least alive": 1, "slowest s": 15.0}
    found = summary([
        {"role": "member", "moment": "running"},
        {"role": "replica", "moment": "remediating", "gangs s": 40.0, "service s": 20.0, "controllers s": 0.1, **own},
        {"role": "spare", "moment": "running", "gangs s": 0.1, "service s": 0.1, **own, "least alive": 2},
    ])  # fmt: skip
    assert found["cuts"] == 3 and found["roles"] == {"member": 1, "replica": 1, "spare": 1}
    assert found["gangs s"] == {"of": 1, "median": 40.0, "longest": 40.0}
    assert found["controllers s"] == {"of": 0, "median": 0.0, "longest": 0.0}
    assert (found["probes"], found["dead s"], found["least alive"], found["slowest s"]) == (200, 19.0, 1, 15.0)
