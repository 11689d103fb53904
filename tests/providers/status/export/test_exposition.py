"""Both text forms against their grammars, and names."""

from __future__ import annotations

import math

import pytest

from podwright.components.providers.status.export import answers, families
from podwright.components.providers.status.export.answers import ANSWERS
from podwright.components.providers.status.export.exposition import Family, Sample, accepts_openmetrics, render
from tests.providers.status.export.grammar import read, value

GAUGE = Family("podwright_test_celsius", "gauge", 'A "quoted" \\ help\nof two lines.', "celsius")
COUNTER = Family("podwright_test_frames_total", "counter", "Frames.")


@pytest.mark.parametrize("openmetrics", [False, True], ids=["plain", "openmetrics"])
def test_both_forms_keep_every_label_and_number(openmetrics: bool) -> None:
    labels = {"port": 'a"b\\c\nd,e="f"} 1', "empty": "", "server": "é"}
    numbers = [0, -40.0, 1.5, 1e-7, 2.0**53 + 2, 18446744073709551615, math.inf, -math.inf, True]
    samples = [Sample(GAUGE, number, {**labels, "n": str(n)}) for n, number in enumerate(numbers)]
    samples += [Sample(COUNTER, 3, labels), Sample(GAUGE, 5, {"late": "yes"}), Sample(COUNTER, 9, labels)]
    series = read(render(samples, openmetrics), openmetrics)
    for n, number in enumerate(numbers):
        assert value(series, GAUGE.name, n=str(n), port=labels["port"], server="é") == float(number)
    assert value(series, COUNTER.name, port=labels["port"]) == 3, "of two with the same labels the first stands"
    assert value(series, GAUGE.name, late="yes") == 5
    assert not any("empty" in dict(has) for _, has in series)
    assert math.isnan(read(render([Sample(GAUGE, math.nan)], openmetrics), openmetrics)[GAUGE.name, frozenset()])


def test_the_exact_text() -> None:
    samples = [Sample(COUNTER, 3, {"switch": "leaf-01", "port": "Ethernet1/1"})]
    series = 'podwright_test_frames_total{port="Ethernet1/1",switch="leaf-01"} 3\n'
    name = "podwright_test_frames"
    assert render(samples) == f"# HELP {name}_total Frames.\n# TYPE {name}_total counter\n{series}"
    assert render(samples, True) == f"# HELP {name} Frames.\n# TYPE {name} counter\n{series}# EOF\n"
    assert "# UNIT podwright_test_celsius celsius\n" in render([Sample(GAUGE, 1)], True)
    assert render([]) == ""


def test_names_follow_the_conventions() -> None:
    names = [each.name for each in families.FAMILIES]
    assert len(set(names)) == len(names) > 25
    for each in families.FAMILIES:
        assert (each.kind == "counter") == each.name.endswith("_total"), each.name
        assert not each.unit or each.name.removesuffix("_total").endswith(f"_{each.unit}"), each.name
        assert each.help.endswith("."), each.name
        assert each.command in ("", *ANSWERS), each.name


def test_who_asks_for_openmetrics_gets_it() -> None:
    asked = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"
    assert accepts_openmetrics(asked)
    for other in (
        "",
        "*/*",
        "text/plain",
        "application/openmetrics-text; q=0",
        "text/html;a=application/openmetrics-text",
    ):
        assert not accepts_openmetrics(other), other


def test_a_port_has_one_spelling() -> None:
    assert {answers.port(each) for each in ("Eth1/33", "Ethernet1/33", "ethernet1/33")} == {"Ethernet1/33"}
    assert answers.port("10.1.0.0") == "10.1.0.0"
    assert answers.port("2001:db8::1") == "2001:db8::1"
