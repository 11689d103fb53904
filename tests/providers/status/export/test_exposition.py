"""Both text forms against their grammars, and names."""

from __future__ import annotations

import math
import urllib.request

import pytest
from prometheus_client import CollectorRegistry

from podwright.components.providers.nxos.read import answers
from podwright.components.providers.nxos.read.answers import ANSWERS
from podwright.components.providers.nxos.read.metrics import Metric, Sample
from podwright.components.providers.status.export import metrics
from podwright.components.providers.status.export.http import serving
from tests.providers.status.export.grammar import read, render, value

GAUGE = Metric("podwright_test_celsius", "gauge", 'A "quoted" \\ help\nof two lines.', "celsius")
COUNTER = Metric("podwright_test_frames_total", "counter", "Frames.")


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
    series = 'podwright_test_frames_total{port="Ethernet1/1",switch="leaf-01"} 3.0\n'
    name = "podwright_test_frames"
    assert render(samples) == f"# HELP {name}_total Frames.\n# TYPE {name}_total counter\n{series}"
    assert render(samples, True) == f"# HELP {name} Frames.\n# TYPE {name} counter\n{series}# EOF\n"
    assert "# UNIT podwright_test_celsius celsius\n" in render([Sample(GAUGE, 1)], True)
    assert render([]) == ""


def test_names_follow_the_conventions() -> None:
    names = [each.name for each in metrics.METRICS]
    assert len(set(names)) == len(names) > 25
    for each in metrics.METRICS:
        assert (each.kind == "counter") == each.name.endswith("_total"), each.name
        assert not each.unit or each.name.removesuffix("_total").endswith(f"_{each.unit}"), each.name
        assert each.help.endswith("."), each.name
        assert each.command in ("", *ANSWERS), each.name


def test_who_asks_for_openmetrics_gets_it() -> None:
    asked = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"
    others = (
        "",
        "*/*",
        "text/plain",
        "application/openmetrics-text; q=0",
        "text/html;a=application/openmetrics-text",
    )
    with serving("127.0.0.1:0", CollectorRegistry()) as url:

        def kind(accept: str) -> str:
            with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": accept}), timeout=5) as answer:
                assert answer.headers["Server"] == "podwright", "no version of Python, no path"
                return str(answer.headers["Content-Type"]).partition(";")[0]

        assert kind(asked) == "application/openmetrics-text"
        assert {each: kind(each) for each in others} == dict.fromkeys(others, "text/plain")


def test_a_port_has_one_spelling() -> None:
    assert {answers.port(each) for each in ("Eth1/33", "Ethernet1/33", "ethernet1/33")} == {"Ethernet1/33"}
    assert answers.port("10.1.0.0") == "10.1.0.0"
    assert answers.port("2001:db8::1") == "2001:db8::1"
