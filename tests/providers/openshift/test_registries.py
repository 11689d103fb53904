"""A pool has a mirror when registries.conf of its rendered configuration has it."""

import asyncio
import base64
from typing import Any, cast
from urllib.parse import quote

import pytest

from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.pools.registries import unserved

CONF = """
unqualified-search-registries = ["registry.access.redhat.com"]
[[registry]]
  prefix = ""
  location = "nvcr.io"
  [[registry.mirror]]
    location = "registry.example.com/pod"
    pull-from-mirror = "digest-only"
"""
POOL = {"spec": {"configuration": {"name": "rendered-worker-1"}}}
ENCODED = [
    f"data:text/plain;charset=utf-8;base64,{base64.b64encode(CONF.encode()).decode()}",
    f"data:,{quote(CONF)}",
]


class Rendered:
    """A cluster with one rendered configuration."""

    def __init__(self, source: str) -> None:
        self._source = source

    async def find(self, path: str) -> Any:
        assert path.endswith("/rendered-worker-1")
        files = [{"path": "/etc/containers/registries.conf", "contents": {"source": self._source}}]
        return {"spec": {"config": {"storage": {"files": files}}}}


def lacking(source: str, wanted: dict[str, list[str]], pools: Any = None) -> list[str]:
    live = Survey({}, {"worker": POOL} if pools is None else pools, {})
    return asyncio.run(unserved(cast(Kube, Rendered(source)), live, "worker", wanted))


@pytest.mark.parametrize("source", ENCODED, ids=["base64", "plain"])
def test_a_mirror_that_was_rendered_is_there_and_another_one_is_not(source: str) -> None:
    assert lacking(source, {"nvcr.io": ["registry.example.com/pod"]}) == []
    assert lacking(source, {"nvcr.io": ["registry.example.com/other"]}) == [
        "MachineConfigPool worker has no mirror of nvcr.io yet"
    ]
    assert lacking(source, {"quay.io": ["registry.example.com/pod"]}) == [
        "MachineConfigPool worker has no mirror of quay.io yet"
    ]


def test_a_pool_that_is_not_made_yet_is_not_waited_for() -> None:
    assert lacking(ENCODED[0], {"quay.io": ["a.io"]}, {}) == []


def test_a_pool_without_a_configuration_has_no_mirror() -> None:
    assert lacking(ENCODED[0], {"quay.io": ["a.io"]}, {"worker": {"spec": {}}}) != []
