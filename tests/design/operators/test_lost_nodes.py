"""Nodes that are given up: every object, and what of the file decides it."""

import copy
from pathlib import Path
from typing import Any

import yaml

from podwright.components.design.image_set import image_set
from podwright.components.design.operators import remediation
from podwright.components.model import Cluster
from tests.design import whole
from tests.design.goldens import cluster
from tests.model.changes import LAB, Said, put

GOLDEN = Path(__file__).with_name("lost_nodes.yaml")
NAMES = ("self-node-remediation", "node-healthcheck-operator")


def _stack(**more: Any) -> Cluster:
    written: Said = copy.deepcopy(LAB)
    put("openshift/lost_nodes", {"pools": ["training"], **more})(written)
    return Cluster.model_validate(written)


def _planned(stack: Cluster) -> list[dict[str, Any]]:
    return [each for operator in whole.operators(stack) if operator.name in NAMES for each in operator.manifests]


def test_every_object_word_by_word() -> None:
    assert _planned(_stack()) == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_without_the_key_nothing_is_planned() -> None:
    assert _planned(cluster("lab")) == []


def test_the_file_decides_how_long_and_how_many() -> None:
    checks = [each for each in _planned(_stack(after_seconds=900, max_lost=2)) if each["kind"] == "NodeHealthCheck"]
    (spec,) = (each["spec"] for each in checks)
    assert {row["duration"] for row in spec["unhealthyConditions"]} == {"900s"} and spec["maxUnhealthy"] == 2
    assert {row["status"] for row in spec["unhealthyConditions"]} == {"False", "Unknown"}


def test_agents_run_where_nodes_are_not_admitted_yet() -> None:
    """A node without an agent is never given up (isNodeRebootCapable)."""
    keys = {False: {"podwright.io/pool"}, True: {"podwright.io/pool", "podwright.io/not-admitted"}}
    for admission, wanted in keys.items():
        section = _stack().operators
        assert section is not None
        agents = remediation(section, admission=admission)
        (config,) = agents.owned
        assert {row["key"] for row in config["spec"]["customDsTolerations"]} == wanted


def test_a_mirror_has_both_operators() -> None:
    packages = {each["name"] for catalog in image_set(_stack()).document["mirror"]["operators"]
                for each in catalog["packages"]}  # fmt: skip
    assert set(NAMES) <= packages
