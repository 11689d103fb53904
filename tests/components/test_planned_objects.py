"""The page of fields reads plans without a graph: each has every object that the components make, and no other."""

from typing import Final

import pytest

from podwright.components.model import load
from tests.components.recording import register
from tests.design.with_gateway import with_gateway, with_keys, with_mesh
from tests.design.with_kserve import with_kserve
from tests.design.with_set import with_set
from tests.design.with_tools import with_tools
from tools.cluster_changes import EXAMPLES, planned
from tools.goldens import stack_file

SET: Final = "platform with a JobSet"
TOOLS: Final = "lab with tools of data scientists"
KSERVE: Final = "platform with services that KServe runs"
GATEWAY: Final = "lab with an inference gateway"
KEYED: Final = "lab with clients of an inference gateway"
MESH: Final = "lab with a service mesh"
GUARD: Final = "podwright-no-takeover-"
"""Beginning of what is named after the project and stack."""


@pytest.mark.parametrize("example", [*EXAMPLES, SET, TOOLS, KSERVE, GATEWAY, KEYED, MESH])
def test_a_plan_without_a_graph_has_every_object_of_the_cluster(example: str) -> None:
    own = {SET: with_set, TOOLS: with_tools, KSERVE: with_kserve, GATEWAY: with_gateway, KEYED: with_keys}
    own[MESH] = with_mesh
    cluster = own[example]() if example in own else load(stack_file(example))
    made = {
        f"{each.type.rpartition(':')[2].removesuffix('Patch')} {where.get('namespace', '')}/{where['name']}"
        for each in register(cluster).values()
        if each.type.startswith("kubernetes:")
        for where in [each.inputs["metadata"]]
    }
    known = {name for kind, name in planned(cluster) if kind == "kubernetes"}
    # What measures the fabric is a component of its own, whose plan stands in for its Jobs.
    assert {_named(each) for each in known - {f"FabricAcceptance /{cluster.name}"}} == {_named(each) for each in made}


def _named(name: str) -> str:
    kind, guard, _ = name.partition(GUARD)
    return kind + guard if guard else name
