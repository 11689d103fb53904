"""Platforms that nobody wrote: every pod finds room, all sums agree, what is refused is refused in sentences."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from tests.platforms import attached, kinds, placing, sums
from tests.platforms.drawn import drawn
from tests.platforms.nodes import nodes
from tests.platforms.planned import Object, objects
from tests.platforms.published import Published, publishing
from tests.platforms.served import Served, serving

SEED = os.environ.get("PODWRIGHT_PLATFORMS_SEED", "")
"""Any seed must pass; without one it is always the same few."""
COUNT = 20 if SEED else 5
LEAST = 0.3
"""Of what is drawn, the share that is a platform at least: less would look at refusals alone."""


@dataclass(frozen=True)
class Platform:
    """One stack file that `check` accepts, and the objects of its plan."""

    seed: str
    file: dict[str, Any]
    found: list[Object]


@dataclass
class Drawn:
    """Platforms of a run, and why what else was drawn is none."""

    platforms: list[Platform] = field(default_factory=list)
    refused: dict[str, model.SpecErrors] = field(default_factory=dict)


@pytest.fixture(scope="module")
def lot(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """COUNT platforms."""
    made, folder = Drawn(), tmp_path_factory.mktemp("files")
    for number in range(round(COUNT / LEAST)):
        seed = f"{SEED}/{number}"
        file = json.loads(json.dumps(drawn(seed)))
        path = folder / f"Pulumi.p{number}.yaml"
        path.write_text(yaml.safe_dump({"config": {"podwright:cluster": file}}, sort_keys=False, width=200))
        try:
            cluster = model.load(path)
        except model.SpecErrors as problems:
            made.refused[seed] = problems
            continue
        made.platforms.append(Platform(seed, file, objects(cluster)))
        if len(made.platforms) == COUNT:
            break
    print(f"{len(made.platforms)} platforms, {len(made.refused)} files refused", flush=True)
    return made


def test_enough_of_what_is_drawn_is_a_platform(lot: Drawn) -> None:
    assert len(lot.platforms) == COUNT


def test_what_is_refused_is_refused_at_its_place_with_what_to_write_instead(lot: Drawn) -> None:
    for problems in lot.refused.values():
        text = str(problems)
        assert all(each.message and each.hint for each in problems.problems)
        assert sum(line.strip().startswith("^") for line in text.splitlines()) == len(problems.problems), text


def test_every_pod_finds_a_node_beside_all_others(lot: Drawn) -> None:
    for each in lot.platforms:
        assert placing.pending(placing.groups(each.found), nodes(each.file, each.found)) == [], each.seed


def test_every_pod_finds_what_it_names(lot: Drawn) -> None:
    for each in lot.platforms:
        assert attached.wanting(each.found) == [], each.seed


def test_all_sums_agree(lot: Drawn) -> None:
    for each in lot.platforms:
        assert sums.wrong(each.file, each.found) == [], each.seed


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An API server with every definition."""
    with serving(Path(tmp_path_factory.mktemp("plane")) / "rack") as made:
        yield made


@pytest.fixture(scope="module")
def published() -> Iterator[Published]:
    """Whoever publishes schemas."""
    with publishing() as made:
        yield made


@pytest.mark.rough
def test_published_schemas_take_every_object_of_a_kind_that_they_know(lot: Drawn, published: Published) -> None:
    table = yaml.safe_load(kinds.TABLE.read_text())
    for each in lot.platforms:
        version = each.file["openshift"]["version"]
        assert published.refusals(each.found, version) == [], each.seed
        for one in each.found:
            assert sorted(published.verdict(one, version)) == table[f"{one['apiVersion']} {one['kind']}"]


@pytest.mark.rough
def test_the_api_server_takes_every_object_and_no_unknown_field(lot: Drawn, served: Served) -> None:
    for each in lot.platforms:
        assert served.refusals(each.found) == [], each.seed
    for kind, example in {each["kind"]: each for one in lot.platforms for each in one.found}.items():
        wrong = {**example, "spec": {**example.get("spec", {}), "unheardOf": 1}}
        assert served.refusals([wrong]), kind
