"""Findings of one cause are one finding, which names every place."""

import copy
from typing import Any

import pytest
import yaml
from pulumi.runtime.proto import analyzer_pb2 as proto

from podwright.components import model
from podwright.policies.rules import RULES
from podwright.policies.rules.grouping import grouped
from podwright.policies.rules.pack.analyzer import Analyzer
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Flaw
from tests.components.recording import register
from tests.policies.test_analyzer import message
from tools.generated import ROOT


def flaws(*sentences: str) -> list[Flaw]:
    return [Flaw(each, each.split()[0].rstrip(":")) for each in sentences]


def sentences(*given: str) -> list[str]:
    names = {flaw.device for flaw in flaws(*given)} | {"spine-01", "spine-02"}
    return [flaw.message for flaw in grouped(flaws(*given), names)]


def test_a_setting_that_is_wrong_on_many_ports_is_one_finding_with_their_ranges() -> None:
    off = [f"leaf-01 Ethernet1/{port} (to gpu-{port:02}) does not have pfc" for port in (*range(1, 17), 33)]
    assert sentences(*off, "leaf-01 does not have pfc globally") == [
        "leaf-01 Ethernet1/1 (to gpu-01) does not have pfc\n  in all: leaf-01 Ethernet1/1-16, Ethernet1/33 (17 ports)",
        "leaf-01 does not have pfc globally",
    ]


def test_one_finding_stays_as_it_is() -> None:
    assert sentences("leaf-01 Ethernet1/1 (to gpu-01) is down") == ["leaf-01 Ethernet1/1 (to gpu-01) is down"]


def test_switches_with_the_same_sentence_are_one_finding() -> None:
    assert sentences(
        "leaf-01 Ethernet1/33 has mtu 9216, spine-01 Ethernet1/1 has mtu 1500",
        "leaf-01 Ethernet1/34 has mtu 9216, spine-02 Ethernet1/1 has mtu 1500",
        "leaf-02 Ethernet1/33 has mtu 9216, spine-01 Ethernet1/2 has mtu 1500",
        "leaf-03 Ethernet1/33 has mtu 9216, spine-01 Ethernet1/3 has mtu 9000",
    ) == [
        "leaf-01 Ethernet1/33 has mtu 9216, spine-01 Ethernet1/1 has mtu 1500\n"
        "  in all: leaf-01 Ethernet1/33-34 (2 ports); leaf-02 Ethernet1/33 (2 switches)",
        "leaf-03 Ethernet1/33 has mtu 9216, spine-01 Ethernet1/3 has mtu 9000",
    ]


def test_ports_in_many_pieces_are_counted() -> None:
    odd = [f"leaf-01 Ethernet1/{port}/{lane} is down" for port in range(1, 21) for lane in (1, 3)]
    (found,) = sentences(*odd)
    assert found.endswith("Ethernet1/4/1, Ethernet1/4/3 and 32 more (40 ports)")


def test_neighbors_are_listed_by_address() -> None:
    (found,) = sentences(*(f"leaf-01 neighbor 10.1.0.{each} has no bfd" for each in (0, 1, 4)))
    assert found.endswith("in all: leaf-01 10.1.0.0, 10.1.0.1, 10.1.0.4 (3 neighbors)")
    (found,) = sentences(*(f"leaf-01 neighbor 10.1.0.{each} has no bfd" for each in range(10)))
    assert found.endswith("10.1.0.7 and 2 more (10 neighbors)")


def test_ranges_are_of_ports_of_one_kind() -> None:
    (found,) = sentences(*(f"leaf-01 {each} is down" for each in ("Ethernet1/1", "Ethernet1/2", "Ethernet2/3")))
    assert found.endswith("in all: leaf-01 Ethernet1/1-2, Ethernet2/3 (3 ports)")


def test_a_name_inside_another_is_not_taken_for_it() -> None:
    assert len(sentences("leaf-1: share 10; leaf-10: share 20", "leaf-10: share 10; leaf-1: share 20")) == 1
    assert len(sentences("leaf-1 has policy in-leaf-1-x", "leaf-2 has policy in-leaf-2-x")) == 2


def _with(example: str, **lossless: Any) -> model.Cluster:
    text = yaml.safe_load((ROOT / f"Pulumi.{example}.yaml").read_text())["config"]["podwright:cluster"]
    changed = copy.deepcopy(text)
    changed["fabric"].setdefault("lossless", {}).update(lossless)
    return model.load(changed)


@pytest.mark.parametrize(
    ("example", "wrong"), [("lab", {"pfc": "off"}), ("lab", {"watchdog": "off"}), ("prod", {"pfc": "off"})]
)
def test_one_wrong_setting_is_one_finding_a_switch(example: str, wrong: dict[str, Any]) -> None:
    seen = register(_with(example, **wrong)).values()
    resources = [Resource(each.type, each.name, each.urn, each.inputs) for each in seen if each.custom]
    analyzer = Analyzer("podwright", RULES)
    alone = [analyzer.Analyze(message(each), None).diagnostics for each in resources]
    stack = proto.AnalyzeStackRequest(resources=[message(each, proto.AnalyzerResource) for each in resources])
    assert any(alone)
    assert max(map(len, alone)) <= 2
    assert len(analyzer.AnalyzeStack(stack, None).diagnostics) <= 2
