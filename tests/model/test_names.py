"""Names that one thing takes from another."""

import copy
from collections.abc import Callable

import pytest

from podwright.components.model import SpecErrors, load
from tests.model.changes import PROD, Said
from tests.model.kserve_cases import called
from tests.model.name_cases import ACCEPTED
from tests.model.test_coherence import judged


@pytest.mark.parametrize(("base", "change"), ACCEPTED)
def test_names_that_nobody_else_has_are_accepted(base: Said, change: Callable[[Said], None]) -> None:
    said = copy.deepcopy(base)
    change(said)
    assert judged(said) == []


@pytest.mark.parametrize(("characters", "refused"), [(28, []), (29, ["give it a name of at most 28 characters"])])
def test_kserve_makes_a_label_of_a_name_which_has_63_characters_at_most(characters: int, refused: list[str]) -> None:
    """`<service>-predictor-<team>`: 28 and 24 of them beside the 11."""
    said = copy.deepcopy(PROD)
    called(characters)(said)
    with pytest.raises(SpecErrors) as errors:
        load(said)
    hints = [each.hint for each in errors.value.problems if "KServe makes the name" in each.message]
    assert [each.partition(", or write kind: deployment")[0] for each in hints] == refused
