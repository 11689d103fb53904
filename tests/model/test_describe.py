"""A field may take one of several types: what is wrong with it is one finding, which names them all."""

import json
from typing import Literal

import pytest
from pydantic import ValidationError

from podwright.components.model import describe, explain
from podwright.components.model.problems import Loc
from podwright.components.model.types import Spec
from podwright.components.schema import names


class Depth(Spec):
    """A mapping without a `kind`."""

    bytes: int


class Queue(Spec):
    """A queue of a port."""

    share: int | Literal["auto"]
    """Its share."""
    depth: Depth | int | None = None
    """How much it takes."""


class Port(Spec):
    """A port."""

    queues: dict[str, Queue]
    """Its queues."""


def found(**queue: object) -> list[tuple[Loc, str, str]]:
    with pytest.raises(ValidationError) as refused:
        Port.model_validate_json(json.dumps({"queues": {"q3": queue}}), strict=True)
    errors = refused.value.errors(include_url=False)
    return [(each.loc, each.message, each.hint) for each in explain.problems(errors, {}, Port)]


def test_a_value_of_no_type_of_a_union_is_one_finding_that_names_them() -> None:
    assert found(share="some") == [
        (
            ("queues", "q3", "share"),
            '"some" is not a whole number, or "auto"',
            'write a whole number, or "auto". Its share.',
        )
    ]


def test_what_is_wrong_inside_a_union_is_found_at_the_union() -> None:
    assert found(share=1, depth={"bytes": "x"})[0][:2] == (
        ("queues", "q3", "depth"),
        '"x" is text, which does not belong here',
    )


def test_a_key_that_no_mapping_of_a_union_has_is_no_place() -> None:
    assert describe.at(Queue, ("depth", "bytes")) is int
    assert describe.at(Queue, ("depth", "elsewhere")) is None
    assert describe.at(Queue, ("share", "elsewhere")) is None


@pytest.mark.parametrize("value", [{"share": "auto", "depth": 5}, {"share": 3, "depth": {"bytes": 9}}])
def test_a_value_of_a_union_goes_outside_and_back(value: dict[str, object]) -> None:
    assert names.inside(names.written(value, Queue), Queue) == value
