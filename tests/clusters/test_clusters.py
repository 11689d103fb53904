"""Clusters of the sizes and kinds that users have are stack files without a problem, and ask for no waiver."""

from pathlib import Path

import pytest

from podwright.components import model
from tests import clusters
from tests.policies.found import found, planned


def test_there_are_twelve_and_three_of_them_are_brought_up() -> None:
    assert (len(clusters.names()), len(clusters.applied())) == (12, 3)


@pytest.mark.parametrize("name", clusters.names())
def test_a_cluster_has_no_problem_and_needs_no_waiver(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"Pulumi.{name}.yaml"
    file.write_text(clusters.text(name))
    cluster = model.load(file)
    assert cluster.waivers == ()
    assert found(planned(cluster)) == set()
