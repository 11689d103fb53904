"""The lab's stack with its service behind an inference gateway. Its own pools have taints, so that it has one more."""

import copy

from podwright.components.model import Cluster
from tests.model.changes import LAB, Said
from tests.model.gateway_cases import BEHIND


def with_gateway() -> Cluster:
    """The gateway, and `chat` behind it."""
    written: Said = copy.deepcopy(LAB)
    BEHIND(written)
    return Cluster.model_validate(written)
