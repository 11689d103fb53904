"""The teams' part of the API server."""

from pathlib import Path

import yaml

from podwright.components.design.platform import fairness


def test_it_is_the_golden() -> None:
    golden = Path(__file__).with_name("fairness.yaml")
    assert list(fairness.plan(20, ("chat", "research"))) == list(yaml.safe_load_all(golden.read_text()))


def test_without_the_key_there_is_nothing() -> None:
    assert fairness.plan(None, ("chat",)) == ()


def test_each_team_is_one_flow_whichever_of_its_accounts_asks() -> None:
    level, *schemas = fairness.plan(20, ("chat", "research"))
    for team, schema in zip(("chat", "research"), schemas, strict=True):
        spec = schema["spec"]
        assert "distinguisherMethod" not in spec
        assert spec["priorityLevelConfiguration"]["name"] == level["metadata"]["name"]
        (rule,) = spec["rules"]
        assert rule["subjects"] == [{"kind": "ServiceAccount", "serviceAccount": {"namespace": team, "name": "*"}}]
