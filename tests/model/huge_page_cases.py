"""Huge pages that nothing asks for, that are not reserved, and that are not enough."""

from tests.model.changes import LAB, PROD, both, put

TRAIN, CHAT = "workloads/training/pretrain", "workloads/inference/chat"
RESERVED = both(put("pools/inference/hugepages_gib", 16), put(f"{CHAT}/hugepages_gib", 4))
SMALL = {
    "team": "chat",
    "pool": "training",
    "replicas": 1,
    "image": "registry.example.com/serving/vllm@sha256:" + "0" * 64,
    "model": "small",
    "hugepages_gib": 1,
}
SECOND = both(
    put("pools/training/hugepages_gib", 16),
    put(f"{TRAIN}/hugepages_gib", 16),
    put(f"{TRAIN}/nodes", 5),
    put("openshift/teams/research/gpus", 40),
    put("openshift/teams/chat/gpus", 1),
    put("workloads/inference/small", SMALL),
)

HUGE_PAGES = [
    (PROD, put(f"{TRAIN}/hugepages_gib", 0), "pools.training.hugepages_gib", "no workload asks for them"),
    (LAB, put("pools/inference/hugepages_gib", 8), "pools.inference.hugepages_gib", "on every node of pool inference"),
    (PROD, put(f"{TRAIN}/hugepages_gib", 17), "workloads.training.pretrain.hugepages_gib", "training reserves 16"),
    (LAB, put(f"{CHAT}/hugepages_gib", 1), "workloads.inference.chat.hugepages_gib", "inference reserves 0"),
    (
        LAB,
        both(RESERVED, put(f"{CHAT}/replicas", 5)),
        "workloads.inference.chat.hugepages_gib",
        "room for 4 on 1 node of pool inference with 16 GiB each",
    ),
    (
        PROD,
        put(f"{TRAIN}/memory_gib", 2300),
        "workloads.training.pretrain.memory_gib",
        "2304 GiB, 16 GiB of them huge pages",
    ),
    (LAB, SECOND, "workloads.inference.small.hugepages_gib", "ask for 81 GiB of huge pages, its 5 nodes reserve 80"),
]
