"""Replicas over racks by a cluster's own scheduler, and how soon one of a lost node is made anew.

Three servers in two racks, each with memory for one replica; the one that stands alone in its rack is the last that the
scheduler takes by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from podwright.components.design.platform import priorities, teams
from podwright.components.design.platform.names import POOL_LABEL, RACK_LABEL
from podwright.components.design.workloads import service
from podwright.components.design.workloads.placement import serving
from podwright.components.model import Inference, Team, load
from tests.lab.openshift.rack import Rack
from tools.generated import ROOT

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "", "")}
RACKS = {"gpu-1": "r1", "gpu-2": "r2", "gpu-3": "r2"}
MACHINES = {"inf-01": load(ROOT / "Pulumi.lab.yaml").servers["inf-01"]}
SECONDS = 30
LEAST_WANTED = "example.com/burn-in:PreferNoSchedule"
UNREACHABLE = "node.kubernetes.io/unreachable"


def _planned(**keys: Any) -> list[dict[str, Any]]:
    """The service as planned, but for its GPU."""
    section = {"team": "search", "pool": "inference", "replicas": 2, "image": "registry.example.com/vllm:1"}
    chat = Inference.model_validate({**section, "model": "m", "memory_gib": 150, "load_seconds": 10, **keys})
    made = list(service("chat", chat, MACHINES))
    for amounts in made[0]["spec"]["template"]["spec"]["containers"][0]["resources"].values():
        amounts.pop("nvidia.com/gpu")
    return made


def _node(server: str) -> str:
    return f"{server}.lab.example.com"


@pytest.fixture(scope="module")
def pool(cluster: Rack) -> Rack:
    """A pool of inference whose nodes say where they stand."""
    for server, rack in RACKS.items():
        labels = {**serving(MACHINES, "inference").selector, RACK_LABEL: rack}
        cluster.kubectl("label", "node", _node(server), *(f"{key}={value}" for key, value in labels.items()))
        cluster.kubectl("taint", "node", _node(server), f"{POOL_LABEL}=inference:NoSchedule")
    cluster.kubectl("taint", "node", _node("gpu-1"), LEAST_WANTED)
    cluster.apply(*priorities(), teams.namespace("search", rdma=False))
    cluster.apply(*teams.inside("search", Team(), trains=False, serves=True))
    return cluster


@pytest.fixture
def spread(pool: Rack) -> Iterator[Rack]:
    """Two replicas of a service with both keys, no other replica anywhere."""
    pool.apply(*_planned(spread="racks", lost_node_seconds=SECONDS))
    pool.wait("both serve", lambda: len(_serving(pool)) == 2, 90)
    yield pool
    pool.kubectl("delete", "deployment", "chat", "-n", "search")
    pool.wait("all are gone", lambda: _pods(pool) == [], 60)


def _pods(cluster: Rack) -> list[dict[str, Any]]:
    return list(cluster.items("pods", "-n", "search", "-l", "app.kubernetes.io/name=chat"))


def _serving(cluster: Rack) -> dict[str, str]:
    """Servers of replicas that are ready and stay, by their name."""
    return {
        pod["metadata"]["name"]: pod["spec"]["nodeName"].partition(".")[0]
        for pod in _pods(cluster)
        if "deletionTimestamp" not in pod["metadata"]
        and any((row["type"], row["status"]) == ("Ready", "True") for row in pod["status"].get("conditions", []))
    }


def _racks(cluster: Rack) -> list[str]:
    return sorted(RACKS[server] for server in _serving(cluster).values())


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _lost(cluster: Rack, server: str) -> float:
    """Take a server's power; the seconds from its node's taint until a replica was made in place of its own."""
    before = set(_serving(cluster))
    cluster.world.power(server, "ForceOff")

    def evicts() -> list[dict[str, str]]:
        taints = cluster.get("node", _node(server))["spec"]["taints"]
        return [each for each in taints if (each["key"], each["effect"]) == (UNREACHABLE, "NoExecute")]

    cluster.wait(f"{server} is lost", lambda: evicts() != [], 40)
    (taint,) = evicts()
    cluster.wait("another one serves", lambda: len(_serving(cluster)) == 2 and set(_serving(cluster)) != before, 90)
    (new,) = (pod for pod in _pods(cluster) if pod["metadata"]["name"] in set(_serving(cluster)) - before)
    return _moment(new["metadata"]["creationTimestamp"]) - _moment(taint["timeAdded"])


def _back(cluster: Rack, server: str) -> None:
    cluster.world.power(server, "On")
    cluster.wait(f"{server} is back", lambda: not any(
        each["key"].startswith("node.kubernetes.io/") for each in cluster.get("node", _node(server))["spec"]["taints"]
    ), 60)  # fmt: skip


def test_without_the_key_both_may_be_in_one_rack(pool: Rack) -> None:
    pool.apply(*_planned())
    pool.wait("both serve", lambda: len(_serving(pool)) == 2, 90)
    assert _racks(pool) == ["r2", "r2"]
    for pod in _pods(pool):
        unsaid = [each for each in pod["spec"]["tolerations"] if each["effect"] == "NoExecute"]
        assert {each["tolerationSeconds"] for each in unsaid} == {300}, "the API server's own"
    pool.apply(*_planned(spread="racks"))
    pool.wait("the key moves one", lambda: _racks(pool) == ["r1", "r2"], 120)
    pool.kubectl("delete", "deployment", "chat", "-n", "search")
    pool.wait("all are gone", lambda: _pods(pool) == [], 60)


def test_a_lost_replica_is_made_anew_in_the_seconds_that_are_written_and_in_another_rack_where_its_own_is_lost(
    spread: Rack,
) -> None:
    assert _racks(spread) == ["r1", "r2"]
    first = next(server for server in _serving(spread).values() if RACKS[server] == "r2")
    took = _lost(spread, first)
    assert SECONDS - 2 <= took <= SECONDS + 10
    assert _racks(spread) == ["r1", "r2"], "in the rack that had none"
    _back(spread, first)
    took = _lost(spread, "gpu-1")
    assert SECONDS - 2 <= took <= SECONDS + 10
    assert _racks(spread) == ["r2", "r2"], "a rack that is lost is not waited for"
    _back(spread, "gpu-1")


def test_a_drain_and_a_rolling_update_of_a_full_pool_come_to_their_end(spread: Rack) -> None:
    spread.kubectl("drain", _node("gpu-1"), "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=60s")
    spread.wait("its replica has another server", lambda: _racks(spread) == ["r2", "r2"], 60)
    spread.kubectl("uncordon", _node("gpu-1"))
    spread.apply(*_planned(spread="racks", lost_node_seconds=SECONDS, replicas=3))
    spread.wait("one on each server", lambda: _racks(spread) == ["r1", "r2", "r2"], 60)
    before = set(_serving(spread))
    again = _planned(spread="racks", lost_node_seconds=SECONDS, replicas=3, image="registry.example.com/vllm:2")
    spread.apply(*again)
    spread.wait("all are new", lambda: len(set(_serving(spread)) - before) == 3, 180)
