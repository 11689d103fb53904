"""Arguments from a program's properties: names, numbers, hand-overs, and every problem at its place."""

from __future__ import annotations

from typing import Any

import pytest
from pulumi.output import UNKNOWN

from podwright.components.providers.protocol.construct import ComponentError, Received
from podwright.components.schema.inputs import arguments_from
from tests.package.doubles import Air, RackArgs, ShelfArgs, Water

GOOD: dict[str, Any] = {"cluster": "lab", "site": {"powerFeed": "a"}}
PLAIN = "decides what is made, so it must be known in preview"


def rack(**inputs: Any) -> RackArgs:
    received = {key: each if isinstance(each, Received) else Received(each) for key, each in inputs.items()}
    made = arguments_from(RackArgs, "a", received)
    assert isinstance(made, RackArgs)
    return made


def problems(**inputs: Any) -> dict[str, str]:
    with pytest.raises(ComponentError) as caught:
        rack(**inputs)
    return caught.value.problems


def test_what_is_not_given_has_the_class_s_own_default() -> None:
    made = rack(**GOOD, boxes=None)
    assert (made.boxes, made.rack_gbps, made.protect, made.labels, made.after) == ({}, None, False, None, ())
    assert made.site.cooling == Air(fan_rpm=3000)


def test_names_become_the_models_and_numbers_whole_again() -> None:
    """The wire has one number type and no order."""
    made = rack(
        cluster="lab",
        site={"powerFeed": "b", "cooling": {"kind": "water", "litresPerMinute": 3.0}},
        boxes={"z_1": {"heightUnits": 2.0, "lanes": [1.0, 2.0]}, "a_1": {"heightUnits": 1.0}},
        rackGbps=100.0,
    )
    assert made.site.cooling == Water(kind="water", litres_per_minute=3)
    assert list(made.boxes) == ["a_1", "z_1"], "names that the program chose stay, in an order that does not change"
    assert made.boxes["z_1"].lanes == (1, 2)
    assert [type(lane) for lane in made.boxes["z_1"].lanes] == [int, int]
    assert made.rack_gbps == 100


def test_what_another_component_hands_out_passes_where_it_is_known() -> None:
    """A component's output that is no type of ours has the models' names; a stack file has them too."""
    made = rack(**GOOD, boxes=Received({"b": {"height_units": 2.0}}, frozenset({"urn"})))
    assert made.boxes["b"].height_units == 2


def test_arguments_may_be_a_model_altogether() -> None:
    assert arguments_from(ShelfArgs, "s", {"cluster": Received("lab"), "wideMm": Received(600.0)}) == ShelfArgs(
        cluster="lab", wide_mm=600
    )


async def test_what_is_handed_over_carries_where_it_came_from() -> None:
    source = frozenset({"urn:pulumi:lab::racks::podwright:index:Join::b-ready"})
    made = rack(**GOOD, labels=Received({"a_b": "c"}, source, secret=True), after=Received(["b", UNKNOWN], source))
    labels: Any = made.labels
    assert await labels.future() == {"a_b": "c"}
    assert await labels.is_secret()
    first, second = (each for each in made.after)
    for each, known in ((first, True), (second, False)):
        assert await each.is_known() is known  # type: ignore[union-attr]
        (resource,) = await each.resources()  # type: ignore[union-attr]
        assert await resource.urn.future() == next(iter(source))


WRONGS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "unknown input": ({**GOOD, "boxs": 1}, {"boxs": "there is no such input; did you mean `boxes`?"}),
    "missing": ({"cluster": "lab"}, {"site": "is missing; add `site:` with a mapping with powerFeed"}),
    "no choice": (
        {**GOOD, "site": {"powerFeed": "c"}},
        {"site.powerFeed": '"c" is not a choice; write one of "a", "b"'},
    ),
    "no kind": (
        {**GOOD, "site": {"powerFeed": "a", "cooling": {"fanRpm": 1}}},
        {"site.cooling.kind": "is missing; add `kind:`; write one of air, water"},
    ),
    "inside a choice": (
        {**GOOD, "site": {"powerFeed": "a", "cooling": {"kind": "air", "fanRpm": 1}}},
        {"site.cooling.fanRpm": "1 is out of range; write a whole number from 100 to 9000"},
    ),
    "said twice": (
        {**GOOD, "boxes": {"b": {"heightUnits": 1, "height_units": 1}}},
        {"boxes.b.height_units": "unknown key; did you mean `heightUnits`?"},
    ),
    "a text for a number": (
        {**GOOD, "boxes": {"b": {"heightUnits": "1"}}},
        {"boxes.b.heightUnits": '"1" is text, which does not belong here'},
    ),
    "half a number": ({**GOOD, "boxes": {"b": {"heightUnits": 1.5}}}, {"boxes.b.heightUnits": "1.5 is a number"}),
    "an unknown that decides": ({**GOOD, "site": {"powerFeed": UNKNOWN}}, {"site": PLAIN}),
    "a secret that decides": ({**GOOD, "site": Received({"powerFeed": "kanarie"}, secret=True)}, {"args.site": PLAIN}),
    "a list that is an output": ({**GOOD, "after": UNKNOWN}, {"after": "must be written as a list or a mapping"}),
    "a secret of the wrong type": (
        {**GOOD, "after": Received("kanarie", secret=True)},
        {"args.after": "must be written as a list or a mapping"},
    ),
    "a hand-over of the wrong type": ({**GOOD, "labels": {"a": 1.0}}, {"labels.a": "1 is a number"}),
}


@pytest.mark.parametrize("wrong", list(WRONGS))
def test_what_is_wrong_is_a_sentence_at_its_property(wrong: str) -> None:
    inputs, expected = WRONGS[wrong]
    found = problems(**inputs)
    assert set(found) == set(expected)
    assert [path for path, start in expected.items() if not found[path].startswith(start)] == [], found
    assert "kanarie" not in str(found)
    assert "_" not in "".join(found.values())


def test_everything_wrong_is_told_at_once() -> None:
    every = problems(site={"powerFeed": "c"}, boxs=1, labels=7, boxes={"b": {"heightUnits": 99}})
    assert set(every) == {"cluster", "site.powerFeed", "boxs", "labels", "boxes.b.heightUnits"}
