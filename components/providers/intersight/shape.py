"""Names and references that every Intersight resource shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.protocol.kind import Failure, Values
from podwright.components.providers.protocol.kind import Path as Trail
from podwright.components.providers.protocol.shape import nearest

NAME = re.compile(r"^[a-zA-Z0-9_.:-]{1,64}$")
"""Names of policies and pools (pattern of Cisco's API document)."""
PROFILE_NAME = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
"""Names of profiles: no colon."""


def spec_of(inputs: Values) -> Mapping[str, Any]:
    """The spec of checked inputs."""
    spec: Mapping[str, Any] = inputs["spec"]
    return spec


def judge_name(spec: Mapping[str, Any], pattern: re.Pattern[str]) -> Iterator[Failure]:
    """What is wrong with the spec's name."""
    name = spec.get("name")
    if isinstance(name, str) and not pattern.match(name):
        yield Failure(("spec", "name"), f"{name!r} is no name that Intersight takes: {pattern.pattern}")


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
    if isinstance(kind, str) and kind not in types:
        yield Failure((*trail, "object_type"), f"unknown object type {kind!r}{nearest(kind, types)}")


def identity_parts(id: str) -> tuple[str, str, str]:
    """``ntp.Policy/default/ai-ntp`` → its three parts. Raises ValueError for anything else."""
    object_type, organization, name = id.split("/")
    return object_type, organization, name
