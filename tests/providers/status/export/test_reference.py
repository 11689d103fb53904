"""The pages about the exporter against the exporter, and what the plan makes it ask."""

from __future__ import annotations

import re

import pytest
import yaml

from podwright.cli import export
from podwright.components import model
from podwright.components.providers.nxos.read import metrics as known
from podwright.components.providers.status.export import metrics
from tests.lab.rack import ROOT
from tests.providers.status.export.look import TARGETS


def test_the_reference_names_every_metric_with_its_command() -> None:
    page = (ROOT / "docs/reference/exporter.md").read_text().replace("\\|", "&")
    rows = dict(re.findall(r"^\| `(podwright_\w+)` \|.*\| (?:`([^`]+)`|—) \|$", page, re.M))
    assert rows == {each.name: each.command.replace("|", "&") for each in metrics.METRICS}


def test_the_example_alerts_speak_of_metrics_and_labels_that_exist() -> None:
    document = yaml.safe_load((ROOT / "docs/reference/exporter.rules.yml").read_text())
    rules = [rule for group in document["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) > 8
    names = {each.name for each in metrics.METRICS}
    labels = {"switch", "port", "server", "rail", "queue", "lane", "vrf", "neighbor", "peer", "peer_port", "command"}
    for rule in rules:
        named = set(re.findall(r"podwright_\w+", rule["expr"]))
        assert named and named <= names, rule["alert"]
        for counter in (name for name in named if name.endswith("_total")):
            assert re.search(rf"(rate|increase)\({counter}\b", rule["expr"]), f"{rule['alert']}: {counter} is a counter"
        assert set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) <= labels, rule["alert"]
        assert rule["labels"]["severity"] in ("critical", "warning")


def test_the_plan_decides_what_is_asked() -> None:
    assert all(known.PFC in each.commands for each in TARGETS)
    prod = export.targets(model.load(ROOT / "Pulumi.prod.yaml"))
    front = next(each for each in prod if each.name == "front-01")
    assert known.PFC not in front.commands
    assert known.QUEUES in front.commands


@pytest.mark.parametrize(
    ("example", "bgp", "bfd"),
    [
        ("unnumbered", True, True),
        ("vrf", True, True),
        ("ospf", False, True),
        ("evpn", False, True),
    ],
)
def test_a_command_is_asked_where_the_plan_has_something_to_show(example: str, bgp: bool, bfd: bool) -> None:
    path = ROOT / "tests/examples" / example / f"Pulumi.{example}.yaml"
    for target in export.targets(model.load(path)):
        if target.name.startswith(("leaf", "spine")):
            asked = (known.BGP in target.commands, known.BFD in target.commands)
            assert asked == (bgp, bfd), target.name
