"""What a file leaves unchecked is a sentence: printed by `check`, exported by the stack."""

import copy

import pytest

from podwright.components import model
from podwright.components.model.advisory import findings
from tests.design.goldens import cluster
from tests.model.changes import PROD, drop, put


def test_a_site_that_defines_everything_has_none() -> None:
    assert findings(cluster("prod")) == ()


@pytest.mark.parametrize(("change", "words"), [
    (drop("protect"), "set protect: true"),
    (drop("fabric/rollout"), "define fabric.rollout"),
    (put("fabric/verification", "off"), 'fabric.verification: "on"'),
    (drop("fabric/cables"), "define fabric.cables"),
    (drop("fabric/survive"), "define fabric.survive"),
    (drop("site/racks/g7/power_kw"), "the power of rack g7 is not checked"),
    (drop("acceptance"), "define acceptance"),
    (put("acceptance/enabled", False), "podwright accept"),
    (drop("storage/read"), "define storage.read"),
])  # fmt: skip
def test_each_is_a_sentence_that_says_what_to_write(change: object, words: str) -> None:
    assert callable(change)
    changed = copy.deepcopy(PROD)
    change(changed)
    (sentence,) = findings(model.load(changed))
    assert words in sentence


def test_racks_without_a_budget_are_one_finding() -> None:
    changed = copy.deepcopy(PROD)
    for rack in changed["site"]["racks"].values():
        del rack["power_kw"]
    (sentence,) = findings(model.load(changed))
    assert sentence.startswith("the power of rack r1, r2, r3 and 8 more is not checked")
