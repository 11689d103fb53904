"""What `podwright check` prints of queues."""

from podwright.cli import summary
from podwright.components.design import fabric
from podwright.components.model import load
from tools.generated import ROOT

PLATFORM = ROOT / "tests/examples/platform/Pulumi.platform.yaml"


def test_the_summary_has_each_teams_gpus_and_that_teams_borrow() -> None:
    cluster = load(PLATFORM)
    rows = dict(summary.rows(cluster, fabric.plan(cluster.network)))
    assert rows["queues training"] == (
        "GPUs: research 24 (lends 16, weight 2), vision 16 (borrows 16); teams borrow what others leave idle, by weight"
    )
