"""How many requests a command makes of Intersight, at a few servers: the limits that hold for 64 of them."""

import pytest

from tests.benchmarks import intersight
from tests.benchmarks.counting import Run

FEW, MORE = 4, 10
FIRST_APPLY, SHARED_CHANGE = 12.0, 8.0
"""Requests for each server."""
REFRESH = 1.5
"""Requests for each object type in use."""


@pytest.fixture(scope="module", params=intersight.MODELS)
def runs(request: pytest.FixtureRequest) -> tuple[dict[str, Run], dict[str, Run], int]:
    """The three commands at a few servers and at some more, and the number of object types in use."""
    few, _ = intersight.runs(FEW, request.param)
    more, types = intersight.runs(MORE, request.param)
    return few, more, types


Runs = tuple[dict[str, Run], dict[str, Run], int]


@pytest.mark.parametrize(("command", "limit"), [("first apply", FIRST_APPLY), ("shared change", SHARED_CHANGE)])
def test_each_server_more_costs_no_more_requests_than_its_limit(runs: Runs, command: str, limit: float) -> None:
    """What the policies cost that servers share is left out: it is the same for any number of them."""
    few, more, _ = runs
    assert (more[command].total - few[command].total) / (MORE - FEW) <= limit


def test_a_refresh_that_finds_nothing_lists_each_object_type_once(runs: Runs) -> None:
    few, more, types = runs
    assert more["refresh"].total <= REFRESH * types
    assert set(more["refresh"].requests) == set(few["refresh"].requests)
    assert all(path.startswith("GET ") and "{Moid}" not in path for path in more["refresh"].requests)


def test_nothing_is_read_one_object_at_a_time(runs: Runs) -> None:
    _, more, _ = runs
    single = {path for run in more.values() for path in run.requests if path.startswith("GET ") and "{Moid}" in path}
    assert single == set()
