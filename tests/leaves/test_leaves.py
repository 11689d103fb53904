"""Every leaf of our own Kubernetes objects is noticed when it is gone, or is harmless for a reason with its source.

Of the example `prod`, one object of each kind and role: 662 leaves, 119 of them harmless (18.0 %).
"""

from __future__ import annotations

import copy
from collections import Counter

import pytest

from tests.leaves import gates, page
from tests.leaves.dropping import leaves, plan
from tests.leaves.verdicts import EXAMPLES, MOST_HARMLESS, entries, verdicts


@pytest.mark.parametrize("example", EXAMPLES)
def test_nothing_is_noticed_of_a_plan_as_it_is(example: str) -> None:
    planned = plan(example)
    assert gates.incoherent(planned) == []
    assert list(gates.findings(planned)) == []


def test_every_leaf_is_noticed_or_excused() -> None:
    assert [each.leaf.place for each in verdicts() if not each.gate and each.harmless is None] == []


def test_every_excuse_is_of_a_leaf_that_nothing_notices() -> None:
    used = {each.harmless for each in verdicts()}
    assert [entry["leaves"] for at, entry in enumerate(entries()) if at not in used] == []
    assert all(entry["source"].startswith("https://") and len(entry["why"]) > 20 for entry in entries())


def test_at_most_a_fifth_is_harmless() -> None:
    harmless = sum(each.harmless is not None for each in verdicts())
    assert harmless <= MOST_HARMLESS * len(verdicts()), f"{harmless} of {len(verdicts())}"


def test_every_gate_stops_something() -> None:
    assert set(gates.NAMES) <= {each.gate for each in verdicts()}


def test_what_the_api_server_refused_are_leaves_of_today() -> None:
    places = {leaf.place for example in EXAMPLES for leaf in leaves(plan(example))}
    assert [place for known in gates.refused().values() for place in known if place not in places] == []


def test_an_object_has_each_leaf_once_and_a_changed_plan_lacks_just_this_one() -> None:
    planned = plan(EXAMPLES[0])
    before = copy.deepcopy(planned)
    found = leaves(planned)
    assert max(Counter(each.place for each in found).values()) == 1
    for each in found:
        now = each.dropped(planned)
        assert [at for at, one in enumerate(now) if one != planned[at]] == [each.at]
    assert planned == before


def test_the_page_is_todays() -> None:
    assert page.PAGE.read_text() == page.text(verdicts())
