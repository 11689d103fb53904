"""Any value at any name of the table, in settings of a server or a role: a sentence at its place, or it is taken."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from podwright.components import model
from podwright.components.intersight_table import bios
from podwright.components.intersight_table.table import object_types, rules_of
from tools.generated import ROOT

SEED = 20261123
VALUES: tuple[Any, ...] = (1, True, [], {}, "nonsense", -5, [1, 2], {"a": 1}, [{"ObjectType": 7}], [None])
FIELDS = {"boot": "boot.PrecisionPolicy", "disks": "storage.StoragePolicy"}


def twins() -> Iterator[dict[str, Any]]:
    """Settings with one value of any type at one name: tokens, properties of each field, of every type."""
    draw = random.Random(SEED)
    for token in draw.sample(sorted(bios.every()), 40):
        yield {"bios": {token: draw.choice(VALUES)}}
    for field, kind in FIELDS.items():
        yield from ({field: {name: draw.choice(VALUES)}} for name in rules_of(kind))
    for kind in object_types():
        name = draw.choice(sorted(rules_of(kind)))
        yield {"policies": {"more": {"type": kind, "properties": {name: draw.choice(VALUES)}}}}
    yield from ({"vnics": {"eth1": {"properties": {name: draw.choice(VALUES)}}}} for name in rules_of("vnic.EthIf"))


@pytest.fixture(scope="module")
def prod() -> dict[str, Any]:
    dumped: dict[str, Any] = model.load(ROOT / "Pulumi.prod.yaml").model_dump(mode="json")
    return dumped


def of_a_server(said: dict[str, Any], settings: dict[str, Any]) -> tuple[str, ...]:
    said["servers"]["inf-01"] |= settings
    return "servers", "inf-01"


def of_a_role(said: dict[str, Any], settings: dict[str, Any]) -> tuple[str, ...]:
    said["compute"]["roles"]["blades"] = {"pools": [said["servers"]["inf-01"]["pool"]], **settings}
    return "compute", "roles", "blades"


@pytest.mark.parametrize("put", [of_a_server, pytest.param(of_a_role, marks=pytest.mark.rough)])
def test_no_value_is_taken_for_another_and_none_ends_in_a_traceback(
    prod: dict[str, Any], put: Callable[[dict[str, Any], dict[str, Any]], tuple[str, ...]]
) -> None:
    given, taken = list(twins()), []
    for settings in given:
        said = copy.deepcopy(prod)
        place = put(said, settings)
        try:
            model.load(said)
        except model.SpecErrors as errors:
            (field,) = settings
            for problem in errors.problems:
                assert problem.loc[: len(place) + 1] == (*place, field), (settings, problem)
                assert problem.hint, problem
        else:
            taken.append(settings)
    assert len(given) > 200
    assert len(taken) < len(given) / 20, taken
