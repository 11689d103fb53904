"""The platform example with services that KServe runs."""

from podwright.components.model import Cluster, load
from tools.generated import ROOT

FILE = ROOT / "tests/examples/platform/Pulumi.kserve.yaml"


def with_kserve() -> Cluster:
    """Two of them: one of vLLM with a Route, one of Triton whose metrics are read."""
    return load(FILE)
