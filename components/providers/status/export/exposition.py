"""The two text forms that Prometheus reads: its own, version 0.0.4, and OpenMetrics 1.0.0.

They differ in where `_total` stands (in the sample only, for OpenMetrics), in the unit line and in the end mark. Only
gauges and counters without timestamps are written.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

PLAIN = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_TOTAL = "_total"


@dataclass(frozen=True)
class Family:
    """One metric. A counter's name ends in `_total`; where there is a unit, the name before that ends in it."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    unit: str = ""
    """Prometheus base unit that the name carries: seconds, celsius; empty where values are counted or true or false."""
    command: str = ""
    """Where the values are read; empty for those of the exporter itself."""


@dataclass(frozen=True)
class Sample:
    """One value of a metric."""

    family: Family
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


def accepts_openmetrics(accept: str) -> bool:
    """True when an Accept header names OpenMetrics and does not refuse it."""
    for part in accept.split(","):
        kind, *rest = (piece.strip().lower() for piece in part.split(";"))
        if kind == "application/openmetrics-text":
            return not any(piece.replace(" ", "") in ("q=0", "q=0.0", "q=0.00", "q=0.000") for piece in rest)
    return False


def render(samples: Iterable[Sample], openmetrics: bool = False) -> str:
    """Samples grouped by family in the order of first appearance; of two with the same labels, the first stands."""
    groups: dict[str, tuple[Family, dict[str, float]]] = {}
    for each in samples:
        _, values = groups.setdefault(each.family.name, (each.family, {}))
        values.setdefault(_labels(each.labels), each.value)
    lines = []
    for family, values in groups.values():
        lines += _head(family, openmetrics)
        lines += [f"{family.name}{labels} {_number(value)}" for labels, value in values.items()]
    if openmetrics:
        lines.append("# EOF")
    return "".join(f"{line}\n" for line in lines)


def _head(family: Family, openmetrics: bool) -> list[str]:
    name = family.name.removesuffix(_TOTAL) if openmetrics and family.kind == "counter" else family.name
    # In the older form a quotation mark stands for itself in help text; OpenMetrics escapes it as in a label.
    told = _escaped(family.help) if openmetrics else family.help.replace("\\", "\\\\").replace("\n", "\\n")
    unit = [f"# UNIT {name} {family.unit}"] if openmetrics and family.unit else []
    return [f"# HELP {name} {told}", f"# TYPE {name} {family.kind}", *unit]


def _labels(labels: Mapping[str, str]) -> str:
    """Sorted, so that one set of labels has one spelling; an empty value is the same as no label."""
    inner = ",".join(f'{name}="{_escaped(value)}"' for name, value in sorted(labels.items()) if value)
    return f"{{{inner}}}" if inner else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 2**63 else repr(float(value))
