"""Rules read services that KServe runs as every other one: the example is clean, and what is wrong is found."""

import copy
from typing import Any

import pytest

from podwright.policies.rules.resource import Resource
from tests.design.with_kserve import with_kserve
from tests.policies.found import found, planned


@pytest.fixture(scope="module")
def plan() -> list[Resource]:
    """Every resource of the example."""
    return planned(with_kserve())


def test_no_rule_finds_anything_in_the_example(plan: list[Resource]) -> None:
    """Teams of the example that it begins with share their rails, and it says for no reason: advice, of no service."""
    assert found(plan) == {"workloads-rails-shared-on-purpose"}


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        (("containers", 0, "image"), "registry.example.com/serving/vllm:latest", "workloads-image-by-digest"),
        (("containers", 0, "startupProbe"), None, "workloads-start-is-waited-for"),
        (("nodeSelector",), {"podwright.io/pool": "training"}, "workloads-no-inference-on-training-pool"),
    ],
)
def test_what_is_wrong_with_a_predictor_isfound(
    plan: list[Resource], path: tuple[Any, ...], value: object, rule: str
) -> None:
    changed = [copy.deepcopy(each) for each in plan]
    (one,) = (each for each in changed if each.type.endswith(":InferenceService") and "notes" in each.name)
    here: Any = one.props["spec"]["predictor"]
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    if path == ("nodeSelector",):
        own = {"key": "podwright.io/pool", "operator": "Exists", "effect": "NoSchedule"}
        here["tolerations"] = [own]
    assert rule in found(changed)
