"""What an engine needs of its service: Triton a repository in a volume and ports, a NIM its GPUs and its key."""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.references import reference
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.engines import TRITON_PORTS, Nim, divided_among
from podwright.components.model.mounts import on_disk
from podwright.components.model.problems import Problem


def _sections(given: InferenceOn) -> Iterator[Problem]:
    """A section of an engine is read by that engine alone."""
    for engine in ("triton", "nim"):
        if getattr(given.job, engine) is not None and given.job.engine != engine:
            message = f"engine {given.job.engine} does not read it"
            yield Problem((engine,), message, f"write engine: {engine}, or leave {engine} out", at_key=True)


def _triton(given: InferenceOn) -> Iterator[Problem]:
    job = given.job
    if job.engine != "triton":
        return
    if not on_disk(job.model):
        message = f"Triton serves a repository of models from a path, and {job.model} is a name on the hub"
        yield Problem(("model",), message, "mount the claim that has it by `volumes`, and write its path there")
    if job.served_name is not None:
        message = "Triton's models are called as their folders in the repository"
        yield Problem(("served_name",), message, "leave it out, or rename the folder")
    for what, port in TRITON_PORTS.items():
        if job.port == port:
            yield Problem(("port",), f"port {port} is Triton's for {what}", "write another one, such as 8000")
    names = job.triton.models if job.triton else ()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        yield Problem(("triton", "models"), f"{', '.join(twice)} is named twice", "name it once")


def _nim(given: InferenceOn) -> Iterator[Problem]:
    job = given.job
    if job.engine != "nim":
        return
    if on_disk(job.model):
        message = f"a NIM's image names its model, and {job.model} is a path"
        hint = "write the name that clients call it, such as meta/llama-3.1-8b-instruct, or take engine vllm"
        yield Problem(("model",), message, hint)
    if given.pool.sharing is not None:
        message = f"a NIM takes most of a GPU's memory, and pool {job.pool} gives it a share of one"
        yield Problem(("pool",), message, "take a pool without `sharing`, or its MIG slices")
    found = job.nim or Nim()
    if found.cache is not None and found.cache not in job.volumes:
        yield from reference(("nim", "cache"), found.cache, tuple(job.volumes), "volume of the service", "volumes")
    among = divided_among(found.profile) if found.profile else None
    have = 1 if job.slice else job.gpus
    if among is not None and among != have:
        message = f"profile {found.profile} takes {among} GPUs, and a replica has {have}"
        hint = f"write gpus: {among}, or the profile of {have}" if not job.slice else "take a profile of one"
        yield Problem(("nim", "profile"), message, hint)


def _slices(given: InferenceOn) -> Iterator[Problem]:
    """A process sees one MIG slice of those that its container has
    (https://docs.nvidia.com/datacenter/tesla/mig-user-guide/, CUDA device enumeration)."""
    job = given.job
    if job.engine != "vllm" and job.slice is not None and job.gpus > 1:
        message = f"{job.gpus} slices asked, and a server sees one of them"
        yield Problem(("gpus",), message, "write 1, and more replicas")


def _apart(cluster: Cluster) -> Iterator[Problem]:
    """Nothing of a disconnected site reaches NVIDIA's catalogue."""
    if cluster.openshift is None or cluster.openshift.mirror is None:
        return
    for name, service in cluster.workloads.inference.items():
        if service.engine != "nim":
            continue
        found, loc = service.nim or Nim(), ("workloads", "inference", name)
        if found.cache is None:
            message = "a NIM downloads its model from NVIDIA's catalogue, which a disconnected site does not reach"
            hint = "fill a claim by `download-to-cache` elsewhere, mount it by `volumes`, and name it as nim.cache"
            yield Problem((*loc, "nim"), message, hint)
        elif found.ngc_secret is not None:
            message = "with a key a NIM logs in to NVIDIA's catalogue, which a disconnected site does not reach"
            yield Problem((*loc, "nim"), message, "write ngc_secret: null; the cache has everything")


INFERENCE = (_sections, _triton, _nim, _slices)
CLUSTER = (_apart,)
