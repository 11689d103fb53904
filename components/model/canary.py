"""What is defined about a second version of a service, beside the first one: what is new in it, and its share.

Shares are weights of an OpenShift Route, from 0 to 256 (openshift/api, route/v1). The router divides a Service's weight
among its ready replicas, scales so that the largest is 256, and cuts fractions off, but nothing below 1
(openshift/router, pkg/router/template/router.go, calculateServiceWeights).
"""

from typing import Annotated, Final

from pydantic import Field

from podwright.components.model.sizing import Sizing
from podwright.components.model.types import Image, Spec

SUFFIX: Final = "-canary"
"""Ends the names of its objects."""
_LARGEST: Final = 256


class Canary(Spec):
    """A second version of a service: replicas of their own beside the first version's, on the same pool, and a share of
    the requests that come by its Route. What stands here is new in it; everything else is as the first version has it.
    """

    percent: Annotated[int, Field(ge=0, le=100)]
    """Requests of a hundred that it gets of those that come by the Route, once all of its replicas are ready. 0: none,
    it stands ready. 100: all, and the first version stands ready."""
    replicas: Annotated[int, Field(ge=1, le=512)]
    """Its replicas; they take GPUs beside the first version's."""
    image: Image | None = None
    """Its serving image, pinned by digest. Null: the first version's."""
    model: str | None = None
    """Model that it loads. Clients call it as they call the first version's. Null: the first version's."""
    sizing: Sizing | None = None
    """What its model takes of its GPUs' memory, and for how many requests. Null: as the first version's."""
    load_seconds: Annotated[int, Field(ge=10, le=3600)] | None = None
    """Time its model may take to load. Null: as the first version's."""


def weights(percent: int) -> tuple[int, int]:
    """Weights of the first and the second version in the Route."""
    return 100 - percent, percent


def share(percent: int, first: int, second: int) -> float:
    """Requests of a hundred that the second version really gets, with so many ready replicas of each."""
    parts = [weight / count for weight, count in zip(weights(percent), (first, second), strict=True)]
    scaled = [max(1, int(each * _LARGEST / max(parts))) if each else 0 for each in parts]
    return 100 * scaled[1] * second / (scaled[0] * first + scaled[1] * second)
