"""Planned alerts on a cluster: taken, read as Prometheus reads them, put back, and refused where they are wrong."""

import copy
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.platform import alerts
from podwright.components.model import Alerts, load
from podwright.lab.openshift.alerting import NAMESPACE, PROGRAM, generated
from podwright.lab.openshift.binaries import programs
from tests.lab.openshift.rack import Rack

SPACE = ("-n", NAMESPACE)


def _planned() -> dict[str, Any]:
    stack = load(Path(__file__).parents[3] / "tests/examples/platform/Pulumi.platform.yaml")
    assert stack.openshift
    section = stack.openshift.model_copy(update={"alerts": Alerts(hot_celsius={"NVIDIA-H200": 85})})
    (made,) = alerts.plan(section, stack.pools, stack.nodes, None)
    return made


def _taken(cluster: Rack, name: str) -> bool:
    status = cluster.get("alertingrule", name, *SPACE).get("status", {})
    return bool(status.get("prometheusRule", {}).get("name"))


def test_the_planned_object_is_taken_and_named_in_its_status(cluster: Rack) -> None:
    made = _planned()
    cluster.apply(made)
    cluster.wait("a rule is made of it", lambda: _taken(cluster, "podwright"))
    found = cluster.get("alertingrule", "podwright", *SPACE)
    assert found["status"] == {
        "observedGeneration": 1,
        "prometheusRule": {"name": f"{NAMESPACE}/{generated(found['metadata'])}"},
    }
    rule = cluster.get("prometheusrule", generated(found["metadata"]), *SPACE)
    for planned, group in zip(made["spec"]["groups"], rule["spec"]["groups"], strict=True):
        assert [each["alert"] for each in group["rules"]] == [each["alert"] for each in planned["rules"]]
        assert [each["expr"] for each in group["rules"]] == [each["expr"] for each in planned["rules"]]


def test_what_is_made_of_it_is_put_back_and_goes_with_it(cluster: Rack) -> None:
    cluster.apply(_planned())
    name = generated(cluster.get("alertingrule", "podwright", *SPACE)["metadata"])
    cluster.kubectl("delete", "prometheusrule", name, *SPACE)
    cluster.wait("it is made again", lambda: cluster.get("prometheusrule", name, *SPACE) is not None)
    cluster.kubectl("delete", "alertingrule", "podwright", *SPACE)
    cluster.wait("it goes with its owner", lambda: cluster.get("prometheusrule", name, *SPACE) is None)


def _changed(name: str, **fields: Any) -> dict[str, Any]:
    """A planned object with one alert alone, changed."""
    made = copy.deepcopy(_planned())
    rule = {**made["spec"]["groups"][0]["rules"][0], **fields}
    made["metadata"] = {"name": name, "namespace": NAMESPACE}
    made["spec"] = {"groups": [{"name": "one", "rules": [rule]}]}
    return made


def test_an_expression_that_cannot_be_read_gets_no_rule(cluster: Rack) -> None:
    assert programs()["etcd"].with_name(PROGRAM).exists(), "run python3 -m toolchain setup alerts"
    cluster.apply(_changed("unreadable", expr="sum(DCGM_FI_DEV_GPU_TEMP"), _changed("readable"))
    cluster.wait("the other is taken", lambda: _taken(cluster, "readable"))
    assert "status" not in cluster.get("alertingrule", "unreadable", *SPACE)
    cluster.apply(_changed("unreadable", expr="sum(DCGM_FI_DEV_GPU_TEMP) > 1"))
    cluster.wait("it is taken once it can be read", lambda: _taken(cluster, "unreadable"))


@pytest.mark.parametrize(("fields", "named"), [({"for": "soon"}, "for"), ({"alert": ""}, "alert")])
def test_the_definition_refuses(cluster: Rack, fields: dict[str, str], named: str) -> None:
    with pytest.raises(AssertionError, match=named):
        cluster.apply(_changed("wrong", **fields))


def test_one_of_another_namespace_is_left_alone(cluster: Rack) -> None:
    made = _changed("elsewhere")
    made["metadata"]["namespace"] = "default"
    cluster.apply(made, _changed("here"))
    cluster.wait("the platform's is taken", lambda: _taken(cluster, "here"))
    assert "status" not in cluster.get("alertingrule", "elsewhere", "-n", "default")
