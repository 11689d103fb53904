"""What one file over another comes to, for files drawn by lot: values, and the place each of them remembers."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.model.based import KEY, document
from podwright.components.model.document import Document
from podwright.components.model.problems import Loc

NAMES = st.sampled_from(["a", "b", "c", "gpu-*", "gpu-[1-2]"])
SCALARS = st.one_of(st.integers(0, 9), st.booleans(), st.sampled_from(["x", "y", "on"]))
VALUES = st.recursive(
    st.one_of(st.none(), SCALARS, st.lists(SCALARS, max_size=3)),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
CLUSTERS = st.dictionaries(NAMES, VALUES, max_size=4)


def read(*clusters: dict[str, Any]) -> tuple[Document, dict[str, list[str]]]:
    """The last one based on the others, the first the lowest; and the lines of each file."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.yaml" for number in range(len(clusters))]
        for path, cluster in zip(paths, clusters, strict=True):
            config: dict[str, Any] = {KEY: cluster}
            if path == paths[-1] and len(paths) > 1:
                config["podwright:base"] = [each.name for each in paths[:-1]]
            path.write_text(yaml.safe_dump({"config": config}, sort_keys=False))
        return document(paths[-1]), {path.name: path.read_text().splitlines() for path in paths}


def leaves(value: object, loc: Loc = ()) -> Iterator[tuple[Loc, object]]:
    if isinstance(value, dict) and value:
        for name, each in value.items():
            yield from leaves(each, (*loc, name))
    else:
        yield loc, value


def at(value: Any, loc: Loc) -> object:
    """The value at a path, or the path itself where there is none."""
    for part in loc:
        if not isinstance(value, dict) or part not in value:
            return loc
        value = value[part]
    return value


@settings(max_examples=40, deadline=None)
@given(CLUSTERS, CLUSTERS)
def test_every_value_is_of_one_of_the_files(low: dict[str, Any], high: dict[str, Any]) -> None:
    made = read(low, high)[0].value
    for loc, value in leaves(high):
        if value is None:
            assert at(made, loc) in (None, loc)
            assert (at(made, loc) is None) == (at(low, loc) == loc), "null takes out what is below, and nothing else"
        elif value != {}:
            assert at(made, loc) == value, "what the file itself has holds"
    for loc, value in leaves(made):
        if value != {} and at(high, loc) != value:
            assert at(low, loc) == value, "what it leaves alone is as below"
    for loc, value in leaves(low):
        if loc and all(at(high, loc[:length]) == loc[:length] for length in range(1, len(loc) + 1)):
            assert at(made, loc) == value, "what no key of the file is about stays"


@settings(max_examples=30, deadline=None)
@given(st.tuples(CLUSTERS, CLUSTERS, CLUSTERS))
def test_files_are_laid_over_each_other_one_by_one(clusters: tuple[dict[str, Any], ...]) -> None:
    """A base of two files is what these two come to, written into one."""
    first, second, own = clusters
    both = read(first, second)[0].value
    assert isinstance(both, dict)
    assert read(first, second, own)[0].value == read(both, own)[0].value


@settings(max_examples=20, deadline=None)
@given(CLUSTERS)
def test_a_file_over_nothing_and_under_nothing_is_itself(cluster: dict[str, Any]) -> None:
    assert read(cluster)[0].value == cluster
    assert read({}, cluster)[0].value == cluster
    assert read(cluster, {})[0].value == cluster


@settings(max_examples=40, deadline=None)
@given(st.tuples(CLUSTERS, CLUSTERS, CLUSTERS))
def test_every_value_remembers_where_it_stands_and_what_it_replaced(clusters: tuple[dict[str, Any], ...]) -> None:
    made, lines = read(*clusters)
    for loc, value in leaves(made.value):
        if isinstance(value, dict | list):
            continue
        place = made.values[loc]
        line = lines[Path(place.file).name if place.file else "2.yaml"][place.line - 1]
        text = line[place.column - 1 : place.column - 1 + place.length]
        assert yaml.safe_load(text) == value
    for loc in made.removed:
        assert at(made.value, loc) == loc
        assert made.replaced[loc], "a key that is taken out was there"
    for loc, former in made.replaced.items():
        assert at(clusters[0], loc) == former[0].value or at(clusters[1], loc) == former[0].value
