"""Teams joined to tenants: whose servers a job may take, who lends to whom, and what `check` leaves as open."""

import copy
from collections.abc import Callable

import pytest

from podwright.components.model import Cluster, granted, joined, selected, within
from podwright.components.model.advisory import findings
from podwright.components.model.coherence import check, tenants_problems
from tests.model.changes import LAB, Said, both, drop, put
from tests.model.tenant_cases import JOBS, JOINED, QUEUED, TEAMS


def _cluster(base: Said, *changes: Callable[[Said], None]) -> Cluster:
    said = copy.deepcopy(base)
    both(*changes)(said)
    return Cluster.model_validate(said)


def test_a_job_may_take_the_servers_of_its_teams_tenant_alone() -> None:
    cluster = _cluster(JOINED)
    assert check(cluster) == []
    assert sorted(within(cluster, "research", "training")) == ["gpu-01", "gpu-02"]
    assert sorted(within(cluster, "vision", "training")) == ["gpu-03", "gpu-04", "gpu-05"]
    assert within(cluster, "chat", "training") == {}, "a team without a tenant has groups that are no tenant's"
    assert (selected(cluster, "chat", "training"), selected(cluster, "vision", "training")) == ("default", "red")
    assert list(within(cluster, "research", "inference")) == ["inf-01"], "a pool without rails is everybody's"
    assert selected(cluster, "research", "inference") is None


def test_a_server_is_known_by_the_name_of_its_node() -> None:
    tenants = joined(_cluster(JOINED, put("servers/gpu-01/object_name", "old-01")))
    assert tenants is not None and tenants.nodes["old-01"] == "blue" and "gpu-01" not in tenants.nodes


def test_without_a_team_that_names_a_tenant_nothing_is_joined() -> None:
    apart = _cluster(JOINED, drop(f"{TEAMS}/research/tenant"), drop(f"{TEAMS}/vision/tenant"))
    assert joined(apart) is None
    assert sorted(within(apart, "research", "training")) == [f"gpu-0{number}" for number in range(1, 6)]


def test_teams_of_two_tenants_lend_each_other_nothing() -> None:
    """Of a tenant with two teams, each may borrow what the other has."""
    cluster = _cluster(JOINED, QUEUED, put(f"{TEAMS}/speech", {"gpus": 8, "tenant": "red"}),
                       put(f"{TEAMS}/vision/gpus", 16), put(f"{JOBS}/segment/nodes", 3))  # fmt: skip
    assert check(cluster) == []
    assert [granted(cluster, name).gpus for name in ("research", "vision", "speech")] == [16, 24, 24]


def test_a_queue_of_no_server_is_refused_without_a_file_too() -> None:
    """A queue that has nothing of servers that are there has a flavor; one of no server has none."""
    cluster = _cluster(JOINED)
    tenants = joined(cluster)
    assert tenants is not None
    queued = ("training", "inference")
    for team, found in (("vision", []), ("chat", ["pool training has no server in a leaf group of no tenant"])):
        shares = {team: dict.fromkeys(queued, 0)}
        problems = tenants_problems(tenants, cluster.pools, cluster.nodes, shares)
        assert [each.message.partition(", and team")[0] for each in problems] == found


REASON = "one research group with two projects"
SECOND = both(put(f"{TEAMS}/vision", {"gpus": 16}), put(f"{JOBS}/tune", {**LAB["workloads"]["training"]["pretrain"],
                                                                        "team": "vision"}))  # fmt: skip


@pytest.mark.parametrize(("base", "change", "sentence"), [
    (LAB, put("protect", True), None),
    (LAB, SECOND, "pods of teams research, vision reach each other over rails, whatever network policies say: define "
     "fabric.tenancy and openshift.teams.<name>.tenant, or say why in openshift.shared_rails"),
    (LAB, both(SECOND, put("openshift/shared_rails", REASON)), f"teams research, vision share rails: {REASON}"),
    (JOINED, put("protect", True), None),
    (JOINED, both(drop(f"{TEAMS}/research/tenant"), drop(f"{TEAMS}/vision/tenant")),
     "pods of team research, vision may run on servers of any tenant of the fabric, and members of a job that a "
     "person writes in two that do not reach each other: define openshift.teams.<name>.tenant"),
])  # fmt: skip
def test_rails_that_teams_share_are_an_open_finding(
    base: Said, change: Callable[[Said], None], sentence: str | None
) -> None:
    found = [each for each in findings(_cluster(base, change)) if "rails:" in each or "tenant" in each]
    found = [each for each in found if "RoCE" not in each and "takes" not in each]
    assert found == ([sentence] if sentence else [])
