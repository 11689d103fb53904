"""A team that floods the API server waits and is refused by itself: the planned objects on the real API server."""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from podwright.components.design.platform import fairness
from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.kubeconfig import Access, parse
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

QUICK = "/api/v1/configmaps"
SLOW = f"{QUICK}?resourceVersion=999999999999&resourceVersionMatch=NotOlderThan"
"""Keeps its seat for the three seconds that the server waits for a version which never comes, and costs it nothing."""
THREADS = 32


def _planned() -> list[dict[str, Any]]:
    """As planned, but with seats and queues that a few threads can fill."""
    level, *schemas = copy.deepcopy(fairness.plan(1, ("flood", "quiet")))
    limited = level["spec"]["limited"]
    limited |= {"borrowingLimitPercent": 0, "lendablePercent": 0}
    limited["limitResponse"]["queuing"] |= {"handSize": 1, "queueLengthLimit": 4}
    return [level, *schemas]


def _account(access: Access, team: str, number: int = 0) -> Api:
    return Api(access, f"system:serviceaccount:{team}:worker-{number}")


@contextmanager
def _flood(access: Access, team: str) -> Iterator[Counter[int]]:
    """Requests of many accounts of a team at once, and what became of them, by status."""
    found: Counter[int] = Counter()
    over = threading.Event()

    def run(number: int) -> None:
        api = _account(access, team, number)
        while not over.is_set():
            try:
                api.request("GET", SLOW)
                found[200] += 1
            except ApiError as refused:
                found[refused.code] += 1
                over.wait(0.2)
        api.close()

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(THREADS)]
    for each in threads:
        each.start()
    try:
        yield found
    finally:
        over.set()
        for each in threads:
            each.join(20)


def _asked(access: Access, team: str, times: int) -> Counter[int]:
    """What becomes of one request after the other."""
    found: Counter[int] = Counter()
    api = _account(access, team)
    for _ in range(times):
        try:
            api.request("GET", QUICK)
            found[200] += 1
        except ApiError as refused:
            found[refused.code] += 1
    api.close()
    return found


def test_429_hits_the_flooding_team_alone(cluster: Rack) -> None:
    for team in ("flood", "quiet"):
        cluster.kubectl("create", "namespace", team)
        binding = ("create", "clusterrolebinding", f"read-{team}", "--clusterrole=cluster-admin")
        cluster.kubectl(*binding, f"--group=system:serviceaccounts:{team}")
    cluster.apply(*_planned())

    def taken() -> bool:
        rows = cluster.get("flowschema", fairness.name("flood"))["status"]["conditions"]
        return any(row["type"] == "Dangling" and row["status"] == "False" for row in rows)

    cluster.wait("the schemas are in force", taken)
    access = parse(cluster.kubeconfig().read_text())
    with _flood(access, "flood") as flood:
        cluster.wait("the flood is refused", lambda: flood[429] > 50, 60)
        quiet = _asked(access, "quiet", 10)
    assert quiet == {200: 10}, quiet
    assert flood[504] > 0, "some of the flood is served: its seats are its own"
