"""Time servers on the lab: what the installation leaves, what the plan brings, and what that costs the nodes."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from podwright.cli.clocks import clocks
from podwright.components.design.platform import chrony as planned
from podwright.components.providers.status.snapshot import Snapshot
from podwright.lab.openshift import chrony
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough

SITE = ("192.0.2.1", "192.0.2.2")
OF_THE_INTERNET = "0.rhel.pool.ntp.org"
CONFIGURATION = ("machineconfigurations.operator.openshift.io", "cluster")


def _policies(cluster: Rack) -> dict[str, Any]:
    rows = cluster.get(*CONFIGURATION)["status"]["nodeDisruptionPolicyStatus"]["clusterPolicies"]["files"]
    return {row["path"]: row["actions"] for row in rows}


def _boots(cluster: Rack) -> dict[str, int]:
    return {name: cluster.world.hosts[name].boots for name in cluster.world.servers}


def _sources(cluster: Rack) -> set[tuple[str, ...]]:
    memory = cluster.side.cluster.memory
    return {tuple(chrony.servers(memory[f"{name}.lab.example.com"].config)) for name in cluster.world.servers}


def _seen(cluster: Rack) -> list[str]:
    return list(clocks(Snapshot({"MachineConfigPool": tuple(cluster.items("mcp"))})))


def test_01_a_fresh_cluster_asks_a_pool_of_the_internet_too_and_status_names_both_pools(cluster: Rack) -> None:
    cluster.wait("time", lambda: _sources(cluster) == {(OF_THE_INTERNET,)})
    cluster.wait("pools report", lambda: len(_seen(cluster)) == 2)
    cluster.wait("policies of every cluster", lambda: "/etc/containers/registries.conf" in _policies(cluster))


def test_02_the_sites_servers_come_to_every_node_without_a_restart_or_a_drain(cluster: Rack) -> None:
    before = _boots(cluster)
    # Somebody else's policy stays: the list is keyed by path.
    other = {"path": "/etc/motd", "actions": [{"type": "None"}]}
    theirs = {**planned.policy(), "spec": {"nodeDisruptionPolicy": {"files": [other]}}}
    cluster.apply(theirs)
    mine = ("apply", "--server-side", "--field-manager=podwright", "-f", "-")
    cluster.kubectl(*mine, stdin=json.dumps(planned.policy()))
    cluster.wait("merged", lambda: {planned.FILE, "/etc/motd"} <= set(_policies(cluster)))
    cluster.apply(*copy.deepcopy(planned.configurations(SITE)))
    cluster.wait("time", lambda: _sources(cluster) == {SITE})
    cluster.wait("status agrees", lambda: _seen(cluster) == [])
    assert _boots(cluster) == before
    messages = [each["message"] for each in cluster.items("events")]
    assert sum("Service chronyd.service was restarted" in each for each in messages) == len(before)
    assert not any(node["spec"].get("unschedulable") for node in cluster.items("nodes"))


def test_03_another_file_beside_it_restarts_the_node_all_the_same(cluster: Rack) -> None:
    before = _boots(cluster)
    (_, worker) = copy.deepcopy(planned.configurations(("192.0.2.3",)))
    files = worker["spec"]["config"]["storage"]["files"]
    files.append({**files[0], "path": "/etc/some.conf"})
    cluster.apply(worker)
    cluster.wait(
        "workers restart", lambda: all(_boots(cluster)[name] > before[name] for name in ("gpu-1", "gpu-2")), 90
    )
    cluster.wait("time", lambda: _sources(cluster) == {SITE, ("192.0.2.3",)})
    assert _boots(cluster)["cp-1"] == before["cp-1"]


def test_04_without_the_policy_a_change_of_the_file_alone_restarts_nodes(cluster: Rack) -> None:
    cluster.kubectl("patch", *CONFIGURATION, "--type=merge", "-p", '{"spec": {"nodeDisruptionPolicy": null}}')
    cluster.wait("back to every cluster's", lambda: planned.FILE not in _policies(cluster))
    before = _boots(cluster)
    (master, _) = copy.deepcopy(planned.configurations(("192.0.2.4",)))
    cluster.apply(master)
    cluster.wait("a control-plane host restarts", lambda: _boots(cluster)["cp-1"] > before["cp-1"], 90)
