"""Which Kueue a release of Red Hat's operator brings, and which fields its API has: `kueue.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("kueue.toml")


@cache
def _table() -> Mapping[str, Mapping[str, str | list[str]]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def operand(channel: str) -> str | None:
    """Minor release of Kueue that a channel of kueue-operator brings, such as 0.16; None: not known here."""
    found = _table()["channels"].get(channel)
    return str(found) if found is not None else None


def fields(version: str) -> frozenset[str]:
    """`Kind path` of every field of the API v1beta2 that a minor release of Kueue has; none where it does not serve
    that version."""
    rows = _table()["fields"]
    return frozenset(path for since, paths in rows.items() if _number(since) <= _number(version) for path in paths)


def written() -> dict[str, str]:
    """By key of `openshift.queues`, `Kind path` of the field that it is written to."""
    return {key: str(path) for key, path in _table()["keys"].items()}


def serving() -> tuple[str, ...]:
    """Channels of kueue-operator whose Kueue serves v1beta2."""
    return tuple(channel for channel in _table()["channels"] if fields(operand(channel) or "0"))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
