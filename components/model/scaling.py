"""What is defined about scaling: how many replicas of a service at most, and what makes there be more of them."""

from typing import Annotated, Final

from pydantic import Field

from podwright.components.model.types import Spec

SHORTEST_STAY: Final = 300
"""Seconds, Kubernetes' own: what an autoscaler looks back over before it takes replicas away
(https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/, stabilization window)."""
LONGEST_STAY: Final = 3600
"""Seconds, the most that Kubernetes takes."""


class Scale(Spec):
    """A service has between `replicas` and `max` replicas, as many as what waits at its servers asks for."""

    max: Annotated[int, Field(ge=2, le=512)]
    """Replicas at most. Its pool must have GPUs or slices for all of them, beside every other service at its own
    most, and its team's quota too."""
    waiting: Annotated[int, Field(ge=1, le=10_000)] = 4
    """Requests that may wait for each replica: where 20 wait there are five replicas by the default of 4."""
    kv_percent: Annotated[int, Field(ge=10, le=100)] = 80
    """Share of their KV cache that replicas use on average: beyond it there are more of them. At 100 requests that run
    are put back to wait."""
    stay_seconds: Annotated[int, Field(ge=10, le=LONGEST_STAY)] | None = None
    """Time for which fewer replicas must have been enough before one goes, then one a minute. At least `load_seconds`:
    a replica that goes sooner is loaded again for the next peak. Null: twice `load_seconds`, at least 300 and at most
    3600."""
