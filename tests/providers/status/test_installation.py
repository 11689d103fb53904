"""What the cluster shows of its own installation, against what is defined; nodes that nobody defined."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.status.installation import foreign, off_plan, release
from podwright.components.providers.status.snapshot import SSH_CONFIG, Snapshot

KEY = "ssh-ed25519 AAAAC3Nz core@site"
HOSTS = {"cp-01": "192.0.2.21", "gpu-01": "192.0.2.22"}


def version(*history: tuple[str, str], note: str = "") -> dict[str, Any]:
    rows = [{"version": each, "state": state} for each, state in history]
    conditions = [{"type": "Progressing", "message": note}]
    return {
        "metadata": {"name": "version"},
        "status": {"history": rows, "desired": {"version": history[0][0]}, "conditions": conditions},
    }


def node(name: str, address: str) -> dict[str, Any]:
    rows = [{"type": "InternalIP", "address": address}] if address else []
    return {"metadata": {"name": name}, "status": {"addresses": rows}}


def keys(role: str, *texts: str) -> dict[str, Any]:
    users = [{"name": "core", "sshAuthorizedKeys": list(texts)}]
    return {"metadata": {"name": f"99-{role}-ssh"}, "spec": {"config": {"passwd": {"users": users}}}}


def cluster(**change: Any) -> Snapshot:
    objects = {
        "ClusterVersion": (version(("4.22.3", "Completed")),),
        "Node": tuple(node(name, address) for name, address in HOSTS.items()),
        **{kind: (keys(role, KEY),) for role, kind in SSH_CONFIG.items()},
    }
    return Snapshot({**objects, **change})


def told(snapshot: Snapshot) -> list[str]:
    return list(off_plan(snapshot, "4.22.3", KEY, HOSTS))


def test_a_cluster_as_defined_has_nothing_to_tell() -> None:
    assert told(cluster()) == []
    assert release(cluster()) == "4.22.3"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ClusterVersion": (version(("4.22.1", "Completed")),)}, "runs OpenShift 4.22.1, defined is 4.22.3"),
        ({"ClusterVersion": ()}, "does not say which release"),
        (
            {SSH_CONFIG["worker"]: (keys("worker", KEY, "ssh-ed25519 BBBB"),)},
            "MachineConfig 99-worker-ssh lets other SSH keys in",
        ),
        ({"Node": (node("cp-01", "192.0.2.21"), node("gpu-01", "192.0.2.77"))}, "gpu-01 has the address 192.0.2.77"),
    ],
)
def test_each_value_is_read_from_the_cluster(change: dict[str, Any], words: str) -> None:
    (sentence,) = told(cluster(**change))
    assert words in sentence


def test_an_update_under_way_is_told_with_its_progress() -> None:
    going = version(("4.22.5", "Partial"), ("4.22.3", "Completed"), note="Working towards 4.22.5: 2 of 6 done")
    (sentence,) = told(cluster(ClusterVersion=(going,)))
    assert sentence == ("an update to 4.22.5 is under way: Working towards 4.22.5: 2 of 6 done; defined is 4.22.3")


def test_nodes_that_nobody_defined_are_told_with_what_to_type() -> None:
    snapshot = cluster(Node=(node("cp-01", "192.0.2.21"), node("gpu-09", "192.0.2.99"), node("gpu-08", "")))
    first, second = foreign(snapshot, HOSTS)
    assert "gpu-09 (192.0.2.99) is no server of the stack file" in first
    assert "`oc delete node gpu-09`" in first
    assert "gpu-08 (no address)" in second
