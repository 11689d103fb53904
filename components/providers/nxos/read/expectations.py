"""What interfaces must show, written once for those alike: defaults of a class, and what each interface has of its own.

A fabric of 88 switches holds 4,000 interfaces with a dozen values each, nearly all equal; the engine pays for each
value it is given. Both forms say the same: rows, one for each interface with everything in it, which is what is
compared with a switch; and the compact form of `spec`, which is what the engine is given.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

SCHEMA: Final = 2
"""Number of the compact form; 1 had `interfaces` as rows."""
WITHOUT: Final = "without"
"""Defaults of its class that are not asked of an interface."""
Values = Mapping[str, Any]
Rows = Mapping[str, Values]


def compact(spec: Values) -> dict[str, Any]:
    """A spec whose `interfaces` are rows, in the compact form: `defaults` by class, `interfaces` by class and name."""
    classes: dict[str, dict[str, Values]] = {}
    for name, row in spec["interfaces"].items():
        classes.setdefault(_class(row), {})[name] = row
    defaults = {each: _usual(rows.values()) for each, rows in classes.items()}
    return {**spec, "schema": SCHEMA, "defaults": defaults, "interfaces": _apart(classes, defaults)}


def expanded(spec: Values) -> dict[str, dict[str, Any]]:
    """The rows of a spec in the compact form, by interface."""
    found: dict[str, dict[str, Any]] = {}
    for each, interfaces in spec["interfaces"].items():
        defaults = spec["defaults"].get(each, {})
        for name, own in interfaces.items():
            row = {**defaults, **own}
            for key in row.pop(WITHOUT, ()):
                del row[key]
            found[name] = row
    return found


def showing(spec: Values, rows: Rows) -> dict[str, Any]:
    """A spec in the compact form with other values: classes and defaults stay, so that what differs stands alone."""
    classes = {each: {name: rows[name] for name in interfaces} for each, interfaces in spec["interfaces"].items()}
    return {**spec, "interfaces": _apart(classes, spec["defaults"])}


def _class(row: Values) -> str:
    """Ports between switches, ports to hosts, gateways of VLANs, neighbours behind a loopback."""
    if "up" not in row:
        return "neighbors" if "session" in row else "gateways"
    return "hosts" if row.get("may_be_down") else "links"


def _usual(rows: Iterable[Values]) -> dict[str, Any]:
    """Values that more interfaces of a class have than lack; the smallest of those that are equally many."""
    rows = list(rows)
    found = {}
    for key in sorted({key for row in rows for key in row}):
        counts = Counter(row[key] for row in rows if key in row)
        value, most = min(counts.items(), key=lambda each: (-each[1], str(each[0])))
        if most > max(1, len(rows) - counts.total()):
            found[key] = value
    return found


def _apart(classes: Mapping[str, Rows], defaults: Rows) -> dict[str, dict[str, dict[str, Any]]]:
    return {
        each: {name: _own(row, defaults.get(each, {})) for name, row in rows.items()} for each, rows in classes.items()
    }


def _own(row: Values, defaults: Values) -> dict[str, Any]:
    own = {key: value for key, value in row.items() if key not in defaults or defaults[key] != value}
    lacking = sorted(defaults.keys() - row.keys())
    return own | {WITHOUT: lacking} if lacking else own
