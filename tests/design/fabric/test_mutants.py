"""What is lost or changed of QoS, MTU, VLANs and BFD, in a text or in the code, meets a gate; renames meet none."""

import re

import pytest

from tools import generated
from tools.mutants import gates, sites
from tools.mutants.__main__ import PAGE, page
from tools.mutants.verdicts import HARMLESS, Verdict, code, texts

pytestmark = pytest.mark.rough


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    """Takes most of a minute: every mutant, each judged once."""
    return [*texts(), *code()]


def test_every_mutant_is_stopped(verdicts: list[Verdict]) -> None:
    assert [f"{each.origin}: {each.what}" for each in verdicts if each.survives] == []
    counts = {kind: sum(each.kind == kind for each in verdicts) for kind in ("QoS", "MTU", "VLAN", "BFD")}
    assert counts["QoS"] >= 300 and counts["MTU"] >= 80 and counts["VLAN"] >= 200 and counts["BFD"] >= 60, counts


def test_every_reason_is_needed(verdicts: list[Verdict]) -> None:
    """A reason that no mutant has any more would hide the next one that looks like it."""
    assert {why for _, why in HARMLESS} == {each.reason for each in verdicts if each.reason}


def test_the_page_is_fresh(verdicts: list[Verdict]) -> None:
    assert generated.stale({PAGE: page(verdicts)}) == [], "renew with: python -m tools.mutants"


def test_taking_a_place_away_leaves_the_code_as_it_was() -> None:
    before = {each.name: dict(each.texts) for each in gates.examples() if each.name in ("pairs", "unnumbered")}
    for site in list(sites.sites())[::7]:
        try:
            with sites.without(site):
                pass
        except Exception:  # noqa: BLE001 - a module that does not load without one of its parts
            continue
    after = {each.name: dict(each.texts) for each in gates.examples() if each.name in before}
    assert before == after


RENAMES = (
    ("QOS_CLASSIFICATION", "in-sorter"), ("QOS_EGRESS_PORT", "out-queues"), ("QOS_INGRESS_HEADROOM", "long"),
    ("qos_network", "nodrop"), ("ROCEv2", "gpu-traffic"), (r"\bCNP\b", "notify"), ("FABRIC_LOCAL", "OWN"),
    (r"(vlan |Vlan)1(0\d)\b", r"\g<1>9\2"), (r"(vlan |Vlan|hsrp |,)30$", r"\g<1>33"), ("name rail", "name track"),
    ("description gpu", "description to gpu"), (r"\bblue\b", "azure"), (r"\b(vlan |Vlan)3001\b", r"\g<1>3101"),
    (r"\b50001\b", "50101"), (r"(port-channel|channel-group )101\b", r"\g<1>151"), ("UNDERLAY", "BELOW"),
)  # fmt: skip


RENAMED = [each for each in gates.examples() if each.name in ("pairs", "evpn", "unnumbered")]


@pytest.mark.parametrize(("old", "new"), RENAMES)
def test_harmless_renames_meet_no_gate(old: str, new: str) -> None:
    """In the examples that together have every one of these words."""
    touched = 0
    for example in RENAMED:
        changed = {name: re.sub(old, new, text, flags=re.MULTILINE) for name, text in example.texts.items()}
        changed = {name: text for name, text in changed.items() if text != example.texts[name]}
        if changed:
            touched += 1
            assert example.gate(changed) is None, example.name
    assert touched
