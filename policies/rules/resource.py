"""A resource as the engine shows it to a policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class UnknownValueError(Exception):
    """A rule read a property that nobody knows during a preview."""


@dataclass(frozen=True, eq=False)
class Resource:
    """Type token, name, URN and properties. Two are equal only where they are one, so that caches can hold them."""

    type: str
    name: str
    urn: str
    props: Mapping[str, Any]
