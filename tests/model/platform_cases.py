"""What nodes run, are brought and are checked by: refused where it could never work."""

from typing import Any

from tests.model.alert_cases import CASES as ALERTS
from tests.model.canary_cases import CANARIES
from tests.model.changes import LAB, PROD, both, drop, put
from tests.model.data_science_cases import CASES as DATA_SCIENCE
from tests.model.elastic_cases import CASES as ELASTIC
from tests.model.gateway_cases import CASES as GATEWAY
from tests.model.lost_node_cases import CASES as LOST_NODES
from tests.model.mesh_cases import CASES as MESH
from tests.model.name_cases import CASES as NAMES
from tests.model.route_cases import CASES as ROUTES
from tests.model.sliced_cases import CASES as SLICED
from tests.model.store_cases import CASES as STORES
from tests.model.team_cases import CASES as TEAMS
from tests.model.tenant_cases import CASES as TENANTS
from tests.model.train_job_cases import CASES as TRAIN_JOBS

KEY: dict[str, Any] = {
    "controller_image": f"registry.example.com/ubi9/python-312@sha256:{'a' * 64}",
    "dcgm_image": f"registry.example.com/nvidia/dcgm@sha256:{'b' * 64}",
    "nccl_image": f"registry.example.com/nvidia/nccl-tests@sha256:{'c' * 64}",
}
"""Images of `admission`."""
STORAGE, MANAGED = "pools/inference/block_storage", put("openshift/host_network", "managed")
ADMISSION, ADMITTED = "pools.inference.admission", "pools/inference/admission"
PLAIN = {name: image for name, image in KEY.items() if name != "nccl_image"}
TURNS = {"mode": "time-slicing", "replicas": 4, "reason": "one project, the same data"}
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
    (LAB, put(ADMITTED, KEY), f"{ADMISSION}.nccl_image", "no MIG slice reaches another one"),
    (LAB, put(ADMITTED, {**PLAIN, "bus_gbytes": 15}), f"{ADMISSION}.bus_gbytes", "no all-reduce runs on nodes of pool"),
    (
        LAB,
        put(ADMITTED, {**PLAIN, "straggler_percent": 90}),
        f"{ADMISSION}.straggler_percent",
        "no all-reduce runs on nodes of pool inference: their GPUs are divided",
    ),
    (LAB, put(ADMITTED, {**PLAIN, "diagnostics": 1}), f"{ADMISSION}.diagnostics", "none runs on a part of a GPU"),
    (
        LAB,
        both(WHOLE, put("pools/inference/sharing", TURNS), put(ADMITTED, {**PLAIN, "diagnostics": 2})),
        f"{ADMISSION}.diagnostics",
        "above level 1 diagnostics load a GPU",
    ),
    (
        LAB,
        both(WHOLE, put("pools/inference/sharing", {"mode": "mps", "replicas": 4}), put(ADMITTED, KEY)),
        f"{ADMISSION}.nccl_image",
        "a container has one share",
    ),
    (
        LAB,
        both(
            WHOLE,
            put("pools/inference/sharing", {"mode": "mps", "replicas": 4}),
            put(ADMITTED, {**PLAIN, "diagnostics": 1}),
        ),
        f"{ADMISSION}.diagnostics",
        "MPS holds their GPUs in exclusive mode",
    ),
    (
        LAB,
        both(
            WHOLE,
            put("pools/inference/mig_gpus", [{"count": 7, "slices": {"1g.18gb": 7}}, {"count": 1}]),
            put(ADMITTED, {**KEY, "diagnostics": 3}),
        ),
        f"{ADMISSION}.nccl_image",
        "one of their GPUs stays whole, and has no other to exchange with",
    ),
    (LAB, both(WHOLE, put(ADMITTED, PLAIN)), ADMISSION, "an all-reduce over the whole GPUs of a node is measured"),
    (LAB, MANAGED, "openshift.host_network", "there is no fabric.frontend"),
    (PROD, both(MANAGED, drop("operators")), "openshift.host_network", "there is no operators"),
    (
        PROD,
        both(MANAGED, put("fabric/frontend/ports/gpu-01/vlans", [20, 10])),
        "fabric.frontend.ports.gpu-01.vlans",
        "VLAN 20 is untagged here",
    ),
    (LAB, put("openshift/infrastructure", {"pool": "training"}), "openshift.infrastructure.pool", "is for training"),
    *ROUTES,
    *CANARIES,
    *GATEWAY,
    *MESH,
    *NAMES,
    *LOST_NODES,
    *DATA_SCIENCE,
    *TRAIN_JOBS,
    *ELASTIC,
    *STORES,
    *SLICED,
    *TEAMS,
    *TENANTS,
    *ALERTS,
]
