"""Claims that are not there, reach one node alone or hide what a pod has; models that no volume has."""

from tests.model.changes import LAB, PROD, both, put


def at(path: str) -> dict[str, str]:
    return {"path": path}


TRAIN, CHAT = "workloads/training/pretrain", "workloads/inference/chat"
JOB, SERVICE = "workloads.training.pretrain.volumes", "workloads.inference.chat.volumes"
CLAIM = "storage/volumes/chat-data"
SHARED = put(CLAIM, {"team": "chat", "storage_class": "datasets", "size_gib": 10})
OWN = put(CLAIM, {"team": "chat", "storage_class": "models", "size_gib": 10})
ONE = both(put(f"{CHAT}/replicas", 1), put(f"{CHAT}/volumes", {"chat-data": at("/data")}))
SECOND = both(
    put("workloads/inference/second", {
        "team": "chat", "pool": "inference", "replicas": 1, "slice": "1g.12gb", "model": "second",
        "image": "registry.example.com/serving/vllm@sha256:" + "0" * 64, "volumes": {"chat-data": at("/data")},
    }),
    put("openshift/teams/chat/slices/1g.12gb", 13),
    put("workloads/inference/embed/replicas", 4),
)  # fmt: skip

MOUNTS = [
    (PROD, put(f"{TRAIN}/volumes", {"corpsu": at("/data")}), f"{JOB}.corpsu", 'no claim "corpsu"'),
    (LAB, put(f"{TRAIN}/volumes", {"corpus": at("/data")}), f"{JOB}.corpus", 'no claim "corpus"'),
    (
        PROD,
        put(f"{TRAIN}/volumes", {"chat-models": at("/data")}),
        f"{JOB}.chat-models",
        "claim chat-models is of team chat; pods of team research mount claims of their own",
    ),
    (
        PROD,
        put(f"{CHAT}/volumes", {"chat-models": at("/models")}),
        f"{SERVICE}.chat-models",
        "one node at a time has claim chat-models, whose class models is not shared; 12 pods mount it",
    ),
    (PROD, both(OWN, ONE, SECOND), "workloads.inference.second.volumes.chat-data", "; chat and second mount it"),
    (
        PROD,
        put(f"{TRAIN}/volumes", {"corpus": at("/dev/shm")}),
        f"{JOB}.corpus.path",
        "taken: every pod has shared memory",
    ),
    (
        PROD,
        put(f"{TRAIN}/volumes", {"corpus": at("/home/pod/x")}),
        f"{JOB}.corpus.path",
        "every pod has HOME and caches",
    ),
    (PROD, put(f"{TRAIN}/volumes", {"corpus": at("/home")}), f"{JOB}.corpus.path", "/home would hide /home/pod, where"),
    (
        PROD,
        put(f"{TRAIN}/volumes", {"corpus": at("/data"), "pretrain-checkpoints": at("/data")}),
        f"{JOB}.pretrain-checkpoints.path",
        "/data would hide /data, where corpus is",
    ),
    (
        PROD,
        put(f"{TRAIN}/volumes", {"corpus": at("/data"), "pretrain-checkpoints": at("/data/out")}),
        f"{JOB}.pretrain-checkpoints.path",
        "/data/out is in /data, where corpus is",
    ),
    (PROD, put(f"{CHAT}/model", "/models/a"), "workloads.inference.chat.model", "and the service mounts no volume"),
    (
        PROD,
        both(SHARED, put(f"{CHAT}/volumes", {"chat-data": at("/data")}), put(f"{CHAT}/model", "/database/a")),
        "workloads.inference.chat.model",
        "in none of the service's volumes, which are at /data (chat-data)",
    ),
    (
        PROD,
        both(SHARED, put(f"{CHAT}/volumes", {"chat-data": at("/data")}), put(f"{CHAT}/model", "/data/../etc")),
        "workloads.inference.chat.model",
        "/data/../etc is a path in none of the service's volumes",
    ),
]
