"""Checkpoints that could never be written, or that two jobs would take for their own."""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.workloads import TrainingOn
from podwright.components.model.mounts import within
from podwright.components.model.problems import Problem
from podwright.components.model.workloads import Training


def _written(given: TrainingOn) -> Iterator[Problem]:
    """They are on a claim that the pods mount, and may write."""
    job, found = given.job, given.job.checkpoints
    if found is None:
        return
    mount = job.volumes.get(found.volume)
    if mount is None:
        where = "`volumes` is empty" if not job.volumes else f"mounted: {', '.join(job.volumes)}"
        hint = f"add {found.volume}: {{path: /checkpoints}} to the job's volumes; {where}"
        yield Problem(("checkpoints", "volume"), f"the job does not mount claim {found.volume}", hint)
    elif mount.read_only:
        message = f"the job mounts claim {found.volume} read only, and writes its checkpoints there"
        hint = f"remove read_only at volumes.{found.volume}, or take another claim"
        yield Problem(("checkpoints", "volume"), message, hint)
    if found.every_seconds <= found.save_seconds:
        message = f"a checkpoint every {found.every_seconds} s, and writing one may take {found.save_seconds} s"
        yield Problem(("checkpoints", "every_seconds"), message, f"write more than {found.save_seconds}")


def place(job: Training) -> str | None:
    """Folder of its claim, from the claim's root; None where nothing is written."""
    found = job.checkpoints
    mount = job.volumes.get(found.volume) if found else None
    if found is None or mount is None:
        return None
    return "/".join(part for part in ("", mount.sub_path, found.path) if part is not None)


def _apart(cluster: Cluster) -> Iterator[Problem]:
    """No job starts from another one's checkpoint, nor deletes it as one too many."""
    earlier: list[tuple[str, str, str]] = []
    for name, job in cluster.workloads.training.items():
        found, where = job.checkpoints, place(job)
        if found is None or where is None:
            continue
        for other, volume, folder in earlier:
            if volume == found.volume and (within(where, folder) or within(folder, where)):
                message = f"job {other} writes its checkpoints to {folder or '/'} of claim {volume} too"
                hint = f"write a folder of its own, such as path: {name}"
                yield Problem(("workloads", "training", name, "checkpoints"), message, hint, at_key=True)
        earlier.append((name, found.volume, where))


TRAINING = (_written,)
CLUSTER = (_apart,)
