"""Mistakes of the requirement documents that a real API server refuses by itself, in its own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lab.openshift.rack import Rack

CONTAINER = {"name": "c", "image": "registry.example.com/trainer:1"}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "priority above the user's maximum": (
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "x"}, "value": 1000000001},
        "1000000000",
    ),
    "Deployment without a selector": (
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "x"},
            "spec": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}}},
        },
        "spec.selector",
    ),
    "resource without a prefix": (
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "x"},
            "spec": {"containers": [{**CONTAINER, "resources": {"limits": {"mlnx_rdma": "1"}}}]},
        },
        "must be a standard resource",
    ),
    "field that nobody knows": (
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"prots": [{"port": 80}]}},
        "prots",
    ),
}


def _answer(cluster: Rack, thing: dict[str, Any]) -> str:
    how = ("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
    return cluster.kubectl(*how, stdin=json.dumps(thing), check=False)


@pytest.mark.parametrize("name", REFUSED)
def test_the_api_server_refuses(cluster: Rack, name: str) -> None:
    thing, words = REFUSED[name]
    answer = _answer(cluster, thing)
    assert words in answer and "serverside-applied" not in answer


def test_what_is_right_is_taken(cluster: Rack) -> None:
    """The same way in: what is refused above is refused for what is wrong with it."""
    thing = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"ports": [{"port": 80}]}}
    answer = _answer(cluster, thing)
    assert "serverside-applied" in answer
