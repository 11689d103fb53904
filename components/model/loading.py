"""How long a model may load: what a stack file gives of its size, and how fast its storage is to be read."""

from collections.abc import Mapping
from math import ceil
from typing import Any, Final

from podwright.components.model.catalogue.memory import BYTES

START_SECONDS: Final = 120
"""Until a server begins to read, and from its last weight to its first answer: CUDA, graphs, warm-up."""
PATIENCE: Final = 2
"""Times the reckoned time: other pods read too, and the first one finds nothing cached."""
_LEAST, _MOST = 10, 3600
_BITS: Final = 8


def seconds(service: Mapping[str, Any], gbps: object) -> int | None:
    """Time of a service as a file has it, with as many Gb/s for each of its GPUs; None where it is not to be reckoned:
    the weights' size is not given, or they are downloaded."""
    sizing = service.get("sizing")
    rate, gpus = _amount(gbps), _amount(service.get("gpus", 1))
    if not _reads(service) or not isinstance(sizing, Mapping) or not rate or not gpus:
        return None
    size, width = _amount(sizing.get("parameters_billion")), BYTES.get(sizing.get("precision", "bf16"))
    if not size or width is None:
        return None
    # A replica of slices has one of them at work.
    among = 1 if service.get("slice") else gpus
    gigabits = size * width * _BITS
    return min(_MOST, max(_LEAST, START_SECONDS + ceil(PATIENCE * gigabits / (rate * among))))


def _reads(service: Mapping[str, Any]) -> bool:
    """Whether everything is in a volume already."""
    engine, nim = service.get("engine"), service.get("nim")
    if engine == "nim" and isinstance(nim, Mapping):
        return nim.get("cache") is not None and nim.get("ngc_secret", "") is None
    return bool(engine == "triton")


def _amount(value: object) -> float | None:
    """A positive number, None for anything else."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) if fits and isinstance(value, int | float) else None
