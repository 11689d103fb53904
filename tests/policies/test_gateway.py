"""The pack and a service behind the inference gateway: the example is clean, and what is wrong with it is found."""

import copy
from typing import Any

import pytest

from podwright.components.model import load
from podwright.policies.rules.resource import Resource
from tests.policies.found import found, planned
from tools.generated import ROOT


@pytest.fixture(scope="module")
def plan() -> list[Resource]:
    """Every resource of the example."""
    return planned(load(ROOT / "tests/examples/platform/Pulumi.gateway.yaml"))


def test_no_rule_finds_anything_in_the_example(plan: list[Resource]) -> None:
    """But the advice about rails that the example which it begins with has."""
    assert found(plan) == {"workloads-rails-shared-on-purpose"}


@pytest.mark.parametrize(
    ("kind", "path", "value", "rule"),
    [
        ("InferencePool", ("selector", "matchLabels"), {"app": "nobody"}, "workloads-pool-picks-one-service"),
        (
            "HTTPRoute",
            ("rules", 0, "backendRefs"),
            [{"name": "notes", "port": 80}],
            "workloads-nothing-past-the-picker",
        ),
        (
            "Deployment",
            ("template", "spec", "containers", 0, "image"),
            "registry.example.com/epp:v1.5.0",
            "workloads-image-by-digest",
        ),
    ],
)
def test_what_is_wrong_is_found(
    plan: list[Resource], kind: str, path: tuple[Any, ...], value: object, rule: str
) -> None:
    changed = [copy.deepcopy(each) for each in plan]
    wanted = "notes-picker" if kind == "Deployment" else "notes"
    (one,) = (
        each for each in changed
        if each.type.endswith(f":{kind}") and each.props.get("metadata", {}).get("name") == wanted
    )  # fmt: skip
    here: Any = one.props["spec"]
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    assert found(changed) == {"workloads-rails-shared-on-purpose", rule}
