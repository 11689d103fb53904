"""A template of NIC settings restarts nodes that run: `podwright preview` counts them, made or changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podwright.cli.engine.preview import planned
from podwright.components.changes.total import sentences

Event = dict[str, Any]
PFC = {"template": {"roceOptimized": {"qos": {"pfc": "0,0,0,1,0,0,0,0"}}}}


def _step(token: str, op: str, old: Any, new: Any) -> Event:
    states = {side: {"inputs": inputs} if inputs else None for side, inputs in (("old", old), ("new", new))}
    return {
        "resourcePreEvent": {"metadata": {"op": op, "urn": f"urn:pulumi:s::p::{token}::x", "type": token, **states}}
    }


def _node(name: str, pool: str, op: str = "same") -> Event:
    patch = {"kind": "Node", "metadata": {"name": name, "labels": {"podwright.io/pool": pool}}}
    return _step("kubernetes:core/v1:NodePatch", op, None if op == "create" else patch, patch)


def _template(op: str, old: Any, new: Any) -> Event:
    def whole(settings: Any) -> Any:
        spec = {"nodeSelector": {"podwright.io/pool": "training"}, **settings}
        return {"kind": "NicConfigurationTemplate", "metadata": {"name": "training-a2dc"}, "spec": spec}

    token = "kubernetes:configuration.net.nvidia.com/v1alpha1:NicConfigurationTemplate"
    return _step(token, op, *(whole(each) if each is not None else None for each in (old, new)))


NODES = [_node("gpu-01", "training"), _node("gpu-02", "training"), _node("inf-01", "inference")]


def _sum(*events: Event) -> tuple[str, ...]:
    return sentences(planned([json.dumps(event) for event in events]).impacts, {"gpu-01": 8, "gpu-02": 8}, {})


@pytest.mark.parametrize(("op", "old"), [("create", None), ("update", {"template": {}})])
def test_nodes_that_a_template_selects_are_counted(op: str, old: Any) -> None:
    (found,) = _sum(_template(op, old, PFC), *NODES)
    assert found == "2 nodes restart one after the other for their NICs' settings on 16 GPUs"


def test_its_class_is_disruptive() -> None:
    (impact,) = planned([json.dumps(each) for each in (*NODES, _template("create", None, PFC))]).impacts
    assert (impact.change_class.word, impact.device) == ("disruptive", "training-a2dc")
    assert impact.nodes == ("gpu-01", "gpu-02")


@pytest.mark.parametrize(
    "events",
    [
        [_template("create", None, PFC), _node("gpu-01", "training", "create")],
        [_template("same", PFC, PFC), *NODES],
        [_template("delete", PFC, None), *NODES],
        [_template("create", None, PFC), _node("gpu-01", "training", "delete")],
    ],
    ids=["a cluster that is made with it", "no change", "it goes", "the node goes"],
)
def test_where_nothing_runs_or_changes_nothing_restarts(events: list[Event]) -> None:
    assert _sum(*events) == ()
