"""What lies between two specs of an Intersight object: its properties, references and children, each with its row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from podwright.components.changes.disruption import UNSURE, Disruption, PropertyRow
from podwright.components.changes.policies import ROWS

Spec = Mapping[str, Any]
_UNKNOWN: Final = PropertyRow("", "*", Disruption.REBOOT, "a type of object that the table does not know", UNSURE)


@dataclass(frozen=True)
class PropertyChange:
    """A property that differs between two specs of an object, or a child that is added or removed."""

    name: str
    """`SmtMode`, `VlanSettings.NativeVlan`; of a child, with its name before it: `eth0.Placement.Uplink`, `eth2`."""
    part: str
    """Key of the spec that it is in: properties, references or children."""
    row: PropertyRow


def row_of(object_type: str, path: str) -> PropertyRow:
    """The row of a property, else that of what it is a part of, else that of every property of the type."""
    rows = ROWS.get(object_type)
    if rows is None:
        return _UNKNOWN
    while path and path not in rows:
        path = path.rpartition(".")[0]
    return rows[path or "*"]


def attached(object_type: str) -> PropertyRow:
    """The row of a policy that joins or leaves a profile, and of a child that joins or leaves its policy."""
    return ROWS.get(object_type, {"": _UNKNOWN})[""]


def property_changes(old: Spec, new: Spec) -> tuple[PropertyChange, ...]:
    """Between two specs of `podwright:intersight:Policy` of one name, in the order of the spec."""
    kind = str(new.get("object_type") or old.get("object_type") or "")
    ours = set(new.get("initial") or ())
    found = [each for each in _object(kind, old, new) if each.part != "properties" or each.name not in ours]
    before, after = (_children(each) for each in (old, new))
    for key in {**before, **after}:
        name = key[1]
        if key not in before or key not in after:
            found.append(PropertyChange(name, "children", attached(key[0])))
            continue
        inner = _object(key[0], before[key], after[key])
        found += [PropertyChange(f"{name}.{each.name}", "children", each.row) for each in inner]
    return tuple(found)


def _object(kind: str, old: Spec, new: Spec) -> Iterator[PropertyChange]:
    for part in ("properties", "references"):
        before, after = (each.get(part) or {} for each in (old, new))
        for path in _differing(before, after):
            yield PropertyChange(path, part, row_of(kind, path))


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name in {**old, **new}:
        path = f"{above}{name}"
        before, after = old.get(name), new.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _differing(before, after, f"{path}.")
        elif before != after:
            yield path


def _children(spec: Spec) -> dict[tuple[str, str], Spec]:
    return {(str(each["object_type"]), str(each["name"])): each for each in spec.get("children") or ()}


def what_restarts(specs: Mapping[str, Spec]) -> list[Any]:
    """Of the specs of a profile's policies, by name, everything that takes effect with a restart only.

    Its digest changes when a server must restart for a change, and not for one that it takes while it runs.
    """
    parts = ((name, list(_restarting(spec))) for name, spec in sorted(specs.items()))
    return [[name, *part] for name, part in parts if part]


def _restarting(spec: Spec) -> Iterator[Any]:
    inner = [spec, *(spec.get("children") or ())]
    for each in inner:
        kind = str(each["object_type"])
        values = {**(each.get("properties") or {}), **(each.get("references") or {})}
        kept = {path: value for path, value in _leaves(values) if row_of(kind, path).disruption >= Disruption.REBOOT}
        if kept or attached(kind).disruption >= Disruption.REBOOT:
            yield [kind, str(each["name"]), dict(sorted(kept.items()))]


def what_wipes(specs: Iterable[Spec]) -> list[Any]:
    """Of the specs of a profile's policies everything that costs data on disks when it changes, whatever their names.

    Another policy of the same content takes the place of one without a loss.
    """
    found = []
    for spec in specs:
        parts = [(spec, ""), *((child, str(child["name"])) for child in spec.get("children") or ())]
        for each, name in parts:
            kind = str(each["object_type"])
            lost = {path: value for path, value in _leaves(each.get("properties") or {}) if _wipes(row_of(kind, path))}
            if lost or _wipes(attached(kind)):
                found.append([kind, name, dict(sorted(lost.items()))])
    return sorted(found, key=repr)


def _wipes(row: PropertyRow) -> bool:
    return row.disruption is Disruption.WIPE


def _leaves(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{path}.")
        else:
            yield path, value
