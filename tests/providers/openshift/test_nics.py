"""NicDevices compared with the class: which rail is out of it, and why, in one phrase."""

from typing import Any

import pytest

from podwright.components.providers.openshift import nics
from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.pools.readiness import _lacking

TEMPLATE: dict[str, Any] = {"numVfs": 1, "roceOptimized": {"enabled": True, "qos": {"trust": "dscp", "tos": 106}}}
EXPECTED = {"rails": {"0": ["0000:10:00.0"], "1": ["0000:20:00.0", "0000:21:00.0"]}, "template": TEMPLATE}
DONE = {"type": "ConfigUpdateInProgress", "status": "False", "reason": "UpdateSuccessful", "observedGeneration": 2}


def device(pci: str, template: Any = None, node: str = "gpu-01", **row: Any) -> dict[str, Any]:
    asked = {**(TEMPLATE if template is None else template), "force": False}
    return {
        "metadata": {"name": f"{node}-{pci}", "generation": 2},
        "spec": {"configuration": {"template": asked}} if template != {} else {},
        "status": {"node": node, "ports": [{"pci": pci}], "conditions": [{**DONE, **row}]},
    }


def found(*devices: dict[str, Any]) -> list[str]:
    return list(nics.unset("gpu-01", devices, EXPECTED))


def test_rails_in_the_class_are_not_named() -> None:
    """The API server adds defaults of the schema; a pool of two models has either address."""
    assert found(device("0000:10:00.0"), device("0000:21:00.0"), device("0000:20:00.0", {}, node="gpu-02")) == []


def test_a_card_with_two_ports_carries_two_rails() -> None:
    card = device("0000:10:00.0")
    card["status"]["ports"].append({"pci": "0000:20:00.0"})
    assert found(card) == []


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (None, "no NicDevice shows rail 1 of gpu-01 (0000:20:00.0 or 0000:21:00.0)"),
        (device("0000:20:00.0", {}), "rail 1 on gpu-01 is given no settings: no NicConfigurationTemplate selects it"),
        (device("0000:20:00.0", {**TEMPLATE, "numVfs": 2}), "rail 1 on gpu-01 is given other settings than planned"),
        (
            device("0000:20:00.0", {"numVfs": 1, "roceOptimized": {"enabled": True}}),
            "rail 1 on gpu-01 is given other settings than planned",
        ),
        (device("0000:20:00.0", observedGeneration=1), "has settings that its daemon has not seen yet"),
        (device("0000:20:00.0", status="True", reason="PendingReboot"), "is not configured: PendingReboot"),
        (
            device("0000:20:00.0", reason="IncorrectSpec", message="Parameter X unsupported"),
            "is not configured: IncorrectSpec, Parameter X unsupported",
        ),
    ],
)
def test_a_rail_out_of_the_class_is_named_with_its_reason(second: dict[str, Any] | None, words: str) -> None:
    (phrase,) = found(device("0000:10:00.0"), *([second] if second else []))
    assert words in phrase


def test_a_pool_waits_for_its_nics_and_for_the_label() -> None:
    ready = [{"type": "Ready", "status": "True"}]
    node: dict[str, Any] = {
        "metadata": {"name": "gpu-01", "labels": {nics.WAIT: "true"}},
        "status": {"conditions": ready},
    }
    spec = {"pool": "training", "nodes": ["gpu-01"], "resources": {}, "nics": EXPECTED}
    devices = {each["metadata"]["name"]: each for each in (device("0000:10:00.0"), device("0000:20:00.0"))}
    assert list(_lacking(spec, Survey({"gpu-01": node}, {}, {}, {}, devices))) == [
        "gpu-01 waits for its NICs' settings"
    ]
    node["metadata"]["labels"][nics.WAIT] = "false"
    assert list(_lacking(spec, Survey({"gpu-01": node}, {}, {}, {}, devices))) == []
    assert len(list(_lacking(spec, Survey({"gpu-01": node}, {}, {}, {}, {})))) == 2


def test_a_node_that_the_maintenance_operator_took_is_named_with_the_one_who_asked() -> None:
    node = {"metadata": {"name": "gpu-01"}, "spec": {"unschedulable": True}}
    request: dict[str, Any] = {
        "metadata": {"name": "nic-gpu-01", "namespace": "nvidia-network-operator"},
        "spec": {"nodeName": "gpu-01", "requestorID": "configuration.nic.mellanox.com"},
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Draining"}]},
    }
    cordon = Survey({"gpu-01": node}, {}, {}, {"nic-gpu-01": request}).cordon("gpu-01", "training")
    assert cordon is not None
    assert cordon.by == "the Maintenance Operator for configuration.nic.mellanox.com, which is at Draining"
    assert "oc describe nodemaintenance nic-gpu-01 -n nvidia-network-operator" in cordon.advice
    assert not cordon.forgotten
    request["status"]["conditions"][0]["reason"] = "Pending"
    waiting = Survey({"gpu-01": node}, {}, {}, {"nic-gpu-01": request}).cordon("gpu-01", "training")
    assert waiting is not None
    assert "Maintenance" not in waiting.by
