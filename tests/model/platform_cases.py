"""What nodes run, are brought and are checked by: refused where it could never work."""

from typing import Any

from tests.model.changes import LAB, PROD, both, drop, put

KEY: dict[str, Any] = {
    "controller_image": f"registry.example.com/ubi9/python-312@sha256:{'a' * 64}",
    "dcgm_image": f"registry.example.com/nvidia/dcgm@sha256:{'b' * 64}",
    "nccl_image": f"registry.example.com/nvidia/nccl-tests@sha256:{'c' * 64}",
}
"""Images of `admission`."""
STORAGE, MANAGED = "pools/inference/block_storage", put("openshift/host_network", "managed")
ADMISSION = "pools.inference.admission"
WHOLE = drop("pools/inference/mig")

CASES = [
    (
        LAB,
        put(STORAGE, {"array": "netapp-ontap", "protocols": ["nvme-rdma"]}),
        "pools.inference.block_storage.protocols",
        "has no NVMe over RDMA",
    ),
    (
        LAB,
        put(STORAGE, {"array": "pure-flasharray", "protocols": ["iscsi", "iscsi"]}),
        "pools.inference.block_storage.protocols",
        "a protocol is named twice",
    ),
    (LAB, put("pools/inference/admission", KEY), ADMISSION, "divides them by `mig`"),
    (
        LAB,
        both(
            WHOLE,
            put("pools/inference/mig_gpus", [{"count": 1, "slices": {"1g.18gb": 7}}, {"count": 7}]),
            put("pools/inference/admission", KEY),
        ),
        ADMISSION,
        "divides them by `mig_gpus`",
    ),
    (LAB, MANAGED, "openshift.host_network", "there is no fabric.frontend"),
    (PROD, both(MANAGED, drop("operators")), "openshift.host_network", "there is no operators"),
    (
        PROD,
        both(MANAGED, put("fabric/frontend/ports/gpu-01/vlans", [20, 10])),
        "fabric.frontend.ports.gpu-01.vlans",
        "VLAN 20 is untagged here",
    ),
    (LAB, put("openshift/infrastructure", {"pool": "training"}), "openshift.infrastructure.pool", "is for training"),
]
