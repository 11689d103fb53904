"""OpenShift's own routers, image registry and monitoring: which pool has them."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Name, Spec


class Infrastructure(Spec):
    """OpenShift's routers, image registry and monitoring on the nodes of one pool, and nothing else there.

    Nodes that run these alone need no subscription of OpenShift; a node that runs any other pod does. Without it they
    run on whatever worker has no taint, and wait where every pool has one.
    """

    pool: Name
    """A pool of purpose infrastructure, of two servers or more: two routers, or two Prometheus, share no node."""
    routers: Annotated[int, Field(ge=2, le=16)] = 2
    """Routers of the default IngressController, each on a node of its own: it takes the host's ports 80 and 443."""
