"""Names and references that every Intersight resource shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.intersight_table.table import object_types
from podwright.components.providers.protocol.kind import Failure, Values
from podwright.components.providers.protocol.kind import Path as Trail
from podwright.components.providers.protocol.shape import nearest

NAME = re.compile(r"^[a-zA-Z0-9_.:-]{1,64}$")
"""Names of policies and pools (pattern of Cisco's API document)."""
RESERVED_TAGS = ("podwright", "cisco.")
"""Beginnings of tags that mark an owner, or that the server adds itself."""
PROFILE_NAME = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
"""Names of profiles: no colon."""

BUILT_IN: Mapping[str, str] = {"iam.EndPointRole": "RoleType eq 'endpoint-admin' and Type eq 'IMC'"}
"""Types of which Intersight itself brings the objects, in no organization, and what a query by name needs beside it:
roles of the same names are there for other devices too."""


def spec_of(inputs: Values) -> Mapping[str, Any]:
    """The spec of checked inputs."""
    spec: Mapping[str, Any] = inputs["spec"]
    return spec


def judge_name(spec: Mapping[str, Any], pattern: re.Pattern[str], key: str = "name") -> Iterator[Failure]:
    """What is wrong with the spec's name, or with another one that it says under `key`."""
    name = spec.get(key)
    if isinstance(name, str) and not pattern.match(name):
        yield Failure(("spec", key), f"{name!r} is no name that Intersight takes: {pattern.pattern}")


def judge_tags(tags: Mapping[str, Any], trail: Trail) -> Iterator[Failure]:
    """What is wrong with tags: the owner's marks and the server's own are no spec's."""
    for key, value in tags.items():
        if key.startswith(RESERVED_TAGS):
            yield Failure((*trail, key), f"tags that begin with {' or '.join(RESERVED_TAGS)} are not a spec's")
        elif not isinstance(value, str):
            yield Failure((*trail, key), f"must be a text, not {value!r}")


def judge_targets(value: Any, trail: Trail, types: tuple[str, ...]) -> Iterator[Failure]:
    """What is wrong with ``{"object_type", "name"}`` or a list of them."""
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield from judge_targets(entry, (*trail, index), types)
        return
    if not isinstance(value, Mapping):
        yield Failure(trail, "must name an object: {object_type, name}")
        return
    for key in ("object_type", "name"):
        if not isinstance(value.get(key), str):
            yield Failure((*trail, key), f"{key} is missing")
    for key in value:
        if key not in {"object_type", "name", "organization"}:
            yield Failure((*trail, key), f"there is no key {key!r} here")
    kind = value.get("object_type")
    if isinstance(kind, str) and kind not in types and kind not in BUILT_IN:
        yield Failure((*trail, "object_type"), f"unknown object type {kind!r}{nearest(kind, types)}")


def judge_bucket(policies: list[Any]) -> Iterator[Failure]:
    """What is wrong with the policies of a profile: names and types, and two of one type."""
    yield from judge_targets(policies, ("spec", "policies"), object_types())
    types = [entry.get("object_type") for entry in policies if isinstance(entry, Mapping)]
    for index, kind in enumerate(types):
        if kind in types[:index]:
            yield Failure(("spec", "policies", index), f"a profile takes one {kind}, this is the second")


def identity_parts(id: str) -> tuple[str, str, str]:
    """``ntp.Policy/default/ai-ntp`` → its three parts. Raises ValueError for anything else."""
    object_type, organization, name = id.split("/")
    return object_type, organization, name
