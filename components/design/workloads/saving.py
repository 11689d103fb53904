"""What the pods of a training job know of its checkpoints, and how long they have to write one when they must go.

kubelet puts variables into a command too: `--output_dir=$(CHECKPOINT_DIR)` needs no shell.
"""

from typing import Final

from podwright.components.model import ENDING_SECONDS, Checkpoints, Training

_ALLOCATOR: Final = "expandable_segments:True"
"""Memory of a GPU that grows in place: a checkpoint's buffers, of another size than a step's, leave no holes
(pytorch/pytorch, docs/source/notes/cuda.rst). torch reads it without CUDA too, and does nothing."""


def grace_seconds(checkpoints: Checkpoints | None) -> int:
    """Seconds from a pod's deletion to SIGKILL."""
    return ENDING_SECONDS if checkpoints is None else checkpoints.grace_seconds


def folder(job: Training) -> str | None:
    """Where they are, as the container finds it; None without checkpoints."""
    if job.checkpoints is None:
        return None
    top = job.volumes[job.checkpoints.volume].path
    return f"{top}/{job.checkpoints.path}" if job.checkpoints.path else top


def variables(job: Training) -> list[dict[str, str]]:
    """Environment of the container. Only with checkpoints: a job's pods cannot change."""
    found, where = job.checkpoints, folder(job)
    if found is None or where is None:
        return []
    values = {
        "CHECKPOINT_DIR": where,
        "CHECKPOINT_EVERY_SECONDS": str(found.every_seconds),
        **({"CHECKPOINT_EVERY_STEPS": str(found.every_steps)} if found.every_steps else {}),
        "CHECKPOINT_KEEP": str(found.keep),
        "CHECKPOINT_SAVE_SECONDS": str(found.save_seconds),
        "PYTORCH_CUDA_ALLOC_CONF": _ALLOCATOR,
    }
    return [{"name": name, "value": value} for name, value in values.items()]
