"""Two jobs that Kueue stops in turns for a third: `podwright status` names them, and what it advises ends it.

The smallest set in which it happens, on the real Kueue. Where a later one starts the third job, or leaves the two
alone, this fails: the page about queues and `providers/status/stops.py` say then what is no longer so.
"""

from __future__ import annotations

import asyncio
import copy
import re
import shlex
import time
from collections.abc import Iterator
from typing import Any

import pytest

from podwright.components.providers.status import stops
from podwright.components.providers.status.snapshot import take
from tests.model.changes import LAB
from tests.queue_sets.drawn import Drawn
from tests.queue_sets.observed import Moment
from tests.queue_sets.reference import Quota
from tests.queue_sets.site import Site
from tests.waiting import until

pytestmark = pytest.mark.rough
JOB = {"gpus": 8, "priority": "training", "cpus": 8, "memory_gib": 96, "shm_gib": 8}


class Turns(Drawn):
    """Four servers in two leaf groups, and two in a second pool. Audio has a server of its own in each, and borrows."""

    def __post_init__(self) -> None:
        self.seed, self.borrows, self.file = "of two jobs", True, copy.deepcopy(LAB)
        image = LAB["workloads"]["training"]["pretrain"]["image"]
        self.file["pools"] = {
            "inference": self.file["pools"]["inference"],
            **{pool: {"purpose": "training", "rails": pool == "training"} for pool in ("training", "tuning")},
        }
        self.counts = {"training": 4, "tuning": 2}
        self._place(self.counts, 2, 2)
        self.quotas = {
            ("audio", "training"): Quota(8), ("audio", "tuning"): Quota(8),
            ("robotics", "training"): Quota(24), ("robotics", "tuning"): Quota(8),
        }  # fmt: skip
        rows: dict[str, Any] = {"audio": {"nominal": {}, "weight": 1}, "robotics": {"nominal": {}, "weight": 1}}
        for (team, pool), quota in self.quotas.items():
            rows[team]["nominal"][pool] = quota.nominal
        self.file["openshift"]["queues"] = {
            "pools": ["training", "tuning"], "borrow": True, "fair_sharing": True, "evict_unready": True,
            "enforce": True, "teams": rows,
        }  # fmt: skip
        self.file["openshift"]["teams"] = {"audio": {"gpus": 16}, "robotics": {"gpus": 32}}
        jobs = {
            "first": ("audio", "training", 1), "second": ("audio", "training", 1), "tuned": ("audio", "tuning", 2),
            "wide": ("robotics", "training", 2),
        }  # fmt: skip
        made = {
            name: {**JOB, "team": team, "pool": pool, "nodes": nodes, "image": image}
            for name, (team, pool, nodes) in jobs.items()
        }
        self.file["workloads"] = {"training": made, "inference": {}}
        self.file.pop("acceptance", None)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The set, with both jobs of audio in the leaf group that jobs of pool training are put into."""
    drawn = Turns("")
    site = Site(tmp_path_factory.mktemp("turns"))
    try:
        site.start(drawn)
        site.begin(drawn)
        for name in ("first", "second"):
            site.submit(name)
            site.settle(name)
        yield site
    finally:
        site.close()


def _stopped(site: Site) -> dict[str, int]:
    return Moment(site.api).stops()


def _named(site: Site) -> list[str]:
    return list(stops.troubles(asyncio.run(take(site.rack.kubeconfig().read_text(), 10))))


def _about(site: Site, name: str) -> str:
    return "\n".join(Moment(site.api).about(name))


def _run(site: Site, name: str) -> bool:
    return any(each.name == name and each.placed for each in site.world().admitted())


def test_nobody_is_stopped_where_the_queue_borrows_of_this_pool_alone(site: Site) -> None:
    site.submit("wide")
    until(lambda: "QuotaReserved False" in _about(site, "wide"), 20, "Kueue has looked for a place")
    time.sleep(4)
    assert set(_stopped(site).values()) == {0} and _named(site) == []
    assert _run(site, "first") and _run(site, "second") and not _run(site, "wide")
    site.rack.kubectl("delete", "job", "wide", "-n", "robotics")


def test_with_gpus_of_another_pool_borrowed_too_both_are_stopped_in_turns_and_status_ends_it(site: Site) -> None:
    site.submit("tuned")
    site.settle("tuned")
    site.submit("wide")
    until(lambda: _named(site) != [], 60, "status names it", pause=1)
    until(lambda: min(_stopped(site)[each] for each in ("first", "second")) >= stops.MOST, 60, "both are stopped")
    (words,) = _named(site)
    assert words.startswith("job robotics/wide waits, and Kueue stops ")
    assert all(f"audio/{each} (" in words for each in ("first", "second"))
    command = re.search(r"`oc (.*)`", words)
    assert command is not None
    site.rack.kubectl(*shlex.split(command[1]))
    until(lambda: _run(site, "first") and _run(site, "second"), 40, "both run again")
    before = _stopped(site)
    time.sleep(6)
    assert _stopped(site) == before and _named(site) == []
    site.rack.kubectl("delete", "job", "first", "-n", "audio")
    site.rack.kubectl(*(each.replace("false", "true") for each in shlex.split(command[1])))
    time.sleep(6)
    assert _stopped(site)["second"] == before["second"]
    site.rack.kubectl("delete", "job", "second", "-n", "audio")
    until(lambda: _run(site, "wide"), 40, "it starts when both have gone")
