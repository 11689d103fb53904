"""Lists that people write say each thing once: where two changes have touched one line, a merge may have kept both."""

from collections import Counter

import pytest

from tests.test_sizes import ROOT

_ALIKE = 80
"""Characters at the beginning of an entry by which two are the same."""
LISTS = {"CHANGELOG.md": "- ", "docs/coverage.md": "| ", "lab/FIDELITY.md": "| "}


@pytest.mark.parametrize("page", LISTS)
def test_an_entry_is_there_once(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    entries = Counter(line[:_ALIKE] for line in lines if line.startswith(LISTS[page]) and len(line) > _ALIKE)
    assert [each for each, count in entries.items() if count > 1] == []
