"""Which KServe a release of Red Hat OpenShift AI brings, and which fields its API has: `kserve.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("kserve.toml")


@cache
def _table() -> Mapping[str, Mapping[str, str | list[str]]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def operand(channel: str) -> str | None:
    """Minor release of KServe that a channel of rhods-operator brings, such as 0.17; None: not known here."""
    found = _table()["channels"].get(channel)
    return str(found) if found is not None else None


def fields(version: str) -> frozenset[str]:
    """`Kind path` of every field that a minor release of KServe has, of the parts that podwright writes."""
    rows = _table()["fields"]
    return frozenset(path for since, paths in rows.items() if _number(since) <= _number(version) for path in paths)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
