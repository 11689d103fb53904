"""Initiators of block storage: what nodes boot with by array and protocol, and a host's own name by a real shell."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from podwright.cli.offers import offers
from podwright.components.changes.objects import node_restarts
from podwright.components.design.platform import block_storage
from podwright.components.model import BlockStorage
from podwright.components.model.coherence.platform import POOL, NodePool
from podwright.components.providers.status.snapshot import Snapshot
from tests.design import whole
from tests.design.goldens import cluster

UUID = "4c4c4544-0042-3510-8052-b4c04f4d3233"


def _defined(array: str, *protocols: str) -> BlockStorage:
    return BlockStorage.model_validate({"array": array, "protocols": protocols})


def _made(array: str, *protocols: str) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Files by path, and units by name."""
    made = block_storage.machine_config("inference", _defined(array, *protocols))
    assert made is not None
    config = made["spec"]["config"]
    files = {
        row["path"]: unquote(row["contents"]["source"].removeprefix("data:,")) for row in config["storage"]["files"]
    }
    return files, {row["name"]: row for row in config["systemd"]["units"]}


@pytest.mark.parametrize(
    ("array", "lines"),
    [
        ("netapp-ontap", ("find_multipaths no", "user_friendly_names yes")),
        ("pure-flasharray", ("find_multipaths yes", "user_friendly_names no", 'path_selector "service-time 0"')),
    ],
)
def test_multipathd_runs_with_what_the_array_wants(array: str, lines: tuple[str, ...]) -> None:
    files, units = _made(array, "iscsi", "fc")
    assert set(files) == {block_storage.MULTIPATH}
    assert all(line in files[block_storage.MULTIPATH] for line in lines)
    assert {name: row["enabled"] for name, row in units.items()} == {"multipathd.service": True, "iscsid.service": True}
    assert set(_made(array, "fc")[1]) == {"multipathd.service"}


def test_nvme_has_its_module_its_own_name_and_no_multipathd() -> None:
    files, units = _made("pure-flasharray", "nvme-tcp", "nvme-rdma")
    assert files[block_storage.MODULES] == "nvme-tcp\nnvme-rdma\n"
    assert files[block_storage.RULES].splitlines()[-1].endswith('ATTR{iopolicy}="queue-depth"')
    assert set(units) == {"podwright-nvme-host.service"}
    assert block_storage.RULES not in _made("netapp-ontap", "nvme-tcp")[0]


def _identity(folder: Path, answer: str) -> subprocess.CompletedProcess[str]:
    tools, files = folder / "bin", folder / "nvme"
    tools.mkdir(exist_ok=True)
    files.mkdir(exist_ok=True)
    (tools / "nvme").write_text(f"#!/bin/sh\n[ \"$1\" = gen-hostnqn ] && echo '{answer}'\n")
    (tools / "nvme").chmod(0o755)
    environment = {"PATH": f"{tools}:/usr/bin:/bin"}
    command = ["/bin/sh", "-c", block_storage.IDENTITY, "podwright-nvme-host", str(files)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_name_and_id_are_of_one_uuid_whatever_the_image_had(tmp_path: Path) -> None:
    (tmp_path / "nvme").mkdir()
    (tmp_path / "nvme/hostnqn").write_text("of the image\n")
    (tmp_path / "nvme/hostid").write_text("of the image\n")
    assert _identity(tmp_path, f"nqn.2014-08.org.nvmexpress:uuid:{UUID}").returncode == 0
    assert (tmp_path / "nvme/hostnqn").read_text() == f"nqn.2014-08.org.nvmexpress:uuid:{UUID}\n"
    assert (tmp_path / "nvme/hostid").read_text() == f"{UUID}\n"


def test_a_machine_without_a_uuid_keeps_what_it_has_and_the_unit_fails(tmp_path: Path) -> None:
    assert _identity(tmp_path, "nqn.2014-08.org.nvmexpress:uuid:").returncode == 1
    assert not list((tmp_path / "nvme").iterdir())


def test_a_pool_that_defines_none_boots_as_before_and_a_pool_that_does_restarts_within_its_budget() -> None:
    kinds = [each["metadata"]["name"] for each in whole.platform(cluster("lab")).manifests]
    assert not [name for name in kinds if name.endswith("block-storage")]
    made = block_storage.machine_config("inference", _defined("netapp-ontap", "iscsi"))
    assert made is not None
    impact = node_restarts(None, made, {"inf-01": "inference", "gpu-01": "training"})
    assert impact is not None and impact.nodes == ("inf-01",)


@pytest.mark.parametrize(
    ("protocols", "words"), [(("nvme-rdma",), "no NVMe over RDMA"), (("iscsi", "iscsi"), "named twice")]
)
def test_what_the_driver_lacks_is_refused(protocols: tuple[str, ...], words: str) -> None:
    lab = cluster("lab")
    pool = lab.pools["inference"].model_copy(update={"block_storage": _defined("netapp-ontap", *protocols)})
    found = [problem for check in POOL for problem in check(NodePool("inference", pool, {}))]
    assert any(words in each.message and each.loc[0] == "block_storage" for each in found)


@pytest.mark.parametrize(("rendered", "troubles"), [(("50-inference-block-storage",), 0), (("00-worker",), 1)])
def test_status_reads_it_back(rendered: tuple[str, ...], troubles: int) -> None:
    lab = cluster("lab")
    stored = lab.pools["inference"].model_copy(update={"block_storage": _defined("netapp-ontap", "iscsi")})
    stack = lab.model_copy(update={"pools": {**lab.pools, "inference": stored}})
    rows = [{"name": name} for name in rendered]
    live = {"metadata": {"name": "inference"}, "status": {"configuration": {"source": rows}}}
    (pool,) = (each for each in offers(stack, Snapshot({"MachineConfigPool": (live,)})) if each.pool == "inference")
    assert sum("block storage" in each for each in pool.troubles) == troubles
