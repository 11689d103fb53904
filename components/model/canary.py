"""What is defined about a second version of a service, beside the first one: what is new in it, and its share.

Shares are weights of an OpenShift Route, from 0 to 256 (openshift/api, route/v1). The router divides a Service's weight
among its ready replicas, scales so that the largest is 256, and cuts fractions off, but nothing below 1
(openshift/router, pkg/router/template/router.go, calculateServiceWeights).
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from podwright.components.model.sizing import Sizing
from podwright.components.model.types import Image, Spec

SUFFIX: Final = "-canary"
"""Ends the names of its objects."""
_LARGEST: Final = 256


class Watch(Spec):
    """How long `up` watches a second version after it has got a larger share, and what it is worse than. Then the Route
    has its former share again, and `up` fails with the numbers.

    Requests are those that came by the Route, as OpenShift's router counts them
    (`haproxy_server_http_responses_total` and its neighbours; openshift/router, pkg/router/metrics/haproxy).
    """

    minutes: Annotated[int, Field(ge=2, le=240)] = 10
    """Minutes that `up` watches. Prometheus reads the router every 30 seconds
    (openshift/cluster-ingress-operator, pkg/operator/controller/ingress/monitoring.go)."""
    errors_percent: Annotated[float, Field(ge=0, lt=100)] = 1.0
    """Requests of a hundred that may fail: answered with 5xx, or not at all. The usual limit of Flagger's examples
    (docs.flagger.app, request-success-rate min: 99)."""
    requests: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    """Requests from which on their share of failures says something. Below, how it answers is not known."""
    restarts: Annotated[int, Field(ge=0, le=100)] = 0
    """Restarts of its containers within the watch."""
    unready_seconds: Annotated[int, Field(ge=10, le=3600)] = 60
    """Seconds for which not all of its replicas may be ready."""
    unknown: Literal["return", "stay"] = "return"
    """What follows where too few requests came, or monitoring could not be read. return: the former share, as Flagger
    has it after its threshold (fluxcd/flagger, pkg/controller/scheduler_metrics.go). stay: it keeps its share, with a
    warning; so does a version that came with its Route, which has no former share."""


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
    watch: Watch | None = None
    """How `up` watches it after a larger share, and takes the share back. Null: nobody watches."""


def weights(percent: int) -> tuple[int, int]:
    """Weights of the first and the second version in the Route."""
    return 100 - percent, percent


def share(percent: int, first: int, second: int) -> float:
    """Requests of a hundred that the second version really gets, with so many ready replicas of each."""
    parts = [weight / count for weight, count in zip(weights(percent), (first, second), strict=True)]
    scaled = [max(1, int(each * _LARGEST / max(parts))) if each else 0 for each in parts]
    return 100 * scaled[1] * second / (scaled[0] * first + scaled[1] * second)
