"""The page of policies says of each rule where it is evaluated, alerts of a cluster that runs among it."""

from podwright.components.model.catalogue.alerts import alerts
from podwright.policies.rules import RULES
from tools.policies_page import gates, page


def test_a_rule_that_an_alert_repeats_has_the_gate() -> None:
    repeated = {each.rule for each in alerts().values()} - {""}
    assert len(repeated) >= 4 and repeated <= {rule.id for rule in RULES}
    assert {rule.id for rule in RULES if "alert" in gates(rule)} == repeated


def test_the_alert_is_named_beside_its_rule() -> None:
    _, _, part = page().partition("\n## workloads-budget-lets-one-go\n")
    assert "Alert: [`BudgetLetsNobodyGo`](alerts.md)" in part.partition("\n## ")[0]
