"""No workload tolerates the taint of nodes that are not admitted, made so or changed: a real API server's answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from podwright.components.design.platform.admission import rights
from podwright.lab.openshift.api import MERGE, Api, ApiError, path_of
from tests.lab.openshift.manifests import gpu_pod
from tests.lab.openshift.rack import Rack
from tests.waiting import until

pytestmark = pytest.mark.rough
NAMED: Final = {"key": "podwright.io/not-admitted", "operator": "Exists"}
EVERY: Final = {"operator": "Exists"}
REFUSED: Final = "would run on nodes that are not checked"
REQUESTED: Final = {"openshift.io/requester": "somebody"}
HOMES: Final[dict[str, dict[str, str]]] = {
    "chat": {}, "nvidia-gpu-operator": {}, "nvidia-network-operator": {}, "openshift-sriov-network-operator": {},
    "podwright-admission-tuning": {}, "nvidia-mine": REQUESTED, "podwright-admission-mine": REQUESTED,
}  # fmt: skip
"""Namespaces and what OpenShift writes down of who asked for them."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A control plane without workers, with the policy of pool training."""
    rack = Rack(Path(tmp_path_factory.mktemp("plane")) / "rack", workers=())
    try:
        rack.install()
        api = rack.side.cluster.api
        assert api is not None
        for name, notes in HOMES.items():
            made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "annotations": notes}}
            api.ensure(path_of("v1", "namespaces"), made)
        for each in rights.waiting("training"):
            plural = "validatingadmissionpolic" + ("ybindings" if each["kind"].endswith("Binding") else "ies")
            api.ensure(path_of(each["apiVersion"], plural), each)
        found = api
        until(
            lambda: all(found.get(path_of("v1", "serviceaccounts", each, "default")) for each in HOMES), 60, "accounts"
        )
        until(lambda: REFUSED in _made(found, "chat", NAMED), 60, "the policy is in force", pause=0.2)
        yield api
    finally:
        rack.close()


def _made(api: Api, space: str, *tolerations: dict[str, str], gpus: bool = True) -> str:
    """What the server says to a pod that asks for GPUs, or for none."""
    pod = gpu_pod("sly", "nvidia.com/gpu" if gpus else "cpu", 8, tolerations=[*tolerations])
    return _answer(api, "POST", path_of("v1", "pods", space), {**pod, "metadata": {"name": "sly", "namespace": space}})


def _answer(api: Api, method: str, path: str, body: dict[str, Any], content: str = "application/json") -> str:
    try:
        api.request(method, f"{path}?dryRun=All", json.dumps(body).encode(), content=content)
    except ApiError as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("space", ["chat", "nvidia-mine", "podwright-admission-mine"])
def test_a_pod_is_refused_in_a_namespace_that_anybody_may_have(api: Api, space: str) -> None:
    assert REFUSED in _made(api, space, NAMED)
    assert REFUSED in _made(api, space, EVERY)
    assert REFUSED in _made(api, space, NAMED, gpus=False)
    assert _made(api, space, EVERY, gpus=False) == "" and _made(api, space) == ""


@pytest.mark.parametrize("space", [name for name, notes in HOMES.items() if not notes and name != "chat"])
def test_pods_of_the_system_and_of_checks_are_made(api: Api, space: str) -> None:
    assert _made(api, space, NAMED) == "" and _made(api, space, EVERY) == ""


def test_a_pod_that_waits_is_given_no_such_toleration_and_any_other(api: Api) -> None:
    """The API server lets anybody who may change a pod add tolerations to it."""
    pod = gpu_pod("waits", "nvidia.com/gpu", 8)
    where = path_of("v1", "pods", "chat")
    api.create(where, {**pod, "metadata": {"name": "waits", "namespace": "chat"}})
    path = f"{where}/waits"
    known = (api.get(path) or {})["spec"].get("tolerations", [])

    def given(toleration: dict[str, str]) -> str:
        return _answer(api, "PATCH", path, {"spec": {"tolerations": [*known, toleration]}}, MERGE)

    assert REFUSED in given(NAMED) and REFUSED in given(EVERY)
    assert given({"key": "podwright.io/pool", "operator": "Exists"}) == ""
    assert _answer(api, "PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE) == ""
