"""What a cluster has once for all of its nodes and teams: time servers, and the teams' part of the API server."""

import copy
import functools

from podwright.components import model
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tests.model.changes import LAB, put

MACHINE_CONFIG = "kubernetes:machineconfiguration.openshift.io/v1:MachineConfig"
POLICY = "kubernetes:operator.openshift.io/v1:MachineConfigurationPatch"
FLOW = "kubernetes:flowcontrol.apiserver.k8s.io/v1"


@functools.cache
def graph(shares: int | None) -> dict[str, Registered]:
    said = copy.deepcopy(LAB)
    put("openshift/team_api_shares", shares)(said)
    return register(model.load(said))


def test_no_file_of_time_servers_changes_before_the_policy_that_spares_the_nodes_a_restart() -> None:
    seen = graph(None)
    (policy,) = of(seen, POLICY)
    clocks = [each for each in of(seen, MACHINE_CONFIG) if each.inputs["metadata"]["name"].endswith("-chrony")]
    assert len(clocks) == 2
    assert all(all_before(seen, each, [policy]) for each in clocks)
    assert "waitFor" in str(policy.inputs["metadata"]["annotations"])


def test_every_team_has_its_schema_where_teams_have_a_part_and_none_elsewhere() -> None:
    (level,) = of(graph(30), f"{FLOW}:PriorityLevelConfiguration")
    assert level.inputs["spec"]["limited"]["nominalConcurrencyShares"] == 30
    teams = {each.inputs["metadata"]["name"] for each in of(graph(30), f"{FLOW}:FlowSchema")}
    assert teams == {"podwright-team-chat", "podwright-team-research"}
    assert not [name for name, each in graph(None).items() if each.type.startswith(FLOW)]


def test_alerts_are_one_object_that_is_waited_for_and_none_without_the_key() -> None:
    said = copy.deepcopy(LAB)
    put("openshift/alerts", {})(said)
    seen = register(model.load(said))
    rule = "kubernetes:monitoring.openshift.io/v1:AlertingRule"
    (made,) = of(seen, rule)
    assert "prometheusRule.name" in made.inputs["metadata"]["annotations"]["pulumi.com/waitFor"]
    assert [each["name"] for each in made.inputs["spec"]["groups"]] == ["podwright-gpus", "podwright-workloads"]
    assert not of(graph(None), rule)
