"""Properties as Pulumi's SDK decodes them, which say whose they are where a rule reads an unknown value."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy.proxy import UnknownValueError as TheirUnknown

from podwright.policies.rules.resource import UnknownValueError


def owned(value: Any, urn: str) -> Any:
    """Those of the resource of a URN."""
    if isinstance(value, Mapping):
        return _Map(value, urn)
    return _List(value, urn) if isinstance(value, Sequence) and not isinstance(value, str) else value


class _Map(Mapping[str, Any]):
    def __init__(self, values: Mapping[str, Any], urn: str) -> None:
        self._values, self._urn = values, urn

    def __getitem__(self, key: str) -> Any:
        try:
            return owned(self._values[key], self._urn)
        except TheirUnknown as unknown:
            raise UnknownValueError(unknown.message, self._urn) from unknown

    def __contains__(self, key: object) -> bool:
        return key in list(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class _List(Sequence[Any]):
    def __init__(self, values: Sequence[Any], urn: str) -> None:
        self._values, self._urn = values, urn

    def __getitem__(self, index: Any) -> Any:
        try:
            return owned(self._values[index], self._urn)
        except TheirUnknown as unknown:
            raise UnknownValueError(unknown.message, self._urn) from unknown

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
