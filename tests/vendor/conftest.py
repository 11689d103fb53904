"""The rack of the lab's own tests."""

from tests.lab.openshift.conftest import cluster, rack

__all__ = ["cluster", "rack"]
