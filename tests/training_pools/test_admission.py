"""Each spelling of a pod at a real API server that has the planned admission policies: what nobody planned is refused.

Pods are made dry as the controller of their kind makes them, bare ones by a tenant with `edit` and by an administrator.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podwright.lab.openshift.api import path_of
from tests.training_pools import cluster as clusters
from tests.training_pools import drawn, facts, placed, spelled
from tests.training_pools.cluster import WORDS, Cluster
from tests.waiting import until

pytestmark = pytest.mark.rough
ROWS = spelled.rows()
DRAWN = 60


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A control plane for all of them."""
    spaces = {row.namespace for row in ROWS} | set(drawn.SPACES)
    with clusters.running(Path(tmp_path_factory.mktemp("plane")) / "rack", spaces) as running:
        yield running


def _answers(cluster: Cluster, row: spelled.Row) -> dict[str, str]:
    """What each user is answered."""
    found = {}
    for pod, user in spelled.made(row):
        if row.binds:
            found[user] = cluster.bound({**pod, "metadata": _bare(pod)}, row.binds, user)
        elif row.mirror:
            found[user] = cluster.mirrored(pod)
        elif row.adds:
            found[user] = cluster.tolerating(pod, row.adds, user)
        elif row.debugged:
            found[user] = cluster.debugged({**pod, "metadata": _bare(pod)}, user)
        else:
            found[user] = cluster.made(pod, user)
    return found


def _bare(pod: dict[str, dict[str, object]]) -> dict[str, object]:
    """Without a controller, which does not exist: the pod would be collected."""
    return {key: value for key, value in pod["metadata"].items() if key != "ownerReferences"}


def test_the_api_server_answers_every_row_as_the_table_has_it(cluster: Cluster) -> None:
    wrong = {}
    for row in ROWS:
        if row.verdict == "lawful" and "admission" not in row.gates:
            continue
        for user, answer in _answers(cluster, row).items():
            ours = any(words in answer for words in WORDS)
            if ours != row.refused("admission") or bool(answer) != ours:
                wrong[f"{row.name}, by {user}"] = answer
    assert wrong == {}


def test_the_pack_and_the_api_server_agree_about_pods_by_lot(cluster: Cluster) -> None:
    counts = {True: 0, False: 0}
    for number in range(DRAWN):
        row = drawn.drawn(f"admission/{number}")
        found = facts.findings(spelled.planned(row))
        unlawful = placed.nodes(row.pod) & placed.TRAINING and not placed.may_train_there(row)
        for pod, user in spelled.made(row):
            answer = cluster.made(pod, user)
            refused = any(words in answer for words in WORDS)
            assert bool(answer) == refused, (row, answer)
            assert refused or not unlawful, row
            # What asks for a training pool and does not tolerate it waits for ever: the pack alone says so.
            assert not refused or found, (row, answer)
            counts[refused] += 1
    assert min(counts.values()) > DRAWN / 6


@pytest.mark.parametrize("user", [spelled.TENANT, spelled.ADMIN])
def test_a_deployment_of_before_that_is_scaled_up_gets_no_pod(cluster: Cluster, user: str) -> None:
    row = next(each for each in ROWS if each.name == "own toleration alone")
    made = spelled.planned(row)
    made["metadata"]["name"] = name = f"scaled-by-{user}"
    made["spec"] |= {"replicas": 0, "selector": {"matchLabels": row.labels}}
    events = path_of("v1", "events", row.namespace) + "?fieldSelector=reason%3DFailedCreate"

    def refused() -> list[str]:
        found = (cluster.api.get(events) or {"items": []})["items"]
        return [each["message"] for each in found if each["involvedObject"]["name"].startswith(f"{name}-")]

    with cluster.existing(made, "deployments") as path:
        cluster.of(user).merge(path, {"spec": {"replicas": 2}}, "scale")
        until(lambda: bool(refused()), 60, "its ReplicaSet reports why there is no pod", pause=0.2)
        assert all(any(words in each for words in WORDS) for each in refused())
        pods = (cluster.api.get(path_of("v1", "pods", row.namespace)) or {"items": []})["items"]
        assert not [each for each in pods if each["metadata"]["name"].startswith(name)]


def test_a_pod_that_exists_is_changed_and_ends_as_before(cluster: Cluster) -> None:
    """Labels, finalizers and status of a pod that was there before the policies."""
    row = next(each for each in ROWS if each.name == "nothing at all")
    pod, _ = next(spelled.made(row))
    with cluster.existing({**pod, "metadata": _bare(pod)}) as path:
        changed = cluster.api.merge(path, {"metadata": {"labels": {"a": "b"}}})
        assert changed["metadata"]["labels"]["a"] == "b"
