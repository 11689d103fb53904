"""Claims of pods, and the HOME that a pod of any user can write."""

from typing import Any

import pytest

from podwright.components.model import Cluster, Inference, Training
from podwright.components.model.mounts import HOME
from tests.design import whole
from tests.design.goldens import STACKS, cluster

CLAIMS = {
    "corpus": {"path": "/data", "read_only": True},
    "shm": {"path": "/runs", "sub_path": "first/of-many"},
}


def _made(said: Cluster, kind: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A workload's pod and its container."""
    (found,) = (
        each for each in whole.workloads(said) if each["kind"] == kind and each["metadata"]["name"] == name
    )  # fmt: skip
    pod = found["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    return pod, container


def _training(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    said = cluster("lab")
    job = Training.model_validate({**said.workloads.training["pretrain"].model_dump(), **changes})
    work = said.workloads.model_copy(update={"training": {"pretrain": job}})
    return _made(said.model_copy(update={"workloads": work}), "Job", "pretrain")


def _serving(**changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    said = cluster("lab")
    service = Inference.model_validate({**said.workloads.inference["chat"].model_dump(), **changes})
    work = said.workloads.model_copy(update={"inference": {"chat": service}})
    return _made(said.model_copy(update={"workloads": work}), "Deployment", "chat")


def _environment(container: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container["env"]}


@pytest.mark.parametrize("made", [_training, _serving])
def test_a_pod_finds_each_claim_where_the_file_has_it(made: Any) -> None:
    pod, container = made(volumes=CLAIMS)
    claims = {
        each["name"]: each["persistentVolumeClaim"] for each in pod["volumes"] if "persistentVolumeClaim" in each
    }  # fmt: skip
    found = {claims[each["name"]]["claimName"]: each for each in container["volumeMounts"] if each["name"] in claims}
    assert {name: each["mountPath"] for name, each in found.items()} == {"corpus": "/data", "shm": "/runs"}
    assert [found[name].get("readOnly") for name in CLAIMS] == [True, None]
    assert [found[name].get("subPath") for name in CLAIMS] == [None, "first/of-many"]
    # A volume that is read only as a whole has no group of the pod's.
    assert all(set(each) == {"claimName"} for each in claims.values())
    assert pod["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch"
    names = [each["name"] for each in pod["volumes"]]
    assert len(set(names)) == len(names) == len(container["volumeMounts"]), "a claim called shm is another volume"


@pytest.mark.parametrize("made", [_training, _serving])
def test_a_pod_of_any_user_can_write_its_home_and_every_cache(made: Any) -> None:
    pod, container = made(volumes=CLAIMS)
    (home,) = (each for each in container["volumeMounts"] if each["mountPath"] == HOME)
    (volume,) = (each for each in pod["volumes"] if each["name"] == home["name"])
    assert volume["emptyDir"].keys() == {"sizeLimit"} and "readOnly" not in home
    found = _environment(container)
    caches = {"XDG_CACHE_HOME", "HF_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"}
    assert found["HOME"] == HOME and caches < set(found)
    assert all(found[name].startswith(f"{HOME}/") for name in caches)


@pytest.mark.parametrize(
    ("changes", "gib", "asked"),
    [
        # H200: 143,771 MiB, what a model that fits it may take when it is downloaded.
        ({}, 149, None),
        ({"slice": None, "gpus": 2}, 289, None),
        ({"model": "/models/chat", "volumes": {"shared": {"path": "/models"}}}, 8, None),
        ({"home_gib": 20}, 20, "20Gi"),
    ],
)
def test_home_has_room_for_a_model_that_is_downloaded(changes: dict[str, Any], gib: int, asked: str | None) -> None:
    pod, container = _serving(**changes)
    (volume,) = (each for each in pod["volumes"] if each["name"] == "home")
    assert volume["emptyDir"] == {"sizeLimit": f"{gib}Gi"}
    assert container["resources"]["requests"].get("ephemeral-storage") == asked
    assert "ephemeral-storage" not in container["resources"]["limits"]


def test_a_model_on_disk_is_served_under_a_name_that_outlives_its_path() -> None:
    on_disk = {"model": "/models/v2/chat-8b", "volumes": {"shared": {"path": "/models"}}}
    _, container = _serving(**on_disk)
    args = container["args"]
    assert args[:4] == ["--model", "/models/v2/chat-8b", "--served-model-name", "chat"]
    assert _environment(container)["HF_HUB_OFFLINE"] == "1"
    _, container = _serving(**on_disk, served_name="chat-8b")
    assert container["args"][2:4] == ["--served-model-name", "chat-8b"]


def test_a_model_of_the_hub_keeps_its_name_and_its_way_there() -> None:
    _, container = _serving()
    assert "--served-model-name" not in container["args"]
    assert "HF_HUB_OFFLINE" not in _environment(container)


@pytest.mark.parametrize("stack", STACKS)
def test_a_job_without_new_keys_has_the_pods_that_it_had(stack: str) -> None:
    """Its pods cannot change: a running job would be made again for a HOME that it did without so far."""
    said = cluster(stack)
    for name in said.workloads.training:
        pod, container = _made(said, "Job", name)
        assert not {"home"} & {each["name"] for each in pod["volumes"]}
        assert "HOME" not in _environment(container)
        assert "fsGroupChangePolicy" not in pod["securityContext"]
        assert container["resources"]["requests"] == container["resources"]["limits"]


def test_a_size_alone_gives_a_job_its_home() -> None:
    pod, container = _training(home_gib=50)
    assert {"name": "home", "emptyDir": {"sizeLimit": "50Gi"}} in pod["volumes"]
    assert container["resources"]["requests"]["ephemeral-storage"] == "50Gi"
    assert _environment(container)["HOME"] == HOME
