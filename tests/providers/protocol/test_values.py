from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwright.components.providers.protocol.difference import UNKNOWN, Path, leaf_difference, render
from podwright.components.providers.protocol.kind import ProviderError, Secret
from podwright.components.providers.protocol.scrub import HIDDEN, Scrubber
from podwright.components.providers.protocol.values import UNKNOWNS, decode, encode, plain, secret_texts, unknown_paths

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(lambda t: t not in UNKNOWNS)
LEAF = (
    st.none()
    | st.booleans()
    | TEXT
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False).map(
        lambda n: int(n) if n.is_integer() and abs(n) <= 2**53 else n
    )
)
KEY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10) | st.sampled_from(
    ["interface Ethernet1/1", 'say "hello"', "a.b[0]", "*", "router bgp 64601", "[0]", "back\\slash"]
)
PLAIN = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4), max_leaves=12
)
MARKED = st.recursive(
    LEAF | st.just(UNKNOWN) | TEXT.map(Secret),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEY, MARKED, max_size=5))
def test_what_is_encoded_decodes_to_itself(values: dict[str, Any]) -> None:
    wire = encode(values).SerializeToString()
    from google.protobuf import struct_pb2

    assert decode(struct_pb2.Struct.FromString(wire)) == values


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def replaced(value: Any, path: Path, by: Any) -> Any:
    if not path:
        return by
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], by)
    return copy


@given(st.dictionaries(KEY, PLAIN, min_size=1, max_size=5), st.data())
def test_each_leaf_mutated_alone_gives_exactly_that_path(values: dict[str, Any], data: Any) -> None:
    path = data.draw(st.sampled_from(list(leaves(values))))
    mutated = replaced(values, path, "another value altogether")
    assert leaf_difference(values, mutated).changes == {path: "update"}
    assert leaf_difference(values, replaced(values, path, UNKNOWN)).changes == {path: "update"}
    assert leaf_difference(values, values).changes == {}


@given(st.dictionaries(KEY, PLAIN, min_size=1, max_size=4), st.data())
def test_a_key_more_or_less_gives_its_leaves(values: dict[str, Any], data: Any) -> None:
    key = data.draw(st.sampled_from(sorted(values)))
    fewer = {k: v for k, v in values.items() if k != key}
    expected = {(key, *path) for path in leaves(values[key])}
    assert leaf_difference(values, fewer).changes == dict.fromkeys(expected, "delete")
    assert leaf_difference(fewer, values).changes == dict.fromkeys(expected, "add")


def parsed(text: str) -> Path:
    """The engine's grammar (sdk/go/common/resource/properties_path.go), written anew."""
    path: list[str | int] = []
    while text:
        if text.startswith('["'):
            key, at = "", 2
            while text[at] != '"':
                at += text.startswith('\\"', at)
                key += text[at]
                at += 1
            assert text[at + 1] == "]"
            path.append(key)
            text = text[at + 2 :]
        elif text.startswith("["):
            index, _, text = text[1:].partition("]")
            path.append(int(index))
        else:
            text = text.removeprefix(".")
            end = min((i for i in (text.find("."), text.find("[")) if i >= 0), default=len(text))
            path.append(text[:end])
            text = text[end:]
    return tuple(path)


@given(st.lists(KEY | st.integers(0, 99), min_size=1, max_size=5).map(tuple))
def test_a_rendered_path_parses_back_or_stops_at_a_parent(path: Path) -> None:
    read = parsed(render(path))
    whole = not any(isinstance(s, str) and s.endswith("\\") for s in path)
    assert read == path if whole else path[: len(read)] == read


@pytest.mark.parametrize(
    ("old", "new"), [(True, 1), (0, False), ("1", 1), (None, ""), ({}, []), ({}, None), ([], None)]
)
def test_look_alikes_differ(old: Any, new: Any) -> None:
    assert leaf_difference({"a": old}, {"a": new}).changes == {("a",): "update"}


def test_a_number_the_engine_cannot_keep_is_refused() -> None:
    with pytest.raises(ProviderError, match="too large"):
        encode({"asn": 2**60})


def test_unknowns_and_secrets_are_found_wherever_they_are() -> None:
    values = {"a": [{"b": UNKNOWN}], "c": Secret({"d": "x", "e": ["y", UNKNOWN]})}
    assert list(unknown_paths(values)) == [("a", 0, "b"), ("c", "e", 1)]
    assert list(secret_texts(values)) == ["x", "y"]
    assert plain(values) == {"a": [{"b": UNKNOWN}], "c": {"d": "x", "e": ["y", UNKNOWN]}}


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=8, max_size=40).filter(
        lambda t: len(t.strip()) > 7 and t.strip() != HIDDEN  # what stands for a secret hides nothing
    )
)
def test_no_spelling_of_a_secret_passes(secret: str) -> None:
    scrubber = Scrubber()
    scrubber.add(secret)
    for spelling in (secret, json.dumps(secret), repr(secret), repr(secret.encode())):
        assert spelling.strip("'\"") not in scrubber.clean(f"login failed: {spelling} (code 7)")


def test_one_line_of_a_key_does_not_pass() -> None:
    pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIBkanarieAAAA1\nbbbbkanarieBBBB2==\n-----END EC PRIVATE KEY-----\n"
    scrubber = Scrubber()
    scrubber.add(pem)
    assert "kanarie" not in scrubber.clean("bad line MHcCAQEEIBkanarieAAAA1 in key; next bbbbkanarieBBBB2==")


def test_a_thousand_resources_pass_the_wire_in_seconds() -> None:
    config = {f"interface Ethernet1/{n}": "mtu 9216\nno shutdown\nservice-policy type qos input X" for n in range(64)}
    struct = encode({"spec": {"schema": 1, "config": config}})
    start = time.perf_counter()
    for _ in range(200):
        values = plain(decode(struct))
        leaf_difference(values, values)
    assert (time.perf_counter() - start) / 200 < 0.005
