"""A condition of an admission rule that is changed is noticed by a case, at a real API server."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from podwright.components.design.platform.admission_rules import RULES
from podwright.lab.openshift.api import path_of
from tests.admission_rules import cases, mutants
from tests.admission_rules.mutants import Judge, Mutant
from tests.admission_rules.test_verdicts import KEDA, make_classes
from tests.lab.openshift.rack import Rack
from tests.waiting import until

_RBAC: Final = "rbac.authorization.k8s.io"
SEED = int(os.environ.get("PODWRIGHT_RULE_MUTANTS_SEED", "12"))
SAMPLE: Final = 60
LEAST: Final = 0.95
"""Of the changes that change an answer, the share that a case notices."""


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """An API server with every rule, unchanged, and with the answers of the cases."""
    rack = Rack(Path(tmp_path_factory.mktemp("plane")) / "rack", workers=())
    try:
        rack.install()
        api, plane = rack.side.cluster.api, rack.side.cluster.plane
        assert api is not None and plane is not None
        api.ensure(path_of("apiextensions.k8s.io/v1", "customresourcedefinitions"), KEDA)
        api.ensure(path_of("v1", "namespaces"), {"metadata": {"name": mutants.SPACE}})
        make_classes(api)
        account = path_of("v1", "serviceaccounts", mutants.SPACE, "default")
        until(lambda: api.get(account) is not None, 60, "account of the namespace", pause=0.1)
        everything = {
            "metadata": {"name": "everything"},
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": "system:authenticated"}],
        }
        api.ensure(path_of(f"{_RBAC}/v1", "clusterrolebindings"), everything)
        judge = Judge(api, plane.access("lab", "system:masters"))
        for rule in RULES:
            mutants.install(api, "unchanged", mutants.alone(rule))
        for rule in RULES:
            until(partial(_in_force, judge, "unchanged", rule.id), 60, f"{rule.id} is in force", pause=0.2)
            judge.prepare(rule, "unchanged")
            updates = [each for each in judge.asked[rule.id] if each.there]
            assert not any(each.refused for each in updates if each.name.endswith("left alone")), rule.id
            for each in judge.asked[rule.id]:
                assert bool(judge.answer("unchanged", rule.id, each)) == each.refused, (rule.id, each.name)
        yield judge
        judge.close()
    finally:
        rack.close()


@pytest.mark.rough
def test_of_a_sample_the_cases_notice_nearly_all(judge: Judge) -> None:
    chance = random.Random(SEED)
    found = _noticed(judge, "some", chance.sample(list(mutants.mutants()), SAMPLE))
    assert _share(found) >= LEAST - 0.05, _survivors(found)


@pytest.mark.soak
def test_of_all_the_cases_notice_nearly_all_and_every_excuse_is_needed(judge: Judge) -> None:
    found = _noticed(judge, "each", list(mutants.mutants()))
    needed = {mutants.excuse(what) for what, by in found.items() if not by} - {None}
    assert needed == set(range(len(mutants.entries())))
    assert _share(found) >= LEAST, _survivors(found)


def _noticed(judge: Judge, run: str, chosen: Sequence[Mutant]) -> dict[str, str]:
    """By each mutant's name the question that notices it; empty where none does."""
    made = []
    for at, mutant in enumerate(chosen):
        mark = f"{run}{at}"
        if all([mutants.install(judge.api, mark, each) for each in mutant.rules.values()]):
            made.append((mark, mutant))
    # Policies are in force in the order in which they came.
    mutants.install(judge.api, f"{run}-last", mutants.alone(RULES[0]))
    until(partial(_in_force, judge, f"{run}-last", RULES[0].id), 120, "all are in force", pause=0.2)
    return {mutant.what: judge.notices(mark, mutant) for mark, mutant in made}


def _survivors(found: Mapping[str, str]) -> list[str]:
    return [what for what, by in found.items() if not by and mutants.excuse(what) is None]


def _share(found: Mapping[str, str]) -> float:
    """Of the mutants that change an answer, the share that is noticed."""
    seen = sum(map(bool, found.values()))
    return seen / (seen + len(_survivors(found)))


def _in_force(judge: Judge, mark: str, rule: str) -> bool:
    bad = next(each for each in cases.cases(rule) if each.wrong)
    return f"{mark}-" in judge.answer(mark, rule, mutants.Question("bad", bad.body, refused=True))
