"""Variables of a container in the lab are kubelet's: in order, from the pod's fields, and in the command."""

import pytest

from podwright.lab.openshift.scripts.variables import environment, expanded

INDEX = "batch.kubernetes.io/job-completion-index"
POD = {
    "metadata": {"name": "pretrain-1-x", "namespace": "research", "annotations": {INDEX: "1"}},
    "spec": {"nodeName": "gpu-01"},
}


def test_a_value_refers_to_variables_before_it() -> None:
    rows = [
        {"name": "EARLY", "value": "$(LATE)"},
        {"name": "LATE", "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{INDEX}']"}}},
        {"name": "BOTH", "value": "$(LATE)/$(EARLY)/$$(LATE)/$LATE"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        {"name": "NONE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['none']"}}},
    ]
    assert environment(POD, {"env": rows}) == {
        "EARLY": "$(LATE)", "LATE": "1", "BOTH": "1/$(LATE)/$(LATE)/$LATE", "NODE": "gpu-01", "NONE": "",
    }  # fmt: skip


def test_a_command_refers_to_all_of_them() -> None:
    assert expanded("--rank=$(RANK) $(GONE) $$(RANK) $", {"RANK": "1"}) == "--rank=1 $(GONE) $(RANK) $"


def test_a_field_that_there_is_not_is_no_empty_text() -> None:
    with pytest.raises(KeyError):
        environment(POD, {"env": [{"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "spec.hostname"}}}]})
