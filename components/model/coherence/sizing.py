"""Models and the GPUs that serve them: weights, cache and the rest have room in what each replica takes."""

from collections.abc import Iterator
from typing import Final

from podwright.components.model.catalogue import GPUS, Gpu, MigProfile
from podwright.components.model.catalogue.choice import SHARED_BY, Option, budget, choose
from podwright.components.model.catalogue.memory import CAPABILITY, LARGEST, Ask, Need, need
from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.platform import laid_out, parts
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.mounts import on_disk
from podwright.components.model.problems import Problem
from podwright.components.model.sizing import Sizing, asked

_MIB: Final = 1024
_AT: Final = ("sizing", "parameters_billion")


def _shape(given: InferenceOn) -> Iterator[Problem]:
    """A shape is whole, of one kind, and divides among the GPUs of a replica."""
    sizing, gpus = given.job.sizing, given.job.gpus
    if sizing is None:
        return
    own = sizing.shape
    if own is None:
        if sizing.parameters_billion > LARGEST:
            message = f"no shape is assumed for more than {LARGEST:g} billion parameters, which Llama 3.1 405B has"
            yield Problem(_AT, message, "write the model's layers and heads into sizing.shape")
        return
    if own.latent_size is not None and (own.kv_heads is not None or own.head_size is not None):
        message = "attention is latent, or has heads of keys and values"
        yield Problem(("sizing", "shape", "latent_size"), message, "write latent_size, or kv_heads and head_size")
    elif own.latent_size is None and own.head_size is None:
        message = "the cache has no size without the numbers of a head"
        yield Problem(("sizing", "shape"), message, "write head_size, or where attention is latent latent_size")
    if given.job.slice is None and own.heads % gpus:
        fits = [str(each) for each in SHARED_BY if own.heads % each == 0]
        message = f"{own.heads} attention heads do not divide among {gpus} GPUs"
        yield Problem(("gpus",), message, f"write {', '.join(fits[:-1])} or {fits[-1]}" if fits[1:] else "write 1")


def _holds(given: InferenceOn) -> Iterator[Problem]:
    """Every GPU of the pool that a replica may get holds its part of the model."""
    sizing = given.job.sizing
    if sizing is None or next(_shape(given), None) is not None or not laid_out(given.pool, given.servers):
        return
    if any(refused_gpu(server) for server in given.servers.values()):
        return
    for product, profile in _places(given):
        if sizing.precision == "bf16" and product.capability < (least := CAPABILITY["bf16"]):
            capability = ".".join(map(str, product.capability))
            message = f"{product.name} of pool {given.job.pool} has compute capability {capability}, and bf16 takes "
            yield Problem(("sizing", "precision"), f"{message}{'.'.join(map(str, least))}", "write fp16")
        elif (problem := _room(given, sizing, product, profile)) is not None:
            yield problem
            return


def _places(given: InferenceOn) -> list[tuple[Gpu, MigProfile | None]]:
    """Products of the pool, or their slices, that the scheduler may give a replica, the smallest memory first."""
    found: dict[str, tuple[Gpu, MigProfile | None]] = {}
    for server in given.servers.values():
        gpu, divided = GPUS.get(server.gpus or ""), parts(given.pool, server)
        if gpu is None:
            continue
        if given.job.slice is None and divided.whole:
            found[gpu.name] = gpu, None
        elif given.job.slice in divided.slices and given.job.slice in gpu.mig:
            found[gpu.name] = gpu, gpu.mig[given.job.slice]
    return sorted(found.values(), key=lambda each: budget(*each))


def _room(given: InferenceOn, sizing: Sizing, product: Gpu, profile: MigProfile | None) -> Problem | None:
    """What is wrong where a replica's part has no room."""
    # Slices do not talk to each other: the server of the model takes one of those that its pod has.
    among = 1 if profile is not None else given.job.gpus
    shares = given.pool.sharing.replicas if given.pool.sharing else 1
    ask, have = asked(sizing), budget(product, profile) / shares
    each = need(ask, among)
    if each.total <= have:
        return None
    whole = product.mib / _MIB * (profile.memory / product.memory_slices if profile else 1)
    what = f"a {profile.name} slice of {product.name}" if profile else product.name
    what = f"each of {shares} shares of {what}" if shares > 1 else f"each of {among} {what}" if among > 1 else what
    message = (
        f"{each.weights:.1f} GiB of weights, {each.cache:.1f} of cache for {ask.concurrency} requests of {ask.context} "
        f"tokens and {each.runtime:.1f} besides are {each.total:.1f}, and {what} has {have:.1f} of "
        f"{whole / shares:.1f} GiB for them"
    )
    return Problem(_AT, message, _instead(ask, each, have, product))


def _instead(ask: Ask, each: Need, have: float, product: Gpu) -> str:
    """What would do: fewer requests, or more of the same product."""
    fewer = int((have - each.weights - each.runtime) / each.cache * ask.concurrency)
    lower = f"write concurrency: {fewer} at most; " if fewer >= 1 else ""
    options, _ = choose(ask, [product.name])
    return lower + (_taken(options[0]) if options else f"no {product.name} of one server hold so much")


def _taken(option: Option) -> str:
    if option.profile is not None:
        return f"a {option.profile} slice of {option.product} holds it"
    return f"{option.gpus} whole {option.product} hold it" if option.gpus > 1 else f"a whole {option.product} holds it"


def _download(given: InferenceOn) -> Iterator[Problem]:
    """A model of the hub is downloaded into HOME, whose limit evicts the pod."""
    job = given.job
    kept = on_disk(job.model) or (job.nim is not None and job.nim.cache is not None)
    if job.sizing is None or job.home_gib is None or kept or next(_shape(given), None) is not None:
        return
    weights = need(asked(job.sizing), 1).weights
    if weights > job.home_gib:
        message = f"{weights:.1f} GiB of weights are downloaded into HOME, which has {job.home_gib}"
        yield Problem(("home_gib",), message, f"write {int(weights) + 8} or more, or mount a volume that has the model")


INFERENCE = (_shape, _holds, _download)
