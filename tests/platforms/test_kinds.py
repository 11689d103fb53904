"""Who knows which kind of object, and that none of those who know refuses one of an example."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.platforms import kinds
from tests.platforms.published import SETTLED, Published, publishing

pytestmark = pytest.mark.rough


@pytest.fixture(scope="module")
def published() -> Iterator[Published]:
    """Whoever publishes schemas."""
    with publishing() as made:
        yield made


def test_the_table_of_kinds_and_judges_is_todays_and_no_disagreement_is_left(published: Published) -> None:
    assert kinds.TABLE.read_text() == kinds.text(kinds.known(published))
    reasons: set[tuple[str, str]] = set()
    for version, found in kinds.of_examples():
        assert published.refusals(found, version) == []
        for each in found:
            for why in published.verdict(each, version).values():
                reasons |= {(kind, words) for kind, words in SETTLED if kind == each["kind"] and words in why}
    assert reasons == set(SETTLED), "what nobody refuses any more needs no source"


def test_published_schemas_refuse_a_field_that_nobody_knows(published: Published) -> None:
    for version, found in kinds.of_examples():
        for kind, example in {each["kind"]: each for each in found}.items():
            verdict = published.verdict({**example, "unheardOf": 1}, version)
            assert all(verdict.values()), (kind, verdict)
