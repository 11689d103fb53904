"""What is asked of the GPU driver: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put
from tests.model.mirror_cases import MIRRORED

DIRECT = put("operators/gpu_direct", "dma-buf")

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        LAB,
        both(DIRECT, put("operators/gpu_driver", "470.256.02")),
        "operators.gpu_driver",
        "DMA-BUF needs the open kernel modules of branch 515 or later",
    ),
    (
        LAB,
        both(put("operators/gds", True), put("operators/gpu_driver", "525.147.05")),
        "operators.gpu_driver",
        "GPUDirect Storage needs the open kernel modules of branch 535 or later",
    ),
    (
        LAB,
        both(DIRECT, put("pools/training/gpu_driver", "470.256.02")),
        "pools.training.gpu_driver",
        "DMA-BUF needs the open kernel modules of branch 515 or later, and gpu_driver is 470.256.02",
    ),
    (
        LAB,
        both(MIRRORED, put("pools/inference/gpu_driver", "580.95.05")),
        "pools.inference.gpu_driver",
        "driver 580.95.05 is pulled by a tag",
    ),
    (
        LAB,
        both(drop("operators"), put("pools/inference/gpu_driver", "580.95.05")),
        "pools.inference.gpu_driver",
        "the file has no operators",
    ),
    (
        LAB,
        both(
            put("pools/cpu", {"purpose": "cpu", "gpu_driver": "580.95.05"}),
            put("servers/inf-01/pool", "cpu"),
            drop("servers/inf-01/gpus"),
            drop("workloads/inference"),
            drop("openshift/teams/chat/slices"),
        ),
        "pools.cpu.gpu_driver",
        "no server of pool cpu has a GPU to drive",
    ),
    (LAB, both(MIRRORED, put("operators/gds", True)), "operators.gds", "nvidia-fs is pulled by a tag"),
]
