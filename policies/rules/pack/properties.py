"""Properties of a resource as the engine sends them (protobuf), as plain Python values.

Secrets arrive under a signature and are checked by their value. Unknowns are reserved strings (both in Pulumi's
sdk/go/common/resource/plugin/rpc.go): a map or list that holds one raises UnknownValueError where the unknown is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from google.protobuf import struct_pb2

from ..resource import UnknownValueError

_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  (a signature, public by design)
_UNKNOWNS: Final = {
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7": "boolean",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421": "number",
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9": "string",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2": "Array",
    "030794c1-ac77-496b-92df-f27374a8bd58": "asset",
    "e48ece36-62e2-4504-bad9-02848725956a": "archive",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff": "Object",
}
Path = tuple[str, ...]


class PartlyKnownMap(Mapping[str, Any]):
    """A map with unknowns in it."""

    def __init__(self, values: dict[str, Any], path: Path, urn: str) -> None:
        self._values, self._path, self._urn = values, path, urn

    def __getitem__(self, key: str) -> Any:
        return _known(self._values[key], (*self._path, key), self._urn)

    def __contains__(self, key: object) -> bool:
        """Whether it has the key, known or not: nothing is read."""
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class PartlyKnownList(Sequence[Any]):
    """A list with unknowns in it."""

    def __init__(self, values: list[Any], path: Path, urn: str) -> None:
        self._values, self._path, self._urn = values, path, urn

    def __getitem__(self, index: Any) -> Any:
        return _known(self._values[index], (*self._path, str(index)), self._urn)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        """Whether another list has the same members: every one is read, as it is of a map."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _known(value: Any, path: Path, urn: str) -> Any:
    if isinstance(value, str) and value in _UNKNOWNS:
        raise UnknownValueError(f"{_UNKNOWNS[value]} value at .{'.'.join(path)} can't be known during preview", urn)
    return value


def decode(struct: struct_pb2.Struct, urn: str = "", path: Path = ()) -> Mapping[str, Any]:
    """Properties of the resource of a URN; whole numbers as int, since the wire has one number type (double).

    Keys are sorted: the wire has none of their order, and findings should not come in another one each time.
    """
    values = {key: _decode(value, urn, (*path, key)) for key, value in sorted(struct.fields.items())}
    return PartlyKnownMap(values, path, urn) if _unknown_among(values.values()) else values


def _decode(value: struct_pb2.Value, urn: str, path: Path) -> Any:
    form = value.WhichOneof("kind")
    if form == "string_value":
        return value.string_value
    if form == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if form == "bool_value":
        return value.bool_value
    if form == "struct_value":
        fields = value.struct_value.fields
        if _SIGNATURE in fields and fields[_SIGNATURE].string_value == _SECRET:
            return _decode(fields["value"], urn, path)
        return decode(value.struct_value, urn, path)
    if form == "list_value":
        values = [_decode(each, urn, (*path, str(at))) for at, each in enumerate(value.list_value.values)]
        return PartlyKnownList(values, path, urn) if _unknown_among(values) else values
    return None


def _unknown_among(values: Any) -> bool:
    return any(type(each) is str and each in _UNKNOWNS for each in values)
