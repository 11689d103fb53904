"""Who runs beside whom when the suite has two workers: slow tests first, shared sites on one worker."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One group for everything that uses the shared site, one for each other file, so that fixtures are made once.

    Groups are handed out in this order: the longest first, then whatever fills the time beside it.
    """
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: (_group(item) != "site", "/e2e/" not in item.nodeid))


def _group(item: pytest.Item) -> str:
    shared: tuple[str, ...] = getattr(item, "fixturenames", ())
    return "site" if "converged" in shared else item.nodeid.partition("::")[0]
