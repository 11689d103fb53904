"""Contradictions of routed host ports: an index without a link, a job on servers that are not alike."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, put

_ROUTED = put("fabric/host_ports", "routed")

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        LAB,
        both(_ROUTED, put("servers/gpu-05/index", 128)),
        "servers.gpu-05.index",
        "index 128 is beyond the last link of a rail, 127",
    ),
    (
        LAB,
        both(
            _ROUTED,
            put("servers/gpu-01/gpus", "NVIDIA-H100-80GB-HBM3"),
            put("servers/gpu-02/gpus", "NVIDIA-H100-80GB-HBM3"),
            put("workloads/training/pretrain/nodes", 4),
        ),
        "workloads.training.pretrain.nodes",
        "pool training has no more than 3 alike",
    ),
]
