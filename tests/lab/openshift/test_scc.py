"""A SecurityContextConstraints as vendors write it, without the fields that OpenShift fills in itself."""

import pytest

from tests.lab.openshift.rack import Rack

SHAPE = {"workers": ()}
pytestmark = pytest.mark.rough


def test_what_is_left_out_is_filled_in_and_what_is_written_stays(cluster: Rack) -> None:
    cluster.apply({
        "apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints",
        "metadata": {"name": "validation"}, "allowHostIPC": True, "allowedCapabilities": ["IPC_LOCK"],
        "volumes": ["configMap"], "runAsUser": {"type": "RunAsAny"},
    })  # fmt: skip
    found = cluster.get("securitycontextconstraints", "validation")
    assert (found["allowHostIPC"], found["allowHostPID"]) == (True, False)
    assert (found["allowedCapabilities"], found["requiredDropCapabilities"]) == (["IPC_LOCK"], None)
    assert found["priority"] is None
