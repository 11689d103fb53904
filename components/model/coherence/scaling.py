"""Services that scale: by metrics that are read and known, between two numbers, no faster than a model loads."""

from collections.abc import Iterator

from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.engines import LOAD_SECONDS
from podwright.components.model.problems import Problem


def _scale(given: InferenceOn) -> Iterator[Problem]:
    job = given.job
    if job.scale is None:
        return
    if job.engine != "vllm":
        message = f"what waits is read of vLLM's metrics, and engine {job.engine} has others"
        yield Problem(("scale",), message, "leave `scale` out, and write the replicas that its peak needs", at_key=True)
    elif not job.metrics:
        yield Problem(("scale",), "nothing reads the server's metrics", "write metrics: true beside it", at_key=True)
    if job.scale.max <= job.replicas:
        message = f"at most {job.scale.max} replicas, and there are {job.replicas} at least"
        yield Problem(("scale", "max"), message, f"write more than {job.replicas}, or leave `scale` out")
    load = LOAD_SECONDS[job.engine] if job.load_seconds is None else job.load_seconds
    if job.scale.stay_seconds is not None and job.scale.stay_seconds < load:
        message = f"a replica goes after {job.scale.stay_seconds} seconds, and its model may take {load} to load"
        hint = f"write {load} or more, or the time that it really takes as load_seconds"
        yield Problem(("scale", "stay_seconds"), message, hint)


INFERENCE = (_scale,)
