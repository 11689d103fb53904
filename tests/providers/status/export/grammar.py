"""A reader of both text forms, written from their grammars: a line that these do not allow is an error.

Prometheus text format 0.0.4 (prometheus.io, exposition formats) and OpenMetrics 1.0.0 (its ABNF): gauges and counters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.registry import Collector

from podwright.components.providers.nxos.read.metrics import Sample
from podwright.components.providers.status.export.collector import families

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ([+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf|NaN))")
ESCAPED = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}
Series = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(text: str, openmetrics: bool = False) -> Series:
    """Value by name and labels. Raises AssertionError with the line that no grammar allows."""
    assert (not text or text.endswith("\n")) and "\r" not in text
    lines = text.split("\n")[:-1]
    if openmetrics:
        assert lines.pop() == "# EOF"
    found: Series = {}
    families: dict[str, dict[str, str]] = {}
    current = ""
    for line in lines:
        if line.startswith("# "):
            word, name, rest = re.fullmatch(rf"# (HELP|TYPE|UNIT) ({NAME}) (.+)", line).groups()  # type: ignore[union-attr]
            if name != current:
                assert name not in families, f"{name} stands in two places"
                current = name
            family = families.setdefault(name, {})
            assert word not in family, line
            assert re.fullmatch(r'(?:[^\\]|\\[n\\"])*' if openmetrics else r"(?:[^\\]|\\[n\\])*", rest), line
            family[word] = rest
            if word == "TYPE":
                assert rest in ("gauge", "counter"), line
            assert word != "UNIT" or (openmetrics and name.endswith(f"_{rest}")), line
            continue
        match = SAMPLE.fullmatch(line)
        assert match, f"no sample: {line!r}"
        name, inner, value = match.groups()
        kind = families[current]["TYPE"]
        expected = f"{current}_total" if openmetrics and kind == "counter" else current
        assert name == expected and "HELP" in families[current], line
        assert (kind == "counter") == name.endswith("_total"), line
        pairs = [each.partition("=")[::2] for each in re.findall(LABEL, inner or "")]
        labels = {key: re.sub(r"\\.", lambda m: ESCAPED[m[0]], quoted[1:-1]) for key, quoted in pairs}
        assert len(labels) == len(pairs), f"a label twice: {line}"
        key = (name, frozenset(labels.items()))
        assert key not in found, f"a series twice: {line}"
        found[key] = float(value)
    return found


def value(series: Series, name: str, **labels: str) -> float | None:
    """The one series of that name with at least these labels; None where there is none."""
    hits = [number for (known, has), number in series.items() if known == name and labels.items() <= dict(has).items()]
    assert len(hits) < 2, f"{name} {labels}: {len(hits)} series"
    return hits[0] if hits else None


def render(samples: Iterable[Sample], openmetrics: bool = False) -> str:
    """What a scrape of these samples reads."""

    class Fixed(Collector):
        def collect(self) -> Iterator[Metric]:
            return families(samples)

    registry = CollectorRegistry()
    registry.register(Fixed())
    return (generate_openmetrics if openmetrics else generate_latest)(registry).decode()
