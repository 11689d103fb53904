"""The lab's two operators for silent nodes: their kinds are the published ones, and their sums the published sums."""

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.remediation.health_checks import LOST, SOON, WELL, least, seconds, state
from podwright.lab.openshift.remediation.self_node import batches

PUBLISHED = {
    "remediation.medik8s.io_nodehealthchecks": "794c3c9af727f829fc9b8bc4fa22b63260e984199a037bd985110bd91937201b",
    "self-node-remediation.medik8s.io_selfnoderemediationconfigs":
        "b695a05d162ff17926ddcdbbabfef93bae2267310926a10052c56bc69c365489",
    "self-node-remediation.medik8s.io_selfnoderemediations":
        "e77f8792a195462f335557e342665bf96bbf4d51497b447719791e14c9979430",
    "self-node-remediation.medik8s.io_selfnoderemediationtemplates":
        "7ed6ab6072c870e6c3cdde2fc8a4713831de4b6d190240ca61a91afa18b9d636",
}  # fmt: skip
"""SHA-256 of bundle/manifests/<name>.yaml: medik8s/node-healthcheck-operator, release-0.12 at a49ec14c47c5, and
medik8s/self-node-remediation, release-0.13 at d6e798ab64a0."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_definitions_are_the_published_ones(name: str) -> None:
    assert hashlib.sha256((Path(OWN) / f"{name}.yaml").read_bytes()).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize(("text", "value"), [("300s", 300), ("1m30s", 90), ("1.5h", 5400), ("500ms", 0.5)])
def test_a_duration_is_read_as_go_reads_it(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(("spec", "healthy"), [
    ({"maxUnhealthy": 1}, 4), ({"maxUnhealthy": "49%"}, 2), ({"minHealthy": "51%"}, 3), ({"minHealthy": 4}, 4),
])  # fmt: skip
def test_percentages_round_up(spec: dict[str, Any], healthy: int) -> None:
    assert least(spec, 5) == healthy


@pytest.mark.parametrize(("nodes", "rounds"), [(0, 0), (1, 1), (3, 1), (4, 2), (5, 2), (9, 3), (103, 11), (203, 11)])
def test_peers_are_asked_in_rounds(nodes: int, rounds: int) -> None:
    """internal/utils/peers.go: three, then a tenth of the others each time, never fewer than three."""
    assert batches(nodes) == rounds


@pytest.mark.parametrize(("ready", "ago", "found"), [
    ("True", 900, WELL), ("Unknown", 299, SOON), ("Unknown", 301, LOST), ("False", 301, LOST),
])  # fmt: skip
def test_a_node_is_lost_once_it_was_not_ready_for_long_enough(ready: str, ago: int, found: str) -> None:
    since = (datetime.now(UTC) - timedelta(seconds=ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
    node = {"status": {"conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": since}]}}
    rows = [{"type": "Ready", "status": each, "duration": "300s"} for each in ("False", "Unknown")]
    assert state({"spec": {"unhealthyConditions": rows}}, node) == found
