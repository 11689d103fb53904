"""Who runs beside whom when the suite has two workers: slow tests first, shared sites on one worker."""

import os

import pytest
from hypothesis import settings

# The same examples on every machine, so that a red run is red again; PODWRIGHT_EXPLORE=1 draws new ones each time.
settings.register_profile("same", derandomize=True)
settings.load_profile("default" if os.environ.get("PODWRIGHT_EXPLORE") else "same")


@pytest.hookimpl(tryfirst=True)  # before the plugin reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One group for everything that uses the shared site, one for each other end-to-end file, one for each folder
    beside: its fixtures are made once, and its files may tell one story.

    Groups are handed out in this order: the longest first, then whatever fills the time beside it.
    """
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: (_group(item) != "site", "/e2e/" not in item.nodeid))


def _group(item: pytest.Item) -> str:
    shared: tuple[str, ...] = getattr(item, "fixturenames", ())
    file = item.nodeid.partition("::")[0]
    if "/e2e/" not in file:
        return file.rpartition("/")[0]
    return "site" if "converged" in shared else file
