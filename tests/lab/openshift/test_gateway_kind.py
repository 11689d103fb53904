"""The kind of pools that a stack brings along is the one that upstream publishes."""

import yaml

from podwright.components.design.platform import gateway
from podwright.lab.openshift.binaries import crd_folder


def test_the_kind_of_pools_is_upstreams() -> None:
    """The lab has it out of upstream's Go module, by a hash of the file."""
    published = crd_folder() / "inference.networking.k8s.io_inferencepools.yaml"
    assert gateway.pools() == yaml.safe_load(published.read_text())
