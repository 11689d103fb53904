"""Which templates of domain profiles a plan has."""

from typing import Any

from podwright.components.changes.impact import impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.model import load
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tools.generated import ROOT

STACK = ROOT / "tests/examples/chassis/Pulumi.chassis.yaml"
NAME = "chassis-template-domain-x"
KIND = {kind.token: kind for kind in KINDS}["podwright:intersight:DomainProfileTemplate"]


def planned(derived: bool, adopt: tuple[str, ...] = ()) -> Any:
    wanted = load(STACK).model_dump(mode="json")
    wanted["domains"]["x"]["derived"] = derived
    wanted["intersight"]["adopt"] = adopt
    return whole.compute(load(wanted))


def test_a_pair_that_the_file_wants_derived_has_a_template_with_the_policies_of_both_sides() -> None:
    plan = planned(derived=True)
    (pair,), (template,) = plan.domains, (each for each in plan.templates if each.of == "domain")
    assert (template.name, pair.spec["template"]) == (NAME, NAME)
    assert template.spec["policies"] == pair.spec["policies"]
    assert KIND.check({"spec": template.spec}, CheckContext()) == []


def test_a_pair_joins_and_leaves_its_template_and_nothing_else_changes() -> None:
    before, after = planned(derived=False), planned(derived=True)
    assert not any(each.of == "domain" for each in before.templates)
    assert after.policies == before.policies
    (former,), (pair,) = before.domains, after.domains
    assert {**former.spec, "template": NAME} == pair.spec
    found = impacts("podwright:intersight:DomainProfile", former.spec, pair.spec)
    assert [(each.row.name, each.change_class) for each in found] == [("template", ChangeClass.LIVE)]


def test_a_template_is_taken_on_where_the_file_lists_it() -> None:
    plan = planned(derived=True, adopt=(NAME,))
    (template,) = (each for each in plan.templates if each.of == "domain")
    assert template.spec["adopt"] is True
    assert "adopt" not in plan.domains[0].spec
