"""Replicas over racks, and how long one stays on a lost node: what is planned with the keys, and what without."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from podwright.components.design.platform.names import POOL_LABEL, RACK_LABEL
from podwright.components.design.workloads import canary, service
from podwright.components.model import Cluster, Inference
from podwright.components.model.coherence import check, inference_problems
from tests.components.recording import register
from tests.components.test_graph import all_before, of
from tests.design import whole
from tests.model.changes import PROD, Said, both, put
from tests.model.spread_cases import CANARY, CHAT, FITS, NARROW, RACKS, TWO
from tests.model.test_sections import cluster as stack

LOST = put(f"{CHAT}/lost_node_seconds", 30)
KINDS: dict[str, dict[str, Any]] = {
    "vllm": {},
    "triton": {"engine": "triton", "model": "/models"},
    "nim": {"engine": "nim", "model": "meta/llama", "nim": {}},
    "kserve": {"kind": "kserve"},
}


def _pod(made: dict[str, Any]) -> dict[str, Any]:
    spec = made["spec"]
    pod: dict[str, Any] = spec["predictor"] if made["kind"] == "InferenceService" else spec["template"]["spec"]
    return pod


def _planned(**keys: Any) -> dict[str, Any]:
    cluster = stack(PROD, both())
    defined = Inference.model_validate({**cluster.workloads.inference["chat"].model_dump(), **keys})
    return service("chat", defined, whole.members(cluster, "inference"))[0]


@pytest.mark.parametrize("kind", KINDS)
def test_replicas_of_every_kind_are_spread_over_racks_and_leave_a_lost_node(kind: str) -> None:
    labels = {"matchLabels": {"app.kubernetes.io/name": "chat", "podwright.io/workload": "inference"}}
    plain, pod = _pod(_planned(**KINDS[kind])), _pod(_planned(**KINDS[kind], spread="racks", lost_node_seconds=60))
    (hosts,) = plain["topologySpreadConstraints"]
    assert pod["topologySpreadConstraints"] == [
        {
            "maxSkew": 1,
            "topologyKey": "podwright.io/rack",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": labels,
            "nodeTaintsPolicy": "Honor",
        },
        hosts,
    ]
    lost = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
    assert pod["tolerations"] == [
        *plain["tolerations"],
        {"key": "node.kubernetes.io/not-ready", **lost},
        {"key": "node.kubernetes.io/unreachable", **lost},
    ]
    assert [each["key"] for each in plain["tolerations"]] == [POOL_LABEL]


def test_a_second_version_is_spread_by_itself_and_leaves_a_lost_node_as_soon() -> None:
    cluster = stack(PROD, both(RACKS, LOST, CANARY, put(f"{CHAT}/canary/replicas", 2)))
    defined = cluster.workloads.inference["chat"]
    first = _pod(service("chat", defined, whole.members(cluster, "inference"))[0])
    other = _pod(canary("chat", defined, whole.members(cluster, "inference"))[0])
    assert other["tolerations"] == first["tolerations"]
    racks, _ = other["topologySpreadConstraints"]
    assert racks["topologyKey"] == RACK_LABEL
    assert racks["labelSelector"]["matchLabels"]["app.kubernetes.io/name"] == "chat-canary"


def _racks(cluster: Cluster) -> dict[str, str]:
    nodes = [node for plan in whole.node_pools(cluster).values() for node in plan.nodes]
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in nodes}
    return {name: each[RACK_LABEL] for name, each in labels.items() if RACK_LABEL in each}


def test_nodes_say_in_which_rack_they_stand_where_a_service_goes_by_it_and_nowhere_else() -> None:
    assert _racks(stack(PROD, LOST)) == {}
    cluster = stack(PROD, RACKS)
    assert _racks(cluster) == {
        name: server.rack for name, server in cluster.servers.items() if server.pool == "inference"
    }


def test_nodes_have_their_rack_before_replicas_look_for_it() -> None:
    seen = register(stack(PROD, RACKS))
    racked = [
        each
        for each in of(seen, "kubernetes:core/v1:NodePatch")
        if RACK_LABEL in each.inputs["metadata"].get("labels", {})
    ]
    assert len(racked) == 3
    (chat,) = (each for each in of(seen, "kubernetes:apps/v1:Deployment") if each.name.endswith("chat"))
    assert all_before(seen, chat, racked)


@pytest.mark.parametrize("change", FITS)
def test_what_fits_is_let_through(change: Callable[[Said], None]) -> None:
    assert [each.message for each in check(stack(PROD, change))] == []


def test_a_component_by_itself_is_refused_too() -> None:
    cluster = stack(PROD, both(TWO, NARROW, put(f"{CHAT}/replicas", 16)))
    (problem,) = inference_problems(
        "chat", cluster.workloads.inference["chat"], cluster.pools["inference"], cluster.servers
    )
    assert problem.loc == ("replicas",)


@pytest.mark.parametrize("seconds", [0, 29, 301])
def test_sooner_than_a_kubelet_starts_again_or_later_than_by_itself_is_refused(seconds: int) -> None:
    with pytest.raises(ValidationError, match="lost_node_seconds"):
        _planned(lost_node_seconds=seconds)
