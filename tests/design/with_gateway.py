"""The lab's stack with its service behind an inference gateway. Its own pools have taints, so that it has one more."""

import copy

from podwright.components.model import Cluster
from tests.model.changes import LAB, Said, put
from tests.model.gateway_cases import BEHIND, KEYED
from tests.model.mesh_cases import SECTION as MESH


def with_gateway() -> Cluster:
    """The gateway, and `chat` behind it."""
    written: Said = copy.deepcopy(LAB)
    BEHIND(written)
    return Cluster.model_validate(written)


def with_keys() -> Cluster:
    """The same, for clients with keys."""
    written: Said = copy.deepcopy(LAB)
    KEYED(written)
    return Cluster.model_validate(written)


def with_mesh() -> Cluster:
    """The gateway's service and another team's, both in the mesh."""
    written: Said = copy.deepcopy(LAB)
    BEHIND(written)
    put(MESH, {"teams": ["chat", "research"]})(written)
    return Cluster.model_validate(written)
