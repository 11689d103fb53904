"""What the stand-ins know of the cluster: answers that are read late, after the watch has shown what came next."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest

from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.kinds import NODES
from tests.waiting import until


def _node(version: int, *taints: str) -> dict[str, Any]:
    return {"metadata": {"name": "gpu-1", "resourceVersion": str(version)}, "spec": {"taints": list(taints)}}


class _Watched:
    """An API server with one listing and the events that a test puts after it."""

    def __init__(self) -> None:
        self.events: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def request(self, method: str, path: str) -> dict[str, Any]:
        return {"metadata": {"resourceVersion": "10"}, "items": [_node(9, "held")]}

    def watch(self, path: str, version: str, seconds: int) -> Iterator[dict[str, Any]]:
        while (event := self.events.get()) is not None:
            yield event
        raise ApiError(0, "Unreachable", "the end")


@pytest.fixture
def watched() -> Iterator[tuple[_Watched, Cache]]:
    api = _Watched()
    cache = Cache(cast("Api", api))
    cache.listen(NODES, lambda: None)
    cache.settle(NODES, threading.Event())
    yield api, cache
    cache.stop()
    api.events.put(None)


def _taints(cache: Cache) -> list[str] | None:
    node = cache.get(NODES, "gpu-1")
    return None if node is None else node["spec"]["taints"]


def test_what_was_just_written_is_known_at_once(watched: tuple[_Watched, Cache]) -> None:
    _, cache = watched
    cache.replace(NODES, _node(11))
    assert _taints(cache) == []


def test_an_answer_that_is_read_late_does_not_bring_back_what_others_have_changed(
    watched: tuple[_Watched, Cache],
) -> None:
    api, cache = watched
    api.events.put({"type": "MODIFIED", "object": _node(12)})
    until(lambda: _taints(cache) == [])
    cache.replace(NODES, _node(11, "held"))
    assert _taints(cache) == []
    cache.put(NODES, _node(11, "held"))
    assert _taints(cache) == []


def test_an_answer_that_is_read_late_does_not_bring_back_what_has_been_deleted(watched: tuple[_Watched, Cache]) -> None:
    api, cache = watched
    api.events.put({"type": "DELETED", "object": _node(13, "held")})
    until(lambda: _taints(cache) is None)
    for write in (cache.replace, cache.put):
        write(NODES, _node(12, "held"))
        assert _taints(cache) is None
    cache.put(NODES, _node(14, "again"))
    assert _taints(cache) == ["again"]


def test_the_watch_does_not_step_back_behind_what_was_just_written(watched: tuple[_Watched, Cache]) -> None:
    api, cache = watched
    cache.replace(NODES, _node(15, "mine"))
    api.events.put({"type": "MODIFIED", "object": _node(14, "earlier")})
    api.events.put({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "15"}}})
    api.events.put({"type": "ADDED", "object": {**_node(16), "metadata": {"name": "last", "resourceVersion": "16"}}})
    until(lambda: cache.get(NODES, "last"))
    assert _taints(cache) == ["mine"]
