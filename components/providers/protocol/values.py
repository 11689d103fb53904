"""Property maps on the wire: protobuf Structs with signature keys, to plain Python values and back.

The wire has one number type (double), so whole numbers come back as int. Unknowns are reserved strings and
secrets are maps under a reserved key (sdk/go/common/resource/plugin/rpc.go and sdk/go/common/resource/sig).
Assets and archives are not used by any kind here; their maps pass through untouched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from google.protobuf import struct_pb2

from podwright.components.providers.protocol.difference import UNKNOWN, Path, Unknown
from podwright.components.providers.protocol.kind import ProviderError, Secret

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"
OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN_STRING: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
UNKNOWNS: Final = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        UNKNOWN_STRING,
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
LARGEST_WHOLE: Final = 2**53
"""Beyond this a double no longer tells neighbouring whole numbers apart."""
_CONTAINED: Final = 6
"""A secret at least this long also marks texts that contain it (a URL with a password in it)."""


def decode(struct: struct_pb2.Struct) -> dict[str, Any]:
    """A property map with `Secret` wrappers and `UNKNOWN` in place."""
    return {key: _decode(value) for key, value in struct.fields.items()}


def _decode(value: struct_pb2.Value) -> Any:
    form = value.WhichOneof("kind")
    if form == "string_value":
        text = value.string_value
        return UNKNOWN if text in UNKNOWNS else text
    if form == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() and abs(number) <= LARGEST_WHOLE else number
    if form == "bool_value":
        return value.bool_value
    if form == "struct_value":
        return _decode_map(value.struct_value)
    if form == "list_value":
        return [_decode(item) for item in value.list_value.values]
    return None


def _decode_map(struct: struct_pb2.Struct) -> Any:
    signature = struct.fields[SIGNATURE].string_value if SIGNATURE in struct.fields else ""
    if signature == SECRET:
        return Secret(_decode(struct.fields["value"]))
    if signature == OUTPUT:
        inner = _decode(struct.fields["value"]) if "value" in struct.fields else UNKNOWN
        hidden = "secret" in struct.fields and struct.fields["secret"].bool_value
        return Secret(inner) if hidden else inner
    return decode(struct)


def encode(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """The Struct that says `values`; `Secret` and `UNKNOWN` become their signatures."""
    struct = struct_pb2.Struct()
    for key, value in values.items():
        _encode(value, struct.fields[key])
    return struct


def _encode(value: Any, into: struct_pb2.Value) -> None:  # noqa: C901  (one arm per wire form reads best together)
    if value is None:
        into.null_value = struct_pb2.NULL_VALUE
    elif isinstance(value, bool):
        into.bool_value = value
    elif isinstance(value, str):
        into.string_value = value
    elif isinstance(value, int | float):
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise ProviderError(f"the number {value} is too large for the engine, which keeps numbers as doubles")
        into.number_value = value
    elif isinstance(value, Unknown):
        into.string_value = UNKNOWN_STRING
    elif isinstance(value, Secret):
        fields = into.struct_value.fields
        fields[SIGNATURE].string_value = SECRET
        _encode(plain(value.value), fields["value"])
    elif isinstance(value, Mapping):
        into.struct_value.SetInParent()
        for key, inner in value.items():
            _encode(inner, into.struct_value.fields[key])
    elif isinstance(value, list | tuple):
        into.list_value.SetInParent()
        for inner in value:
            _encode(inner, into.list_value.values.add())
    else:
        raise TypeError(f"a {type(value).__name__} cannot be a property value")


def plain(value: Any) -> Any:
    """The same value without `Secret` wrappers; unknowns stay."""
    if isinstance(value, Secret):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def unknown_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where `value` holds unknowns."""
    if isinstance(value, Unknown):
        yield path
    elif isinstance(value, Secret):
        yield from unknown_paths(value.value, path)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from unknown_paths(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from unknown_paths(inner, (*path, index))


def secret_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where `value` holds secrets."""
    if isinstance(value, Secret):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from secret_paths(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from secret_paths(inner, (*path, index))


def secret_texts(value: Any, *, inside: bool = False) -> Iterator[str]:
    """Every text that stands inside a `Secret`."""
    if isinstance(value, Secret):
        yield from secret_texts(value.value, inside=True)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from secret_texts(inner, inside=inside)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from secret_texts(inner, inside=inside)
    elif inside and isinstance(value, str) and value:
        yield value


def keep_secret(outputs: Mapping[str, Any], *inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`outputs` with everything marked secret that is secret in `inputs`: same path, same text, or a text
    holding it.
    """
    paths = {path for values in inputs for path in secret_paths(values)}
    texts = {text for values in inputs for text in secret_texts(values)}
    if not paths:
        return dict(outputs)
    return {key: _keep(value, (key,), paths, texts) for key, value in outputs.items()}


def _keep(value: Any, path: Path, paths: set[Path], texts: set[str]) -> Any:
    if isinstance(value, Secret):
        return value
    if path in paths:
        return Secret(value)
    if isinstance(value, Mapping):
        return {key: _keep(inner, (*path, key), paths, texts) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_keep(inner, (*path, index), paths, texts) for index, inner in enumerate(value)]
    if isinstance(value, str) and _carries(value, texts):
        return Secret(value)
    return value


def _carries(value: str, texts: set[str]) -> bool:
    return value in texts or any(len(text) >= _CONTAINED and text in value for text in texts)
