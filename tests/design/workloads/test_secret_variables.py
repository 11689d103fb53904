"""Variables from Secrets: in the container that does the work alone, by reference, and none that is set already."""

from __future__ import annotations

import ast
import copy
import json
import re
from typing import Any

import pytest

from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.model import Cluster, load
from podwright.components.model.variables import FAMILIES, TAKEN, owner
from tests.design import whole
from tests.design.workloads.test_train_jobs import TRAINER
from tests.model.canary_cases import IMAGE
from tests.model.changes import LAB, PROD, Said, both, put
from tests.model.kserve_cases import KSERVE
from tests.model.store_cases import STORE
from tools.generated import ROOT

DESIGN = ROOT / "components/design/workloads"
WORD = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
OTHERS = {"ALL", "IPC_LOCK", "TCP"}
"""Capabilities and a protocol of manifests."""
OF_OTHERS = {"HOSTNAME", "JOB_COMPLETION_INDEX", "CUDA_VISIBLE_DEVICES"}
"""Taken, and set by nothing of a plan."""
HUB = {"HF_TOKEN": {"secret": "hub", "key": "token"}}
REFERENCE = {
    "name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "token", "optional": False}},
}  # fmt: skip
JOB, CHAT = "workloads/training/pretrain", "workloads/inference/chat"


def _stack(start: Said, *changes: Any) -> Cluster:
    written: Said = copy.deepcopy(start)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _boxes(value: Any) -> list[dict[str, Any]]:
    """Containers of an object, wherever it has them."""
    if isinstance(value, list):
        return [found for each in value for found in _boxes(each)]
    if not isinstance(value, dict):
        return []
    own = [each for each in value.get("containers") or () if isinstance(each, dict)]
    return [*own, *(found for key, each in value.items() if key != "containers" for found in _boxes(each))]


def _with(stack: Cluster) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """References by kind and container, of every object of the workloads."""
    return {
        (made["kind"], box["name"]): found
        for made in whole.workloads(stack)
        for box in _boxes(made)
        if (found := [each for each in box.get("env") or () if "secretKeyRef" in (each.get("valueFrom") or {})])
    }


@pytest.mark.parametrize(
    ("changes", "kind", "box"),
    [
        ((), "Job", "train"),
        ((put(f"{JOB}/kind", "jobset"),), "JobSet", "train"),
        ((TRAINER, put(f"{JOB}/kind", "trainjob")), "TrainingRuntime", "node"),
        ((STORE,), "Job", "train"),
    ],
    ids=["job", "jobset", "trainjob", "with a store"],
)
def test_members_of_a_job_have_it_and_nothing_else(changes: Any, kind: str, box: str) -> None:
    assert _with(_stack(LAB, *changes, put(f"{JOB}/secrets", HUB))) == {(kind, box): [REFERENCE]}


@pytest.mark.parametrize(
    ("changes", "kind"), [((), "Deployment"), ((KSERVE,), "InferenceService")], ids=["deployment", "kserve"]
)
def test_every_replica_of_a_service_has_it(changes: Any, kind: str) -> None:
    ((where, found),) = _with(_stack(LAB, *changes, put(f"{CHAT}/secrets", HUB))).items()
    assert where[0] == kind
    assert found == [REFERENCE]


def test_both_versions_of_a_service_have_it() -> None:
    canary = put(f"{CHAT}/canary", {"image": IMAGE, "replicas": 1, "percent": 0})
    route = put(f"{CHAT}/route", {"host": "chat.apps.lab.example.com", "balance": "roundrobin"})
    made = whole.workloads(_stack(LAB, route, canary, put(f"{CHAT}/secrets", HUB)))
    first, second = (each for each in made if each["kind"] == "Deployment" and "chat" in each["metadata"]["name"])
    assert all(REFERENCE in _boxes(each)[0]["env"] for each in (first, second))


def test_without_a_key_the_secret_has_it_by_the_variable_s_name_and_order_is_none() -> None:
    rows = {"WANDB_API_KEY": {"secret": "tracker"}, **HUB}
    one, other = (_stack(LAB, put(f"{JOB}/secrets", dict(order))) for order in (rows.items(), [*rows.items()][::-1]))
    assert whole.workloads(one) == whole.workloads(other)
    (found,) = _with(one).values()
    assert [each["valueFrom"]["secretKeyRef"]["key"] for each in found] == ["token", "WANDB_API_KEY"]


@pytest.mark.parametrize("start", [LAB, PROD], ids=["lab", "prod"])
def test_without_the_key_no_plan_has_a_reference(start: Said) -> None:
    assert "secretKeyRef" not in json.dumps(whole.workloads(_stack(start)))


@pytest.mark.parametrize(
    ("where", "kind", "wanted"), [(JOB, "Job", ChangeClass.REPLACED), (CHAT, "Deployment", ChangeClass.LIVE)]
)
def test_another_secret_makes_a_job_again_and_a_service_s_pods_in_turn(
    where: str, kind: str, wanted: ChangeClass
) -> None:
    before, after = (
        next(each for each in whole.workloads(_stack(LAB, put(f"{where}/secrets", rows))) if each["kind"] == kind)
        for rows in ({}, HUB)
    )
    impact = object_impact(before, after)
    assert impact is not None
    assert impact.change_class is wanted


def _words() -> set[str]:
    """Words in capitals of everything that plans a workload's own containers: their variables, by the code itself."""
    files = [path for path in DESIGN.rglob("*.py") if path.parent.name != "gateway" and path.name != "__init__.py"]
    found = (each for path in files for each in ast.walk(ast.parse(path.read_text())))
    return {
        each.value
        for each in found
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and WORD.fullmatch(each.value)
    } - OTHERS


def test_every_variable_that_a_plan_sets_is_taken() -> None:
    """A new one in the design has to be refused as a Secret's. NGC_API_KEY is one: a NIM has it by its own key."""
    words = _words()
    assert len(words) > 30
    assert {each for each in words if owner(each) is None} == {"NGC_API_KEY"}


def test_nothing_is_taken_that_no_plan_sets() -> None:
    words = _words()
    assert set(TAKEN) - words == OF_OTHERS
    assert {each for each in FAMILIES if not any(word.startswith(each) for word in words)} == {"NVIDIA_", "KUBERNETES_"}


@pytest.mark.parametrize("name", ["lab", "prod", "examples/platform", "examples/gateway"])
def test_no_container_has_a_variable_twice(name: str) -> None:
    path = ROOT / f"Pulumi.{name}.yaml"
    if "/" in name:
        path = ROOT / f"tests/examples/platform/Pulumi.{name.rpartition('/')[2]}.yaml"
    for made in whole.workloads(load(path)):
        for box in _boxes(made):
            names = [each["name"] for each in box.get("env") or ()]
            assert len(names) == len(set(names)), (made["metadata"]["name"], names)
