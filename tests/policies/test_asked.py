"""Questions of rules about servers, where something is not known: what is known is asked first, the rest raises."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pytest
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE as UNKNOWN

from podwright.policies.rules.pack.properties import PartlyKnownList, PartlyKnownMap
from podwright.policies.rules.resource import UnknownValueError
from podwright.policies.rules.rule import NotApplicable
from podwright.policies.rules.servers import asked as ask
from podwright.policies.rules.servers.inventory import shown

HALF = PartlyKnownMap({"a": 1, "b": UNKNOWN, "c": 3}, (), "urn")
LIST = PartlyKnownList([UNKNOWN, 2, 3], (), "urn")


def found(things: Iterable[Any]) -> list[Any]:
    """What comes before an unknown value is raised, and `...` for that."""
    seen: list[Any] = []
    try:
        seen.extend(iter(things))
    except UnknownValueError:
        seen.append(...)
    return seen


def answer(test: Callable[[], object]) -> object:
    try:
        return test()
    except UnknownValueError:
        return ...


def test_what_is_known_comes_before_what_is_not() -> None:
    assert found(ask.members(LIST)) == [2, 3, ...]
    assert found(ask.members(HALF)) == [1, 3, ...]
    assert [found(ask.members(each)) for each in (None, [], {}, [1], {"a": 1})] == [[], [], [], [1], [1]]
    assert found(ask.sifted(lambda key: HALF[key] > 1, "bca")) == ["c", ...]
    assert found(ask.sifted(lambda key: HALF[key] > 1, "ca")) == ["c"]
    assert found(ask.each_of(HALF.__getitem__, "bac")) == [1, 3, ...]
    assert found(ask.joined(ask.members(LIST), sum)) == [5, ...]
    assert found(ask.joined([2, 3], sum)) == [5]
    assert found(ask.joined([], sum)) == []


def test_a_question_that_is_not_answered_keeps_no_other_from_being_asked() -> None:
    def twice(key: str) -> Iterator[int]:
        yield from (HALF[key], HALF[key])

    assert found(ask.asked(twice, "bac")) == [1, 1, 3, 3, ...]
    assert found(ask.all_of([lambda: twice("b"), lambda: twice("c")])) == [3, 3, ...]
    with pytest.raises(NotApplicable, match="nothing there"):
        found(ask.asked(twice, [], "nothing there"))
    with pytest.raises(UnknownValueError):
        list(ask.asked(twice, ask.members(PartlyKnownList([UNKNOWN], (), "urn")), "nothing there"))


@pytest.mark.parametrize(
    ("keys", "some_hold", "all_of_them_hold"),
    [
        ("ac", True, True),
        ("az", True, False),
        ("ab", True, ...),
        ("bz", ..., False),
        ("b", ..., ...),
        ("z", False, False),
    ],
)
def test_one_known_answer_is_enough(keys: str, some_hold: object, all_of_them_hold: object) -> None:
    tests = [lambda key=key: key != "z" and HALF[key] for key in keys]
    assert answer(lambda: ask.any_of(tests)) == some_hold
    assert answer(lambda: ask.holds(lambda test: test(), tests)) == some_hold
    assert answer(lambda: ask.all_hold(tests)) == all_of_them_hold


@pytest.mark.parametrize(
    ("one", "two", "other"),
    [
        (HALF, {"a": 1, "b": 2, "c": 3}, ...),
        (HALF, {"a": 2, "b": 2, "c": 3}, True),
        (HALF, {"a": 1, "c": 3}, True),
        (LIST, [1, 2, 3], ...),
        (LIST, [1, 2, 4], True),
        (LIST, [1, 2], True),
        ({"b": [1], "a": "x"}, {"a": "x", "b": [1]}, False),
        ("ab", "ab", False),
        ("ab", ["a", "b"], True),
        (["a"], "a", True),
    ],
)
def test_two_values_differ_where_a_known_part_does(one: object, two: object, other: object) -> None:
    assert answer(lambda: ask.differ(one, two)) == other
    assert answer(lambda: ask.differ(two, one)) == other


def test_nothing_is_missing_among_what_is_not_known() -> None:
    some, every = ask.some(ask.members(LIST)), ask.some([2, 4])
    assert found(some.without(every)) == [3, ...]
    assert found(every.without(some)) == [...]
    assert found(ask.some([3, 2]).without(some)) == []
    assert found(every.without(ask.some([4]))) == [2]
    assert [answer(partial(some.has, one)) for one in (2, 4)] == [True, ...]
    assert [every.has(one) for one in (2, 3)] == [True, False]


def test_a_thing_of_an_unknown_key_may_be_the_one_that_is_not_found() -> None:
    named = [{"kind": "x", "name": "a"}, PartlyKnownMap({"kind": "x", "name": UNKNOWN}, (), "urn")]
    by_key = ask.indexed(named, lambda each: each["kind"], lambda each: each["name"])
    assert by_key["x", "a"] is named[0]
    assert answer(lambda: by_key.get(("x", "b"))) is ...
    assert answer(lambda: ("x", "b") in by_key) is ...
    assert by_key.get(("y", "b")) is None
    assert found(by_key) == [("x", "a"), ...]
    assert answer(lambda: len(by_key)) is ...
    by_name = ask.indexed(ask.members(PartlyKnownList([UNKNOWN, {"name": "a"}], (), "urn")), lambda each: each["name"])
    assert by_name["a"] == {"name": "a"}
    assert answer(lambda: by_name.get("b")) is ...
    assert found(by_name) == ["a", ...]
    assert ask.indexed([{"name": "a"}, {"name": "a", "last": True}], lambda each: each["name"]) == {
        "a": {"name": "a", "last": True}
    }


@pytest.mark.parametrize(
    ("value", "words"), [(9216.0, "9216"), (9216, "9216"), (0.5, "0.5"), ("Tls", "Tls"), (0, "514")]
)
def test_a_number_of_the_engine_stands_in_a_sentence_as_it_was_written(value: object, words: str) -> None:
    assert shown({"of": value}, "of", "514") == words
