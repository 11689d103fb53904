"""The cluster comes to be because hosts booted an image, and for no other reason."""

from __future__ import annotations

import socket
import time

import pytest
import yaml

from podwright.lab.openshift.install.config import addresses
from tests.lab.openshift.rack import Rack, eventually, host, node_ready

pytestmark = pytest.mark.rough

SHAPE = {"spare": True}


def _answers(rack: Rack) -> bool:
    host, _, port = rack.side.forward["api.lab.example.com:6443"].partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def test_nothing_answers_until_every_host_booted_the_image(rack: Rack) -> None:
    done = rack.create_image(*rack.configs())
    assert done.returncode == 0, done.stderr
    assert not (rack.dir / "install" / "install-config.yaml").exists()
    assert not _answers(rack)
    rack.boot("cp-1", "cp-2", "gpu-1", "gpu-2")
    time.sleep(2.5)
    assert not _answers(rack), "a cluster without its third control-plane host"
    rack.boot("cp-3")
    eventually(lambda: _answers(rack), 30, "the API listens")
    eventually(lambda: rack.ready_nodes() == 5, 40, "nodes Ready")
    nodes = {n["metadata"]["name"]: n for n in rack.get("nodes")["items"]}
    gpu = nodes["gpu-1.lab.example.com"]
    assert gpu["status"]["nodeInfo"]["systemUUID"] == rack.world.servers["gpu-1"].uuid
    assert "node-role.kubernetes.io/worker" in gpu["metadata"]["labels"]
    assert gpu["status"]["capacity"]["cpu"] == "256"
    assert gpu["status"]["addresses"][0]["address"] == rack.world.servers["gpu-1"].address
    assert "nvidia.com/gpu" not in gpu["status"]["allocatable"]
    assert nodes["cp-1.lab.example.com"]["spec"]["taints"][0]["key"] == "node-role.kubernetes.io/master"


def test_the_installer_waits_for_the_same_cluster(cluster: Rack) -> None:
    done = cluster.installer(
        "agent", "wait-for", "install-complete", "--dir", str(cluster.dir / "install"), "--timeout", "30"
    )
    assert done.returncode == 0, done.stderr
    assert "Install complete!" in done.stderr


def test_a_host_without_power_goes_silent_and_comes_back(cluster: Rack) -> None:
    name = "gpu-1.lab.example.com"
    before = cluster.get("node", name)
    cluster.world.power("gpu-1", "ForceOff")
    eventually(lambda: node_ready(cluster.get("node", name)) == "Unknown", 40, "the node controller gives up")
    cluster.world.power("gpu-1", "On")
    eventually(lambda: node_ready(cluster.get("node", name)) == "True", 20, "Ready after power on")
    after = cluster.get("node", name)
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["status"]["nodeInfo"]["bootID"] != before["status"]["nodeInfo"]["bootID"]


def test_a_host_joins_later_when_somebody_approves_it(cluster: Rack) -> None:
    (cluster.dir / "install" / "nodes-config.yaml").write_text(
        yaml.safe_dump({"hosts": [host("spare-1", cluster.world.servers["spare-1"])]})
    )
    access = ("--kubeconfig", str(cluster.kubeconfig()))
    done = cluster.tool("oc", "adm", "node-image", "create", "--dir", str(cluster.dir / "install"), *access)
    assert done.returncode == 0, done.stderr
    cluster.boot("spare-1", image="node.x86_64.iso")
    cluster.wait("a request", lambda: bool(cluster.items("csr")))
    time.sleep(1.5)
    assert cluster.get("node", "spare-1.lab.example.com") is None
    first = cluster.items("csr")[0]["metadata"]["name"]
    _approved(cluster, first)
    cluster.wait("joined", lambda: node_ready(cluster.get("node", "spare-1.lab.example.com")) == "True")
    # Started again it has its certificate; installed again it asks for another one.
    cluster.world.power("spare-1", "ForceRestart")
    time.sleep(1.5)
    assert len(cluster.items("csr")) == 1
    cluster.boot("spare-1", image="node.x86_64.iso")
    cluster.wait("another request", lambda: len(cluster.items("csr")) == 2)
    (second,) = {each["metadata"]["name"] for each in cluster.items("csr")} - {first}
    _approved(cluster, second)
    cluster.wait("joined again", lambda: node_ready(cluster.get("node", "spare-1.lab.example.com")) == "True")


def _approved(cluster: Rack, request: str) -> None:
    """What a person types."""
    done = cluster.tool("oc", "adm", "certificate", "approve", request, "--kubeconfig", str(cluster.kubeconfig()))
    assert done.returncode == 0, done.stderr


def test_without_a_majority_of_the_control_plane_nothing_is_answered(cluster: Rack) -> None:
    nodes = len(cluster.items("nodes"))
    cluster.world.power("cp-1", "ForceOff")
    cluster.kubectl("get", "--raw", "/readyz", "--request-timeout=5s")
    cluster.world.power("cp-2", "ForceOff")
    cluster.wait(
        "silence", lambda: cluster.kubectl("get", "--raw", "/readyz", "--request-timeout=2s", check=False) != "ok", 20
    )
    cluster.world.power("cp-1", "On")
    cluster.world.power("cp-2", "On")
    cluster.wait("nodes are back", lambda: cluster.ready_nodes() == nodes, 60)


def test_with_the_whole_control_plane_off_nobody_holds_the_api_s_address(cluster: Rack) -> None:
    nodes, masters = len(cluster.items("nodes")), ("cp-1", "cp-2", "cp-3")
    assert _answers(cluster)
    for name in masters:
        cluster.world.power(name, "ForceOff")
    cluster.wait("refusal", lambda: not _answers(cluster), 20)
    for name in masters:
        cluster.world.power(name, "On")
    cluster.wait("nodes are back", lambda: cluster.ready_nodes() == nodes, 60)


def test_a_second_installation_takes_the_place_of_the_first(cluster: Rack) -> None:
    before = cluster.get("namespace", "kube-system")["metadata"]["uid"]
    old = cluster.side.cluster.current
    done = cluster.create_image(*cluster.configs())
    assert done.returncode == 0, done.stderr
    cluster.boot("cp-1", "cp-2", "cp-3", "gpu-1", "gpu-2")
    eventually(lambda: cluster.side.cluster.current not in (None, old), 60, "the new cluster")
    eventually(lambda: cluster.ready_nodes() == 5, 60, "its nodes")
    assert cluster.get("namespace", "kube-system")["metadata"]["uid"] != before


def test_writes_are_those_of_people(cluster: Rack) -> None:
    time.sleep(1)
    before = cluster.side.writes
    cluster.get("nodes")
    cluster.kubectl("create", "configmap", "note", "--from-literal=a=b", "--dry-run=server")
    time.sleep(3)
    assert cluster.side.writes == before
    cluster.kubectl("create", "configmap", "note", "--from-literal=a=b")
    assert cluster.side.writes == before + 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda i, a: i["platform"]["baremetal"].update(apiVIPs=["198.51.100.7"]), "machine networks"),
        (lambda i, a: i.update(pullSecret="nonsense"), "pullSecret"),
        (lambda i, a: a.update(rendezvousIP="192.0.2.99"), "rendezvousIP"),
        (lambda i, a: a.update(rendezvousIP=addresses(a["hosts"][-1])[0]), "control plane host"),
        (lambda i, a: a["hosts"][1].update(hostname=a["hosts"][0]["hostname"]), "duplicate hostname"),
        (lambda i, a: a["hosts"][1].update(interfaces=a["hosts"][0]["interfaces"]), "duplicate MAC"),
        (lambda i, a: a["hosts"][1].update(interfaces=[]), "at least one interface"),
        (lambda i, a: i["controlPlane"].update(replicas=2), "controlPlane.replicas"),
        (lambda i, a: i.update(sshkey="x"), "unknown field"),
        (lambda i, a: i.pop("baseDomain"), "baseDomain"),
    ],
)  # fmt: skip
def test_the_installer_refuses(rack: Rack, change, word) -> None:  # type: ignore[no-untyped-def]
    install, agent = rack.configs()
    change(install, agent)
    done = rack.create_image(install, agent)
    assert done.returncode == 1
    assert word in done.stderr
    assert "Traceback" not in done.stderr
