"""A store at which members of a training job meet: its objects, what members are told, and where it stands in the
graph."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.status import expected
from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design.platform import training_pools
from podwright.components.design.workloads import store
from podwright.components.model import Cluster, load
from podwright.components.model.coherence import check
from podwright.components.providers.status.verdict import Expected
from tests.components.recording import register
from tests.components.test_graph import all_before, of
from tests.design import whole
from tests.launchers import torchrun
from tests.model.changes import LAB, Said, both, put
from tests.model.queue_cases import QUEUED, TRAIN
from tests.model.store_cases import STORE
from tests.policies.found import found, planned
from tools.generated import ROOT

GOLDEN = Path(__file__).with_name("store.yaml")
EXAMPLE = ROOT / "tests/examples/platform/Pulumi.store.yaml"
NAME = "pretrain-rendezvous"
MEETS = f"{NAME}.research.svc.cluster.local:29500"


def _stack(*changes: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    both(*changes)(written)
    return Cluster.model_validate(written)


def _objects(stack: Cluster) -> dict[tuple[str, str], dict[str, Any]]:
    return {(each["kind"], each["metadata"]["name"]): each for each in whole.workloads(stack)}


def _box(stack: Cluster, kind: str, name: str) -> dict[str, Any]:
    (box,) = _objects(stack)[kind, name]["spec"]["template"]["spec"]["containers"]
    return dict(box)


def test_a_store_word_by_word() -> None:
    made = _objects(_stack(STORE))
    assert [made["Deployment", NAME], made["Service", NAME]] == list(yaml.safe_load_all(GOLDEN.read_text()))
    assert not [each for each in _objects(_stack(put(f"{TRAIN}/restarts", 20))) if each[1] == NAME]


@pytest.mark.parametrize(
    "command",
    [["torchrun", "t.py"], ["python", "-m", "torch.distributed.run", "t.py"], ["bash", "-c", "torchrun t.py"]],
)
def test_members_meet_there_and_none_of_them_hosts_a_store(command: list[str]) -> None:
    stack = _stack(STORE, put(f"{TRAIN}/command", command))
    box = _box(stack, "Job", "pretrain")
    known = {each["name"]: each.get("value") for each in box["env"]}
    words = [word for word in box["command"] if word.startswith("--")]
    words += [
        f"--{key}={known[f'PET_{key.upper()}']}" for key in ("rdzv_endpoint", "rdzv_id") if "PET_RDZV_ID" in known
    ]
    asked = torchrun.meeting(torchrun.options([*words, "t.py"]))
    assert asked["endpoint"] == MEETS
    assert known["PET_RDZV_CONF"] == "join_timeout=3600,is_host=0"
    assert known["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] == "1"
    server = _box(stack, "Deployment", NAME)
    assert server["command"][-3:] == ["29500", asked["id"], "45"], "it looks after this rendezvous"
    assert server["image"] == box["image"], "which has torch"


def test_nothing_else_of_the_job_changes() -> None:
    with_it, without = _stack(STORE), _stack(put(f"{TRAIN}/restarts", 20))
    (job, other) = (_objects(each)["Job", "pretrain"] for each in (with_it, without))
    impact = object_impact(other, job)
    assert impact is not None and impact.change_class is ChangeClass.REPLACED
    (box,), (own,) = (each["spec"]["template"]["spec"].pop("containers") for each in (job, other))
    assert job == other
    assert {key: box[key] for key in box.keys() - {"command", "env"}} == {
        key: own[key] for key in own.keys() - {"command", "env"}
    }
    assert set(box["command"]) - set(own["command"]) == {f"--rdzv-endpoint={MEETS}"}


@pytest.mark.parametrize(
    ("command", "python"),
    [
        (["torchrun", "t.py"], "python3"),
        (["/opt/conda/bin/torchrun", "t.py"], "/opt/conda/bin/python3"),
        (["/venv/bin/python3.12", "-m", "torch.distributed.run", "t.py"], "/venv/bin/python3.12"),
        (["bash", "-c", "torchrun t.py"], "python3"),
    ],
)
def test_it_runs_under_the_python_of_the_launcher_where_that_is_known(command: list[str], python: str) -> None:
    stack = _stack(STORE, put(f"{TRAIN}/command", command))
    assert _box(stack, "Deployment", NAME)["command"][0] == python


def test_members_of_a_team_in_the_mesh_and_their_store_are_out_of_it() -> None:
    (job,) = _stack(STORE).workloads.training.values()
    label = "istio.io/dataplane-mode"
    for apart in (True, False):
        deployment, service = store("pretrain", job, apart=apart)
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert (labels.get(label) == "none") == apart
        assert service["spec"]["selector"] == labels == deployment["spec"]["selector"]["matchLabels"]


def test_it_stands_before_the_job_behind_the_team_and_has_its_own_pools_purpose() -> None:
    seen = register(load(EXAMPLE))
    (job,) = (each for each in of(seen, "kubernetes:batch/v1:Job") if "finetune" in each.name)
    own = [each for each in seen.values() if each.name.endswith("finetune-rendezvous")]
    assert sorted(each.type.rpartition(":")[2] for each in own) == ["Deployment", "Service"]
    (server,) = (each for each in own if each.type.endswith("Deployment"))
    (front,) = (each for each in own if each.type.endswith("Service"))
    assert all_before(seen, job, [server, front])
    # A Service is ready once it leads somewhere: before its pods it would wait for ever.
    assert all_before(seen, front, [server])
    accounts = [each for each in of(seen, "kubernetes:core/v1:ServiceAccount") if "research" in str(each.inputs)]
    assert accounts and all_before(seen, server, accounts)
    assert {each.inputs["metadata"]["labels"]["podwright.io/purpose"] for each in own} == {"inference"}


def test_no_rule_finds_anything_in_the_example_beside_what_it_begins_with() -> None:
    plain = load(EXAMPLE.with_name("Pulumi.platform.yaml"))
    assert found(planned(load(EXAMPLE))) == found(planned(plain))


def test_kueue_leaves_it_alone_and_it_takes_nothing_that_is_counted() -> None:
    made = _objects(_stack(STORE, QUEUED))
    text = json.dumps(made["Deployment", NAME])
    assert "kueue.x-k8s.io" not in text and "nvidia.com" not in text
    assert "kueue.x-k8s.io/queue-name" in json.dumps(made["Job", "pretrain"])


def test_on_a_training_pool_it_would_be_refused_by_the_cluster_too() -> None:
    """What makes the pool of the key one that is not for training: the law knows no store."""
    assert "apps/ReplicaSet" not in training_pools.lawful({}, {}, (), (), rdma=False).variables()["owners"]
    problems = check(_stack(STORE, put(f"{TRAIN}/rendezvous_store/pool", "training")))
    assert [each.hint for each in problems] == ["take a pool of purpose inference or cpu"]


def test_status_looks_for_it() -> None:
    assert Expected("Deployment", "research", NAME, 1) in expected(_stack(STORE))
    assert all(each.name != NAME for each in expected(_stack()))


def test_another_place_for_it_is_a_start_of_all_members() -> None:
    before = _objects(_stack(STORE))["Deployment", NAME]
    after = copy.deepcopy(before)
    after["spec"]["template"]["spec"]["nodeSelector"] = {"podwright.io/pool": "plain"}
    impact = object_impact(before, after)
    assert impact is not None and impact.change_class is ChangeClass.DISRUPTIVE
    assert "all start anew from the last checkpoint" in impact.row.reason
    service = {**before, "metadata": {**before["metadata"], "labels": {"podwright.io/workload": "inference"}}}
    other = object_impact(service, {**service, "spec": after["spec"]})
    assert other is not None and other.change_class is ChangeClass.LIVE
