"""NVIDIA's own manifests for OpenShift bring up GPUs and lossless rails in the lab; VENDOR names their folder.

Its operators are subscribed to as their guides say. Nothing of podwright's plan is involved.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.lab.world.model import PortView
from tests.lab.openshift.manifests import OPERATORS, operator
from tests.lab.openshift.rack import RAILS, Rack
from tests.lab.openshift.test_rails import LOG, OPTIONS, Leaf
from tests.vendor import manifests
from tests.vendor.manifests import NAMESPACE, NETWORK, RESOURCE

GPUS = ("gpu-1", "gpu-2", "gpu-3")
SHAPE = {"workers": ("NVIDIA-H200",) * len(GPUS)}
pytestmark = pytest.mark.rough


class Fabric(Leaf):
    """A leaf for the kit's NICs: it leaves notifications at the operator's default, DSCP 4, and not 48."""

    def port(self, name: str) -> PortView:
        return replace(super().port(name), dscp_groups={26: 3, 4: 7})


@pytest.fixture(scope="module")
def where() -> Path:
    folder = manifests.folder()
    if folder is None:
        pytest.skip("VENDOR names no folder with the files of tests/vendor/SHA256SUMS")
    assert manifests.differing(folder) == []
    return folder


def _attachment(rail: int) -> str:
    return f"{NETWORK}-rail-{rail}-{manifests.IDENTIFIER}"


def _resource(rail: int) -> str:
    return f"openshift.io/{RESOURCE}_rail_{rail}"


def _pod(name: str, node: str, command: list[str], rail: int) -> dict[str, Any]:
    limits = {_resource(rail): 1}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": NAMESPACE,
            "annotations": {"k8s.v1.cni.cncf.io/networks": _attachment(rail)},
        },
        "spec": {
            "restartPolicy": "Never", "nodeSelector": {"kubernetes.io/hostname": f"{node}.lab.example.com"},
            "containers": [{"name": "perftest", "image": "x", "command": command, "resources": {"limits": limits}}],
        },
    }  # fmt: skip


def test_01_operators_are_installed(where: Path, cluster: Rack) -> None:
    cluster.world.attach_switch("leaf-01", Fabric())
    for package in OPERATORS:
        cluster.apply(*operator(package))
        cluster.approve(package)


def test_02_the_kit_s_objects_are_taken_as_they_are(where: Path, cluster: Rack, tmp_path: Path) -> None:
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for name, objects in manifests.network(where, manifests.inventory(cluster), tmp_path):
        for each in objects:
            kind = str(each["kind"]).lower()
            cluster.wait(f"{name}: {kind}", partial(_served, cluster, kind), 60)
            cluster.apply(each)


def _served(cluster: Rack, kind: str) -> bool:
    return "the server doesn't have a resource type" not in cluster.kubectl("get", kind, "-A", check=False)


def test_03_gpus_are_there(where: Path, cluster: Rack) -> None:
    # Not strictly: the lab's definition is of a release before kataSandboxDevicePlugin.
    text = yaml.safe_dump(manifests.cluster_policy(where))
    cluster.kubectl("apply", "--validate=warn", "-f", "-", stdin=text)
    cluster.wait("GPUs", lambda: all(cluster.allocatable(each, "nvidia.com/gpu") == 8 for each in GPUS), 120)


def test_04_every_rail_has_its_function_and_is_lossless(where: Path, cluster: Rack) -> None:
    rails = range(RAILS)

    def offered() -> bool:
        return all(cluster.allocatable(each, _resource(rail)) == 1 for each in GPUS for rail in rails)

    cluster.wait("functions", offered, 240)
    nics = [cluster.world.servers[each].nics[f"rail{rail}"] for each in GPUS for rail in rails]

    def lossless() -> bool:
        return all(nic.trust_dscp and nic.pfc == {3} and nic.mtu == 9000 for nic in nics)

    cluster.wait("trust, pause and MTU", lossless, 60)


@pytest.mark.parametrize("rail", range(RAILS))
def test_05_two_senders_fill_a_receiver_without_loss(where: Path, cluster: Rack, rail: int) -> None:
    cluster.wait("no node is away", lambda: not any(n["spec"].get("unschedulable") for n in cluster.items("nodes")), 60)
    servers = " & ".join(f"ib_write_bw {' '.join(OPTIONS)} -p {18515 + n}" for n in range(2))
    cluster.apply(_pod(f"receiver-{rail}", "gpu-3", ["sh", "-c", f"{servers} & wait"], rail))
    cluster.wait("receiver", lambda: cluster.pod(f"receiver-{rail}", NAMESPACE)[0] == "Running")
    address = cluster.attached_address(f"receiver-{rail}", NAMESPACE)
    for number in range(2):
        command = ["ib_write_bw", *OPTIONS, "-p", str(18515 + number), "--out_json", f"--out_json_file={LOG}", address]
        cluster.apply(_pod(f"sender-{rail}-{number}", f"gpu-{number + 1}", command, rail))
    texts = [cluster.ended(f"sender-{rail}-{number}", NAMESPACE)[1] for number in range(2)]
    rates = [json.loads(text)["results"]["BW_average"] for text in texts]
    assert 360 < sum(rates) < 400
