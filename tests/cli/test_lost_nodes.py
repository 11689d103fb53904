"""What `podwright check` prints of nodes that are given up."""

from podwright.cli import summary
from podwright.components.design import fabric
from podwright.components.model import load
from tools.generated import ROOT

PLATFORM = ROOT / "tests/examples/platform/Pulumi.platform.yaml"


def test_the_summary_has_when_and_how_many_nodes_of_a_pool_are_given_up() -> None:
    cluster = load(PLATFORM)
    rows = dict(summary.rows(cluster, fabric.plan(cluster.network)))
    assert rows["lost nodes training"] == "reset and given up when not Ready for 300 s, 1 node at once at most"
    assert not {name for name in rows if name.startswith("lost nodes")} - {"lost nodes training"}
