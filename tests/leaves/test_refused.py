"""The lab's API server and published schemas still refuse an object without each of the leaves that the table names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.leaves import gates, refused
from tests.platforms.published import publishing
from tests.platforms.served import serving

pytestmark = pytest.mark.rough


def test_the_table_of_refusals_is_todays(tmp_path: Path) -> None:
    with serving(tmp_path / "rack") as served, publishing() as published:
        found = refused.refusals(served, published)
    assert {who: sorted(places) for who, places in gates.refused().items()} == {
        who: sorted(places) for who, places in found.items()
    }
