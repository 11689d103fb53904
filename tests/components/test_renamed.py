"""A device under a new name: found again under the former one, and what cannot be renamed keeps its name."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import Cluster
from podwright.components.model.problems import SpecErrors
from tests.components.recording import Registered, register
from tests.components.test_graph import graph
from tests.design import goldens
from tests.model.changes import LAB, PROD, Said, put

IDENTITIES = ["pools/training", "openshift/teams/research", "workloads/training/pretrain", "workloads/inference/chat"]


def renamed(said: Said, section: str, was: str, name: str, **more: Any) -> Cluster:
    """The cluster with one device under another name, and every place that refers to it."""
    text = _replaced(said, was, name)
    put(f"{section}/{name}", {**_at(text, section)[name], "renamed_from": was, **more})(text)
    return model.load(text)


def _at(value: Any, path: str) -> Any:
    for key in path.split("/"):
        value = value[key]
    return value


def _replaced(value: Any, was: str, name: str) -> Any:
    if isinstance(value, Mapping):
        return {name if key == was else key: _replaced(each, was, name) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, was, name) for each in value]
    return name if value == was else value


def found_again(before: Mapping[str, Registered], after: Mapping[str, Registered]) -> tuple[set[str], set[str]]:
    """Names of what the second graph makes anew, and of what the first one has that nothing in the second is."""
    known = {alias: urn for urn, each in after.items() for alias in (urn, *each.aliases)}
    new = {each.name for urn, each in after.items() if not {urn, *each.aliases} & set(before)}
    return new, {each.name for urn, each in before.items() if urn not in known}


@pytest.mark.parametrize(
    ("said", "section", "was", "name", "more"),
    [
        (LAB, "fabric/leaves", "leaf-02", "leaf-02b", {}),
        (PROD, "fabric/spines", "spine-01", "top-01", {}),
        (PROD, "fabric/frontend/leaves", "front-02", "front-02b", {}),
        (LAB, "servers", "gpu-01", "gpu-01b", {"object_name": "gpu-01"}),
        (LAB, "servers", "cp-02", "cp-02b", {"object_name": "cp-02"}),
        (PROD, "servers", "gpu-16", "gpu-16b", {"object_name": "gpu-16"}),
    ],
)
def test_a_renamed_device_is_found_again(said: Said, section: str, was: str, name: str, more: dict[str, Any]) -> None:
    before, after = graph("lab" if said is LAB else "prod"), register(renamed(said, section, was, name, **more))
    assert found_again(before, after) == (set(), set())


def test_without_a_word_it_is_a_deletion_and_a_creation() -> None:
    """What the engine makes of it, and the world's check refuses (tests/providers/site/test_renames.py)."""
    before = graph("lab")
    after = register(model.load(_replaced(LAB, "leaf-02", "leaf-02b")))
    new, gone = found_again(before, after)
    assert {"lab-leaf-02b", "lab-leaf-02b-links"} <= new
    assert {"lab-leaf-02", "lab-leaf-02-links"} <= gone


def test_a_renamed_server_keeps_its_node() -> None:
    before = graph("lab")
    after = register(renamed(LAB, "servers", "gpu-01", "gpu-01b", object_name="gpu-01"))
    by_node = ("podwright:openshift:Install", "podwright:openshift:Rollout", "kubernetes:core/v1:NodePatch")

    def specs(seen: Mapping[str, Registered]) -> dict[str, Any]:
        return {urn: each.inputs for urn, each in seen.items() if each.type in by_node}

    assert specs(after) == specs(before)
    (machine,) = (each for each in after.values() if each.name == "lab-gpu-01b-server")
    assert machine.inputs["spec"]["name"] == "gpu-01b"
    (world,) = (each.inputs["spec"] for each in after.values() if each.type == "podwright:index:World")
    assert world["servers"]["gpu-01b"]["node"] == "gpu-01"
    tested = [each.inputs["stdin"] for each in after.values() if each.type == "command:local:Command"]
    assert tested == [each.inputs["stdin"] for each in before.values() if each.type == "command:local:Command"]


def test_a_renamed_blade_keeps_the_policy_it_boots_by() -> None:
    blade = next(name for name, each in goldens.cluster("prod").servers.items() if each.domain)
    before = graph("prod")
    after = register(renamed(PROD, "servers", blade, f"{blade}b", object_name=blade))
    policies = "podwright:intersight:Policy"
    assert {urn for urn in after if policies in urn} == {urn for urn in before if policies in urn}
    digests = [{n: e.outputs for n, e in s.items() if e.type == "podwright:index:ServerRole"} for s in (before, after)]
    (was,), (now,) = ([*each.values()] for each in digests)
    assert was["digests"][blade] == now["digests"][f"{blade}b"], "nothing to restart for"


@pytest.mark.parametrize("place", IDENTITIES)
def test_what_a_cluster_knows_by_name_cannot_be_renamed(place: str) -> None:
    text = copy.deepcopy(LAB)
    put(f"{place}/renamed_from", "former")(text)
    with pytest.raises(SpecErrors) as refused:
        model.load(text)
    (problem,) = refused.value.problems
    assert ".".join(map(str, problem.loc)) == f"{place.replace('/', '.')}.renamed_from"
    assert problem.message.endswith(" cannot change")
    assert "give the entry its former name back" in problem.hint
