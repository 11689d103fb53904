"""How long a server of models is waited for: while it loads, while it drains, and while it ends."""

from math import ceil
from typing import Final

from podwright.components.model import LOAD_SECONDS, Inference

PROBE_SECONDS: Final = 10
DRAIN_SECONDS: Final = 15
"""Time a terminating replica goes on serving until no endpoint points at it."""
FINISH_SECONDS: Final = 120
"""Time requests in flight have to end after that."""
_READY_SECONDS: Final = 600
"""Time beyond a load until a replica is there: a node is found, the image pulled, a volume mounted."""


def load_seconds(inference: Inference) -> int:
    """Time the model may take to load."""
    given = inference.load_seconds
    return LOAD_SECONDS[inference.engine] if given is None else given


def probes(inference: Inference) -> int:
    """Probes that may fail while the model loads."""
    return ceil(load_seconds(inference) / PROBE_SECONDS)


def deadline(inference: Inference) -> int:
    """Seconds until a replica that is not there counts as failed."""
    return load_seconds(inference) + _READY_SECONDS
