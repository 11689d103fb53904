"""A job of a set is judged as a Job is, wherever it stands: another one in front of it hides nothing."""

import copy
import re
from typing import Any, Final

import pytest

from podwright.policies.rules import RULES
from podwright.policies.rules.rule import Rule, StackRule
from tests.policies.test_rules import CASES, findings, resources_of

_JOB: Final = "kubernetes:batch/v1:Job"
_SET: Final = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"
_ALONE: Final = {
    "workloads-members-end-together": "backoffLimitPerIndex is of a Job; a set fails with any of its jobs",
    "workloads-fewer-members-known": "Kueue starts Jobs alone with fewer members",
}
"""Rules about Jobs that are not about sets, and why."""


def _jobs(resource: Any) -> list[Any] | None:
    """The jobs of a set or of a runtime; None for anything else."""
    spec = resource["props"].get("spec")
    if resource["type"].endswith("TrainingRuntime"):
        spec = spec["template"]["spec"] if isinstance(spec.get("template"), dict) else None
    elif not resource["type"].endswith(":JobSet"):
        return None
    jobs = (spec or {}).get("replicatedJobs")
    return jobs if isinstance(jobs, list) else None


def _harmless(behind: Any) -> Any:
    """A job that runs the image of another one, and that no rule finds anything about."""
    boxes = behind["template"]["spec"]["template"]["spec"].get("containers") or [{}]
    image = {key: boxes[0][key] for key in ("image",) if key in boxes[0]}
    pod = {"containers": [{"name": "prepare", **image}]}
    return {"name": "prepare", "template": {"spec": {"template": {"spec": pod}}}}


def behind_another(case: list[Any]) -> list[Any]:
    """The case with a job in front of those of each set and runtime."""
    made = copy.deepcopy(case)
    for each in made:
        if jobs := _jobs(each):
            jobs.insert(0, _harmless(jobs[0]))
    return made


def as_sets(case: list[Any]) -> list[Any]:
    """The case with a set of the same name in place of each Job."""
    made = copy.deepcopy(case)
    for each in made:
        if each["type"] == _JOB:
            each["type"] = _SET
            each["props"]["spec"] = {
                "replicatedJobs": [{"name": "members", "template": {"spec": each["props"]["spec"]}}]
            }
    return made


def _with_jobs(rule: Rule | StackRule) -> list[tuple[list[Any], list[str]]]:
    """Cases of a rule in which there is a set, or a Job in place of which there may be one, with what is found."""
    cases: list[tuple[list[Any], list[str]]] = [(case, []) for case in CASES[rule.id]["passes"]]
    cases += [(case["resources"], case["finding"]) for case in CASES[rule.id]["fails"]]
    sets = [each for each in cases if any(_jobs(one) is not None for one in each[0])]
    jobs = [each for each in cases if any(_is_job(one) for one in each[0])] if rule.id not in _ALONE else []
    return sets + [(as_sets(case), [re.sub(r"\bJob ", "JobSet ", each) for each in found]) for case, found in jobs]


def _is_job(resource: Any) -> bool:
    return bool(resource["type"] == _JOB and resource["props"].get("spec"))


WITH_JOBS = [each for each in RULES if each.id in CASES and _with_jobs(each)]


@pytest.mark.parametrize("rule", WITH_JOBS, ids=lambda rule: rule.id)
def test_a_job_in_front_of_another_hides_nothing_and_accuses_nobody(rule: Rule | StackRule) -> None:
    for case, found in _with_jobs(rule):
        assert findings(rule, resources_of(behind_another(case))) == found


def test_rules_that_are_about_jobs_alone_are_there() -> None:
    assert set(_ALONE) <= {each.id for each in RULES}
