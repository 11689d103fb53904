"""Who runs beside whom when the suite has a few workers: slow tests first, shared sites on one worker."""

import os
import signal
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.drawn import left_out, seed

# The same examples on every machine, so that a red run is red again; PODWRIGHT_EXPLORE=1 draws new ones each time.
settings.register_profile("same", derandomize=True)
settings.load_profile("default" if os.environ.get("PODWRIGHT_EXPLORE") else "same")

ALONE = {
    "test_at_once.py", "test_demo.py", "test_destroy.py", "test_first_up_killed.py", "test_move.py",
    "test_push_faults.py", "test_remote_cluster.py", "test_second_inventory.py", "test_second_project.py",
    "test_states.py", "test_tutorial.py",
}  # fmt: skip
"""End-to-end tests that bring their own sites up, or need none."""
LONG = (
    "tests/lab/openshift", "tests/providers/nxos", "tests/providers/openshift", "tests/providers/intersight",
    "tests/providers/redfish", "tests/coverage",
)  # fmt: skip
"""Folders of minutes each: started late, the last of them would run on one worker alone."""


class Groups(LoadScopeScheduling):  # type: ignore[misc]
    """One group for everything that uses the shared site, one for each other end-to-end file, one for each folder
    beside: its fixtures are made once, and its files may tell one story.

    Groups are handed out in the order of collection. (The plugin's own `loadgroup` writes to a field of test items that
    pytest no longer has.)
    """

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


def group(nodeid: str) -> str:
    """The group of a test."""
    folder, _, file = nodeid.partition("::")[0].rpartition("/")
    if not folder.endswith("/e2e"):
        return folder
    return f"{folder}/{file}" if file in ALONE else "site"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--drawn`: a sixth of the drills, which one by the commit or by PODWRIGHT_DRAW."""
    parser.addoption("--drawn", action="store_true", help="a sixth of the drills, by the commit")


def pytest_configure() -> None:
    """A suite in the background ignores SIGINT, one behind `nohup` SIGHUP, and so would every command it strikes."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups:
    """Ours, whatever --dist says."""
    return Groups(config, log)


@pytest.hookimpl(trylast=True)  # once -m has chosen: a sixth of what is left
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is drawn, in its order."""
    if config.getoption("--drawn"):
        _draw(config, items)
    _sort(items)


def _draw(config: pytest.Config, items: list[pytest.Item]) -> None:
    files = {item: item.nodeid.partition("::")[0] for item in items}
    without = left_out(files.values(), seed("PODWRIGHT_DRAW"))
    config.hook.pytest_deselected(items=[item for item in items if files[item] in without])
    items[:] = [item for item in items if files[item] not in without]


def _sort(items: list[pytest.Item]) -> None:
    """The shared site first, as it takes longest, then the other sites, then whatever fills the time beside them.

    Of the shared site's, first those of killed commands: they compare another site with it as its first `up` left it.
    """
    for item in items:
        if "converged" in getattr(item, "fixturenames", ()):
            assert group(item.nodeid) == "site", f"{item.nodeid} uses the shared site: take its file out of ALONE"
    items.sort(
        key=lambda item: (
            group(item.nodeid) != "site",
            "/e2e/test_kills.py" not in item.nodeid,
            "/e2e/" not in item.nodeid,
            LONG.index(group(item.nodeid)) if group(item.nodeid) in LONG else len(LONG),
        )
    )
