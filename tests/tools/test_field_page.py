"""The page of fields is what changing them leads to; `tests/changes/test_fields.py` tries a few at each change."""

import pytest

from tools import field_page, generated

pytestmark = pytest.mark.rough


def test_the_page_of_fields_is_fresh() -> None:
    assert generated.stale(field_page.files()) == [], "renew with: python -m tools.field_page"
