"""Nodes that are not admitted, and stragglers, on the status screen."""

import json
from typing import Any

import pytest

from podwright.cli.offers import offers
from podwright.components.model import Admission, Cluster
from podwright.components.providers.status.snapshot import Snapshot
from tests.cli.test_status import CLUSTER
from tests.design.platform.test_admission import KEY

TAINT = {"key": "podwright.io/not-admitted", "effect": "NoSchedule"}
RATES = {"gpu-01": 470.0, "gpu-02": 472.0, "gpu-03": 468.0, "gpu-04": 471.0}


def _cluster() -> Cluster:
    pool = CLUSTER.pools["training"].model_copy(update={"admission": Admission.model_validate(KEY)})
    return CLUSTER.model_copy(update={"pools": {**CLUSTER.pools, "training": pool}})


def _node(name: str, state: dict[str, Any] | None, *, boot: str = "now", tainted: bool = False) -> dict[str, Any]:
    notes = {} if state is None else {"podwright.io/admission": json.dumps({"boot": "now", **state})}
    return {
        "metadata": {"name": name, "annotations": notes},
        "spec": {"taints": [TAINT]} if tainted else {},
        "status": {"nodeInfo": {"bootID": boot}},
    }


def _lines(*nodes: dict[str, Any], cluster: Cluster | None = None) -> list[str]:
    found = {each.pool: each.troubles for each in offers(cluster or _cluster(), Snapshot({"Node": nodes}))}
    return [line for line in found["training"] if "admitted" in line or "straggler" in line]


def _passed(**rates: float) -> list[dict[str, Any]]:
    return [
        _node(name, {"result": "admitted", "gbytes": rate})
        for name, rate in {**RATES, **{key.replace("_", "-"): rate for key, rate in rates.items()}}.items()
    ]


def test_nodes_that_passed_are_no_trouble_and_a_pool_without_the_key_has_no_line() -> None:
    assert _lines(*_passed()) == []
    assert _lines(_node("gpu-01", None, tainted=True), cluster=CLUSTER) == []


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (_node("gpu-01", None, tainted=True), "no controller has looked at it yet"),
        (_node("gpu-01", {"result": "failed", "reason": "7 of 8 GPUs are offered: a GPU is missing"}), "7 of 8 GPUs"),
        (_node("gpu-01", {"result": "admitted"}, boot="later"), "it has booted since it was checked"),
        (_node("gpu-01", {"result": "admitted"}, tainted=True), "taint podwright.io/not-admitted is still on it"),
    ],
)
def test_a_node_that_is_not_admitted_is_named_with_the_reason(node: dict[str, Any], words: str) -> None:
    (line,) = _lines(node)
    assert line.startswith("gpu-01 is not admitted: ") and words in line


def test_a_node_far_below_the_pools_median_is_a_straggler() -> None:
    (line,) = _lines(*_passed(gpu_02=300.0))
    assert line == (
        "gpu-02 is a straggler: its all-reduce reached 300 GB/s, 64 % of the pool's median of 469, and 90 % are asked"
    )
    assert _lines(*_passed(gpu_02=430.0)) == []


def test_of_divided_gpus_nothing_is_said_that_was_not_measured() -> None:
    cluster = _cluster()
    pool = cluster.pools["training"].model_copy(update={"mig": "all-1g.18gb"})
    divided = cluster.model_copy(update={"pools": {**cluster.pools, "training": pool}})
    assert _lines(*_passed(gpu_02=300.0), cluster=divided) == [], "from before they were divided"


def test_two_nodes_say_nothing_about_a_pool() -> None:
    assert _lines(*_passed(gpu_02=300.0)[:2]) == []
