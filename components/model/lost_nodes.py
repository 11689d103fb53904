"""What is defined about nodes that fall silent: when one counts as lost, and how many may be lost at once."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Name, Spec


class LostNodes(Spec):
    """A node that loses its power, its kernel or its network for good no longer keeps its pods: they run elsewhere.

    By Red Hat's Node Health Check and Self Node Remediation Operators: what still runs on such a node is reset by an
    agent on it, and once that is sure to have happened the cluster takes the node out of service. Its pods are deleted
    for good, its volumes detached, and a training job gets a new member on another server of the pool.
    """

    pools: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Pools whose nodes are watched, of three servers or more. **A node of these that is not Ready for so long is
    reset**, whatever runs on it."""
    after_seconds: Annotated[int, Field(ge=240, le=86_400)] = 300
    """Seconds for which a node must be not Ready; 300 is the operators' own. Kubernetes takes 50 s to notice, and the
    agents have two or three minutes beyond it to reset a node that still runs. No less than 240, and ten
    more for each further node of `max_lost`: a node is out of service only until none of its pods is Terminating, and a
    pod that is Terminating later, 300 s after the cluster noticed, would stay. Nodes that restart for the Machine
    Config Operator or a roll-out are left alone however long they take."""
    max_lost: Annotated[int, Field(ge=1, le=32)] = 1
    """Nodes of one pool that may be silent together and still be given up. When more are, it is a rack, a feed or the
    network, and none of them is touched."""
