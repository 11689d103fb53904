"""A resource as the engine shows it to a policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class UnknownValueError(Exception):
    """A rule read a property that nobody knows during a preview; with the URN of the resource that has it."""

    def __init__(self, message: str, urn: str = "") -> None:
        super().__init__(message)
        self.urn = urn


@dataclass(frozen=True, eq=False)
class Resource:
    """Type token, name, URN and properties. Two are equal only where they are one, so that caches can hold them."""

    type: str
    name: str
    urn: str
    props: Mapping[str, Any]
