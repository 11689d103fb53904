"""Tools of data scientists in the graph: the initialization, components, then sizes; behind all operators."""

import copy

from podwright.components.model import Cluster
from tests.components.recording import register
from tests.components.test_graph import all_before, named, of
from tests.model.changes import LAB, Said
from tests.model.data_science_cases import tools

KINDS = (
    "kubernetes:dscinitialization.opendatahub.io/v2:DSCInitialization",
    "kubernetes:datasciencecluster.opendatahub.io/v2:DataScienceCluster",
    "kubernetes:infrastructure.opendatahub.io/v1:HardwareProfile",
)


def test_components_come_behind_the_initialization_and_sizes_behind_both() -> None:
    written: Said = copy.deepcopy(LAB)
    tools()(written)
    seen = register(Cluster.model_validate(written))
    installed = named(seen, "data-science-install")
    (first,), (second,), (size,) = (of(seen, each) for each in KINDS)
    for before, after in ((installed, first), (first, second), (second, size)):
        assert all_before(seen, after, [before])
    assert all_before(seen, installed, of(seen, "kubernetes:nvidia.com/v1:ClusterPolicy"))
    space = next(each for each in of(seen, "kubernetes:core/v1:Namespace") if each.inputs["metadata"]["name"] == "chat")
    assert space.inputs["metadata"]["labels"]["opendatahub.io/dashboard"] == "true"
    world = next(each for each in seen.values() if each.type == "podwright:index:World")
    assert "rhods-operator" in world.inputs["spec"]["contents"]["operators"]
