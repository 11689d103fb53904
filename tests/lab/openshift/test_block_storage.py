"""Initiators on a cluster of the lab: one restart of each node brings files and units, and takes them away again."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.design.platform import block_storage
from podwright.components.model import BlockStorage
from tests.lab.openshift.rack import Rack

pytestmark = pytest.mark.rough
DEFINED = BlockStorage.model_validate({"array": "netapp-ontap", "protocols": ["iscsi", "nvme-tcp"]})


def _config(cluster: Rack, name: str) -> dict[str, Any]:
    memory = cluster.side.cluster.memory[f"{name}.lab.example.com"]
    return dict((memory.config or {}).get("config") or {})


def _rows(cluster: Rack, name: str, section: str, part: str, key: str) -> set[str]:
    return {row[key] for row in (_config(cluster, name).get(section) or {}).get(part) or []}


def test_one_restart_brings_them_and_one_takes_them_away(cluster: Rack) -> None:
    names = ("gpu-1", "gpu-2")
    before = {name: cluster.world.hosts[name].boots for name in names}
    made = block_storage.machine_config("worker", DEFINED)
    assert made is not None
    files = {row["path"] for row in made["spec"]["config"]["storage"]["files"]}
    units = {row["name"] for row in made["spec"]["config"]["systemd"]["units"]}
    cluster.apply(made)

    def all_have_them() -> bool:
        return all(
            files <= _rows(cluster, name, "storage", "files", "path")
            and units <= _rows(cluster, name, "systemd", "units", "name")
            for name in names
        )

    cluster.wait("both nodes have them", all_have_them, 120)
    assert {name: cluster.world.hosts[name].boots - count for name, count in before.items()} == dict.fromkeys(names, 1)
    source = cluster.get("mcp", "worker")["spec"]["configuration"]["source"]
    assert block_storage.name("worker") in {row["name"] for row in source}

    cluster.kubectl("delete", "machineconfig", made["metadata"]["name"])
    gone = "both nodes run without them"
    cluster.wait(gone, lambda: not any(files & _rows(cluster, n, "storage", "files", "path") for n in names), 120)
    assert {name: cluster.world.hosts[name].boots - count for name, count in before.items()} == dict.fromkeys(names, 2)
