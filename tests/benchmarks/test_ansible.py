"""Ansible and podwright bring the same servers to the same state, and podwright asks less for it."""

import pytest

from tests.benchmarks.ansible.__main__ import by_ansible, by_podwright

pytestmark = pytest.mark.rough
SERVERS, MODEL, FORKS = 6, "UCSX-210C-M7", 8
HALF = ("first apply", "refresh", "shared change")
"""Where podwright makes at most half the requests at these few servers; at more of them the shares fall."""


def test_podwright_makes_fewer_requests() -> None:
    """The leaner of the two playbooks takes a minute and a half more, and is played by `make bench`."""
    ours = by_podwright(SERVERS, MODEL, 0.0, FORKS)
    theirs = by_ansible(SERVERS, MODEL, 0.0, "bench", FORKS)
    writes = {name: [path for path in run.requests if not path.startswith("GET ")] for name, run in theirs.items()}
    assert writes["refresh"] == []
    assert set(writes["shared change"]) == {
        "PATCH /api/v1/bios/Policies/{Moid}",
        "PATCH /api/v1/server/Profiles/{Moid}",
    }
    for name in HALF:
        assert 2 * ours[name].total <= theirs[name].total, (name, ours[name].total, theirs[name].total)
