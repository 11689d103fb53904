"""The lab's stack with tools of data scientists. No example has them: their controllers tolerate no pool's taint."""

import copy

from podwright.components.model import Cluster
from tests.model.changes import LAB, Said
from tests.model.data_science_cases import tools


def with_tools() -> Cluster:
    """Workbenches on its inference pool, and MLflow."""
    written: Said = copy.deepcopy(LAB)
    tools()(written)
    return Cluster.model_validate(written)
