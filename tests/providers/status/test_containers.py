"""A container that does not come up is named with why, although its pod is Running to Kubernetes."""

from typing import Any

import pytest

from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.verdict import Expected

LAST = "E failed to load 'rank': no version\nerror: creating server: Internal - failed to load all models\n"


def _verdict(
    phase: str, reason: str, message: str = "", last: dict[str, Any] | None = None, **meta: str
) -> tuple[str, str]:
    row: dict[str, Any] = {
        "name": "serve",
        "restartCount": 3,
        "state": {"waiting": {"reason": reason, "message": message}},
    }
    row |= {"lastState": {"terminated": last}} if last else {}
    pod = {
        "metadata": {"name": "ranking-1", "namespace": "chat", **meta},
        "spec": {"nodeName": "inf-01", "containers": []},
        "status": {"phase": phase, "containerStatuses": [row]},
    }
    found = diagnose(Snapshot({"Pod": (pod,)}), [Expected("Deployment", "chat", "ranking", 1)])
    (verdict,) = (each for each in found if each.name == "ranking-1")
    return verdict.state, verdict.reason


def test_a_secret_that_is_not_there_is_named() -> None:
    found = _verdict("Pending", "CreateContainerConfigError", 'secret "ngc-api" not found')
    assert found == ("CreateContainerConfigError", 'container serve: secret "ngc-api" not found')


def test_a_key_that_its_secret_has_not_is_named() -> None:
    """As kubelet has it: kubernetes/kubernetes, pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables."""
    found = _verdict("Pending", "CreateContainerConfigError", "couldn't find key token in Secret chat/hub")
    assert found == ("CreateContainerConfigError", "container serve: couldn't find key token in Secret chat/hub")


@pytest.mark.parametrize("phase", ["Running", "Pending"])
def test_a_container_that_ends_again_and_again_is_named_with_its_last_words(phase: str) -> None:
    state, reason = _verdict(phase, "CrashLoopBackOff", "back-off 40s", {"exitCode": 1, "message": LAST})
    assert state == "CrashLoopBackOff"
    assert reason.startswith("container serve has ended 3 times, with exit code 1: error: creating server: Internal")
    silent = _verdict(phase, "CrashLoopBackOff", "back-off 40s", {"exitCode": 137})
    assert silent[1] == "container serve has ended 3 times, with exit code 137"


def test_a_container_that_is_being_made_or_goes_is_no_fault() -> None:
    assert _verdict("Pending", "ContainerCreating")[0] == "Pending"
    assert _verdict("Running", "CrashLoopBackOff", deletionTimestamp="2026-11-26T12:00:00Z")[0] == "Running"


def test_an_image_that_a_node_refuses_is_the_reason_before_any_other() -> None:
    refusal = "SignatureValidationFailed: Source image rejected: A signature was required, but no signature exists"
    state, reason = _verdict("Pending", "CreateContainerError", refusal)
    assert state == "Pending"
    assert "A signature was required" in reason
