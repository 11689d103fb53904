"""A team's namespace: who works in it, who pays for it, and what its containers ask for."""

from typing import Any

import pytest

from podwright.components.design import platform
from podwright.components.design.platform.names import Manifest
from podwright.components.model import Team


def _inside(kind: str, **section: Any) -> list[Manifest]:
    plan = platform.team("chat", Team.model_validate(section), trains=False, serves=False)
    return [each for each in (plan.namespace, *plan.inside) if each["kind"] == kind]


@pytest.mark.parametrize(
    ("section", "found"),
    [
        ({}, {}),
        ({"group": "chat-devs"}, {"edit": ["chat-devs"]}),
        ({"groups": {"view": ["auditors"]}}, {"view": ["auditors"]}),
        ({"group": "a", "groups": {"edit": ["b", "c"], "view": ["d"]}}, {"edit": ["a", "b", "c"], "view": ["d"]}),
    ],
)
def test_each_group_has_the_role_that_the_file_gives_it_in_this_namespace_alone(
    section: dict[str, Any], found: dict[str, list[str]]
) -> None:
    bindings = _inside("RoleBinding", **section)
    assert {each["roleRef"]["name"]: [row["name"] for row in each["subjects"]] for each in bindings} == found
    for each in bindings:
        assert each["metadata"]["namespace"] == "chat" and each["roleRef"]["kind"] == "ClusterRole"
        assert {row["kind"] for row in each["subjects"]} == {"Group"}


def test_who_pays_is_a_label_of_the_namespace() -> None:
    (plain,), (paid,) = _inside("Namespace"), _inside("Namespace", cost_centre="4711")
    assert paid["metadata"]["labels"] == {**plain["metadata"]["labels"], "podwright.io/cost-centre": "4711"}
    for written in ("R&D 4", "", "x" * 64, "-4711"):
        with pytest.raises(ValueError, match="cost_centre"):
            Team.model_validate({"cost_centre": written})


def test_a_container_that_asks_for_nothing_asks_for_the_default_and_none_is_limited_or_given_a_gpu() -> None:
    assert _inside("LimitRange") == []
    (found,) = _inside("LimitRange", default_requests={"cpus": 1, "memory_gib": 4}, gpus=8)
    (row,) = found["spec"]["limits"]
    assert row == {"type": "Container", "defaultRequest": {"cpu": "1", "memory": "4Gi"}}
