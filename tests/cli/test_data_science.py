"""What `podwright check` prints of data scientists' tools."""

import copy

from podwright.cli import summary
from podwright.components.design import fabric
from podwright.components.model import Cluster
from tests.model.changes import LAB, Said
from tests.model.data_science_cases import tools


def test_the_summary_has_what_is_switched_on_for_whom_and_where() -> None:
    written: Said = copy.deepcopy(LAB)
    tools()(written)
    cluster = Cluster.model_validate(written)
    rows = dict(summary.rows(cluster, fabric.plan(cluster.network)))
    assert rows["data science"] == "workbenches, mlflow for chat, workbenches on inference"
    plain = Cluster.model_validate(LAB)
    assert "data science" not in dict(summary.rows(plain, fabric.plan(plain.network)))
