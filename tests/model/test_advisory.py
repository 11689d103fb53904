"""What a file leaves unchecked is a sentence: printed by `check`, exported by the stack."""

import copy

import pytest

from podwright.components import model
from podwright.components.model import advisory
from tests.design.goldens import cluster
from tests.model.changes import LAB, PROD, drop, put
from tests.model.storage_bond_cases import PAIRS


def findings(cluster: model.Cluster) -> tuple[str, ...]:
    """All but one: the job of `prod` saves nothing of its work, which test_saving.py is about."""
    return tuple(each for each in advisory.findings(cluster) if "has learned" not in each)


def test_a_site_that_defines_everything_has_none() -> None:
    assert findings(cluster("prod")) == ()


@pytest.mark.parametrize(("change", "words"), [
    (drop("protect"), "set protect: true"),
    (drop("fabric/rollout"), "define fabric.rollout"),
    (put("fabric/verification", "off"), 'fabric.verification: "on"'),
    (drop("fabric/cables"), "define fabric.cables"),
    (drop("fabric/survive"), "define fabric.survive"),
    (drop("site/racks/g7/power_kw"), "the power of rack g7 is not checked"),
    (drop("acceptance"), "define acceptance"),
    (put("acceptance/enabled", False), "podwright accept"),
    (drop("storage/read"), "define storage.read"),
    (put("workloads/training/pretrain/volumes", {"corpus": {"path": "/data"}}),
     "no workload mounts claim pretrain-checkpoints, chat-models: add it to `volumes` of one"),
    (put("workloads/inference/chat/route", {"host": "chat.example.com"}), "do not have chat.example.com of"),
    (
        put("workloads/inference/chat/route", {"host": "a.chat.apps.pod-a.example.com"}),
        "the router's certificate and the apps record do not have a.chat.",
    ),
    (
        put("workloads/training/pretrain/command", ["sleep", "infinity"]),
        "members of training job pretrain run `sleep` on 128 GPUs: write the program that trains",
    ),
    (
        put("workloads/training/pretrain/command", ["deepspeed", "--num_gpus", "8", "train.py"]),
        "each member of training job pretrain trains alone: `deepspeed` reaches others by ssh",
    ),
    (
        put("workloads/training/pretrain/command", ["bash", "-c", "pip list && accelerate launch train.py"]),
        "each member of training job pretrain trains alone: `accelerate launch` in a shell takes none of what",
    ),
    (
        put("workloads/training/pretrain/give_up_on", [1, 2, 3, 137]),
        "members of training job pretrain never end with 3: torchrun ends with 1 whatever",
    ),
    (drop("servers/gpu-03/bond_mac"), "frontend pair cuts gpu-03 off: define servers.<name>.bond_mac"),
])  # fmt: skip
def test_each_is_a_sentence_that_says_what_to_write(change: object, words: str) -> None:
    assert callable(change)
    changed = copy.deepcopy(PROD)
    change(changed)
    (sentence,) = findings(model.load(changed))
    assert words in sentence


@pytest.mark.parametrize("command", [
    ["python", "train.py"],
    ["bash", "-c", "torchrun train.py"],
    ["deepspeed", "--hostfile=/etc/hosts", "--no_ssh", "train.py"],
    ["bash", "-c", "accelerate launch --num_machines $NNODES train.py"],
    ["accelerate", "launch", "train.py"],
])  # fmt: skip
def test_a_command_that_may_know_its_peers_is_nobodys_business(command: list[str]) -> None:
    changed = copy.deepcopy(PROD)
    put("workloads/training/pretrain/command", command)(changed)
    put("workloads/training/pretrain/give_up_on", [1, 2, 127])(changed)
    assert findings(model.load(changed)) == ()


@pytest.mark.parametrize("key, value", [("nodes", 1), ("rendezvous", "own")])
def test_members_that_need_nobody_are_not_called_alone(key: str, value: object) -> None:
    changed = copy.deepcopy(PROD)
    put("workloads/training/pretrain/command", ["deepspeed", "train.py"])(changed)
    put(f"workloads/training/pretrain/{key}", value)(changed)
    assert findings(model.load(changed)) == ()


def test_a_route_below_the_apps_domain_needs_nothing_more() -> None:
    changed = copy.deepcopy(PROD)
    put("workloads/inference/chat/route", {})(changed)
    assert findings(model.load(changed)) == ()


def test_ports_of_a_storage_pair_that_nothing_bonds_are_named() -> None:
    changed = copy.deepcopy(PAIRS)
    assert not [each for each in findings(model.load(copy.deepcopy(changed))) if "storage pair's ports" in each]
    del changed["servers"]["gpu-01"]["storage_macs"], changed["fabric"]["storage"]["vlans"]["nfs"]["hosts"]
    (sentence,) = (each for each in findings(model.load(changed)) if "storage pair's ports" in each)
    assert sentence.startswith("nothing configures the storage pair's ports on gpu-01, and NX-OS suspends")
    assert sentence.endswith("define servers.<name>.storage_macs")


def test_blades_end_no_port_channel_of_the_pair() -> None:
    changed = copy.deepcopy(PROD)
    for server in changed["servers"].values():
        del server["bond_mac"]
    (sentence,) = findings(model.load(changed))
    assert "cuts gpu-01, gpu-02, gpu-03 and 13 more off" in sentence


def test_racks_without_a_budget_are_one_finding() -> None:
    changed = copy.deepcopy(PROD)
    for rack in changed["site"]["racks"].values():
        del rack["power_kw"]
    (sentence,) = findings(model.load(changed))
    assert sentence.startswith("the power of rack r1, r2, r3 and 8 more is not checked")


def test_replicas_that_write_one_volume_are_named() -> None:
    changed = copy.deepcopy(PROD)
    put("storage/volumes", {"weights": {"team": "chat", "storage_class": "datasets", "size_gib": 100}})(changed)
    put("workloads/inference/chat/volumes", {"weights": {"path": "/models"}})(changed)
    (sentence,) = findings(model.load(changed))
    assert sentence == (
        "12 replicas of chat may write the same files of claim weights: set read_only: true at "
        "workloads.inference.chat.volumes"
    )
    put("workloads/inference/chat/volumes/weights/read_only", True)(changed)
    assert findings(model.load(changed)) == ()


def test_a_canary_with_many_requests_that_nobody_watches_is_named() -> None:
    def said(percent: int, **more: object) -> bool:
        stack = copy.deepcopy(LAB)
        put("workloads/inference/chat/route", {"balance": "roundrobin"})(stack)
        image = "registry.example.com/serving/vllm@sha256:" + "9" * 64
        replicas = stack["workloads"]["inference"]["chat"]["replicas"]
        put("workloads/inference/chat/canary", {"image": image, "replicas": replicas, "percent": percent, **more})(
            stack
        )
        found = advisory.findings(model.load(stack))
        return any("define workloads.inference.chat.canary.watch" in each for each in found)

    assert said(11) and said(100)
    assert not said(10) and not said(100, watch={})
