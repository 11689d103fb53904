"""A folder that a pod of any user can write: HOME, and the caches of compilers and of the hub.

OpenShift gives a pod the user of its namespace. Without a home of its own such a user has `/`, which it cannot write,
and vLLM, Triton and torch end where they make their caches. It is a folder on the node's disk that goes with the pod:
what is in it counts against the node's ephemeral storage, beyond its size the pod is evicted
(https://kubernetes.io/docs/concepts/storage/volumes/#emptydir).
"""

from typing import Any, Final

from podwright.components.model.mounts import HOME

CACHES_GIB: Final = 8
"""Room for compiled kernels and graphs, of which a server of models keeps hundreds of MiB to a few GiB."""
_CACHE: Final = f"{HOME}/.cache"
_CACHES: Final = {
    "HOME": HOME,
    "XDG_CACHE_HOME": _CACHE,
    "HF_HOME": f"{_CACHE}/huggingface",
    # By default in /tmp, by the user's name, which such a user may not have: torch, _inductor/runtime/cache_dir_utils.
    "TORCHINDUCTOR_CACHE_DIR": f"{_CACHE}/torchinductor",
    "TRITON_CACHE_DIR": f"{_CACHE}/triton",
}
"""The four tools' own variables, in case an image sets them to a folder of its maker's user (huggingface/
huggingface_hub, constants.py; pytorch, torch/_inductor/runtime/cache_dir_utils.py; triton, runtime/cache.py)."""


def variables(*, serves: bool, offline: bool = False) -> list[dict[str, str]]:
    """Environment of the container. `offline`: nothing is asked of the hub.

    vLLM then takes the model's path as it is (vllm, engine/arg_utils.py and envs.py).
    """
    found = dict(_CACHES)
    if serves:
        found["VLLM_CACHE_ROOT"] = f"{_CACHE}/vllm"
    if offline:
        found["HF_HUB_OFFLINE"] = "1"
    return [{"name": name, "value": value} for name, value in found.items()]


def volume(gib: int) -> dict[str, Any]:
    """The folder and its size."""
    return {"name": "home", "emptyDir": {"sizeLimit": f"{gib}Gi"}}


def mount() -> dict[str, Any]:
    """Where the container finds it."""
    return {"name": "home", "mountPath": HOME}


def requests(gib: int | None) -> dict[str, str]:
    """What the scheduler is asked for, where a size was given.

    Without a limit: log files and what a container writes elsewhere would count against that one too.
    """
    return {} if gib is None else {"ephemeral-storage": f"{gib}Gi"}
