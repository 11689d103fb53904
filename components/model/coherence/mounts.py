"""Claims that workloads mount: there are such claims, their volumes reach every pod, and no two things share a path."""

from collections import defaultdict
from collections.abc import Iterator
from posixpath import normpath

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.huge_pages import is_second, jobs, pods, running
from podwright.components.model.coherence.references import reference
from podwright.components.model.coherence.workloads import InferenceOn, TrainingOn
from podwright.components.model.mounts import TAKEN, on_disk, within
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.workloads import Inference, Training


def _paths(given: TrainingOn | InferenceOn) -> Iterator[Problem]:
    """Every mount has a path to itself: nothing that a pod has is hidden by another thing of it."""
    earlier: dict[str, str] = {}
    for claim, mount in given.job.volumes.items():
        loc = ("volumes", claim, "path")
        for path, what in TAKEN.items():
            if within(mount.path, path):
                yield Problem(loc, f"{mount.path} is taken: every pod has {what} at {path}", "write another path")
            elif within(path, mount.path):
                message = f"{mount.path} would hide {path}, where every pod has {what}"
                yield Problem(loc, message, "write a path beside it, such as /data")
        for path, other in earlier.items():
            if within(mount.path, path) or within(path, mount.path):
                message = f"{mount.path} is in {path}, where {other} is"
                if within(path, mount.path):
                    message = f"{mount.path} would hide {path}, where {other} is"
                yield Problem(loc, message, "write a path that no other volume is at, in or around")
        earlier.setdefault(mount.path, claim)


def _model(given: InferenceOn) -> Iterator[Problem]:
    """A model that is named by a path is in one of the volumes."""
    model, mounts = given.job.model, given.job.volumes
    if not on_disk(model) or any(within(normpath(model), mount.path) for mount in mounts.values()):
        return
    if not mounts:
        hint = "mount the claim that has it by `volumes`, or write its name on the hub"
        yield Problem(("model",), f"{model} is a path, and the service mounts no volume", hint)
        return
    listed = ", ".join(f"{mount.path} ({claim})" for claim, mount in mounts.items())
    first = next(iter(mounts.values())).path
    message = f"{model} is a path in none of the service's volumes, which are at {listed}"
    yield Problem(("model",), message, f"write a path below one of them, such as {first}/{model.rsplit('/', 1)[-1]}")


def _claims(cluster: Cluster) -> Iterator[Problem]:
    """A workload mounts claims that there are, of its own namespace."""
    known = cluster.storage.volumes
    for loc, job in jobs(cluster):
        own = [name for name, volume in known.items() if volume.team == job.team]
        for name in job.volumes:
            here = (*loc, "volumes", name)
            if name not in known:
                for problem in reference(here, name, own or list(known), "claim", "storage.volumes"):
                    yield Problem(here, problem.message, problem.hint, at_key=True)
            elif known[name].team != job.team:
                message = (
                    f"claim {name} is of team {known[name].team}; pods of team {job.team} mount claims of their own"
                )
                hint = f"known: {', '.join(own)}" if own else f"define one of team {job.team} under storage.volumes"
                yield Problem(here, message, hint, at_key=True)


def _nodes(cluster: Cluster) -> Iterator[Problem]:
    """A volume that one node at a time can have is mounted by one pod: no rule would put a second one beside it.

    https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
    """
    mounting: defaultdict[str, list[tuple[Loc, Training | Inference]]] = defaultdict(list)
    for loc, job in running(cluster):
        for name in job.volumes:
            mounting[name].append((loc, job))
    for name, found in mounting.items():
        volume = cluster.storage.volumes.get(name)
        of = cluster.storage.classes.get(volume.storage_class) if volume else None
        if volume is None or of is None or of.shared:
            continue
        why = f"one node at a time has claim {name}, whose class {volume.storage_class} is not shared"
        for loc, job in found:
            if pods(job) > 1:
                key = "nodes" if isinstance(job, Training) else "replicas"
                fewer = f"write {key}: 1" if isinstance(job, Training) or job.scale is None else "leave `scale` out"
                hint = f"take a claim of a class with `shared: true`, or {fewer}"
                here = loc if is_second(loc) else (*loc, "volumes", name)
                yield Problem(here, f"{why}; {pods(job)} pods mount it", hint, at_key=True)
        if len(found) > 1 and all(pods(job) == 1 for _, job in found):
            names, last = " and ".join("-".join(map(str, loc[2:])) for loc, _ in found), found[-1][0]
            hint = "take a claim of a class with `shared: true`, or one claim for each"
            here = last if is_second(last) else (*last, "volumes", name)
            yield Problem(here, f"{why}; {names} mount it", hint, at_key=True)


TRAINING = (_paths,)
INFERENCE = (_paths, _model)
CLUSTER = (_claims, _nodes)
