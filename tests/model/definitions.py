"""Fields that a CustomResourceDefinition has, by their paths."""

from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]


def paths(at: str, schema: Schema, *, goes_on: Callable[[str, Schema], bool]) -> Iterator[str]:
    """`at` and what is below it, `spec.field[].field`; below one for which `goes_on` is false nothing is listed."""
    yield at
    if not goes_on(at, schema):
        return
    for name, each in schema.get("properties", {}).items():
        yield from paths(f"{at}.{name}", each, goes_on=goes_on)
    if "items" in schema:
        yield from paths(f"{at}[]", schema["items"], goes_on=goes_on)
