"""Variables of a workload's container that have their value from a Secret, and those that are no Secret's."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import StringConstraints

from podwright.components.model.gateway import SecretObject
from podwright.components.model.types import Spec, Words

_HOME: Final = "podwright sets it for HOME and caches"
_MEET: Final = "podwright sets it for where members meet"
_SAVED: Final = "podwright sets it for checkpoints"
_NIM: Final = "podwright sets it for a NIM"
_KUBELET: Final = "kubelet sets it"
TAKEN: Final[Mapping[str, str]] = {
    "HOME": _HOME,
    "HF_HOME": _HOME,
    "XDG_CACHE_HOME": _HOME,
    "TORCHINDUCTOR_CACHE_DIR": _HOME,
    "TRITON_CACHE_DIR": _HOME,
    "VLLM_CACHE_ROOT": _HOME,
    "OUTLINES_CACHE_DIR": _NIM,
    "HF_HUB_OFFLINE": "podwright sets it where the model is in a volume",
    "PYTORCH_CUDA_ALLOC_CONF": _SAVED,
    "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": _MEET,
    "NNODES": _MEET,
    "NODE_RANK": _MEET,
    "NPROC_PER_NODE": _MEET,
    "WORLD_SIZE": _MEET,
    "RANK": _MEET,
    "LOCAL_RANK": _MEET,
    "JOB_COMPLETION_INDEX": "the controller of Jobs sets it",
    "POD_UID": "podwright sets it for Triton's restricted APIs",
    "HOSTNAME": _KUBELET,
    "CUDA_VISIBLE_DEVICES": "a program sees no other GPUs than it names",
}
"""Variables that some container of a workload has, and who sets them. A later `checkpoints` or `volumes` of the same
workload is not to collide with one, so that all of them are taken in all."""
FAMILIES: Final[Mapping[str, str]] = {
    "NCCL_": "podwright sets what NCCL needs of the rails",
    "PET_": _MEET,
    "MASTER_": _MEET,
    "CHECKPOINT_": _SAVED,
    "NIM_": _NIM,
    "NVIDIA_": "the container's GPUs and driver follow from it",
    "KUBERNETES_": _KUBELET,
}
"""The same by how they begin."""

VariableName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"),
    Words("the name of an environment variable: letters, digits and underscores, such as HF_TOKEN"),
]
"""Name of a variable as every shell takes it (POSIX, Base Definitions, 8.1)."""

SecretKey = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$"),
    Words("a key of a Secret, such as token"),
]
"""Key of a Secret. One that begins with a dot is a login to a registry's."""


class SecretVariable(Spec):
    """Where a variable has its value from."""

    secret: SecretObject
    """Secret of the team's namespace, which the site or the team makes. Its value is in no plan and no state."""
    key: SecretKey | None = None
    """Key of the Secret. Null: the variable's name."""


Secrets = dict[VariableName, SecretVariable]


def owner(variable: str) -> str | None:
    """Who sets a variable; None where a Secret may."""
    family = (who for start, who in FAMILIES.items() if variable.startswith(start))
    return TAKEN.get(variable) or next(family, None)
