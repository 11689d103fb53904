"""A host that joins asks for its kubelet's certificates: they are approved for it, and for nobody else."""

from __future__ import annotations

import base64
import ipaddress
import json
from collections.abc import Mapping
from typing import Any, cast

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from podwright.components.providers.openshift import certificates, handover, unregistered
from podwright.components.providers.openshift.certificates import BOOTSTRAPPER, CLIENT, REQUESTS, SERVING
from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.openshift.waiting import NODES
from podwright.components.providers.protocol.kind import Context
from podwright.components.providers.reach import Reach

HOSTS = [
    {"name": "gpu-01", "role": "worker", "pool": "training", "address": "192.0.2.21"},
    {"name": "cp-01", "role": "master", "pool": "control-plane", "address": "192.0.2.11"},
]
TAINT = {"key": "podwright.io/pool", "value": "training", "effect": "NoSchedule"}
QUARANTINE = {"key": "example.com/quarantine", "value": "dimm", "effect": "NoSchedule"}
KEY = ec.generate_private_key(ec.SECP256R1())


def asked(name: str = "system:node:gpu-01", group: str = "system:nodes", *places: str, **spec: Any) -> dict[str, Any]:
    """A request as a kubelet posts it, client's unless `spec` says otherwise."""
    who = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group), x509.NameAttribute(NameOID.COMMON_NAME, name)]
    made = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(who))
    if places:
        named = [x509.IPAddress(ipaddress.ip_address(each)) if each[0].isdigit() else x509.DNSName(each)
                 for each in places]  # fmt: skip
        made = made.add_extension(x509.SubjectAlternativeName(named), critical=False)
    pem = made.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    usages = ["digital signature", "client auth"]
    basic = {"signerName": CLIENT, "username": BOOTSTRAPPER, "usages": usages}
    return {"metadata": {"name": "csr-1"}, "spec": {**basic, "request": base64.b64encode(pem).decode(), **spec}}


def served(*places: str, **spec: Any) -> dict[str, Any]:
    usages = ["digital signature", "server auth"]
    own = {"signerName": SERVING, "username": "system:node:gpu-01", "usages": usages, **spec}
    return asked("system:node:gpu-01", "system:nodes", *places, **own)


@pytest.mark.parametrize("request_", [asked(), served("gpu-01", "192.0.2.21"), served("192.0.2.21")])
def test_what_the_kubelet_of_a_joining_worker_asks_for_is_its_own(request_: Mapping[str, Any]) -> None:
    assert certificates.asked_by(request_, HOSTS) == "gpu-01"


@pytest.mark.parametrize(
    "request_",
    [
        asked("system:node:gpu-02"),
        asked("system:node:cp-01"),
        asked("system:node:gpu-01", "system:masters"),
        asked("system:admin"),
        asked(username="system:serviceaccount:default:default"),
        asked("system:node:gpu-01", "system:nodes", "api.lab.example.com"),
        asked(usages=["client auth", "server auth"]),
        asked(signerName="kubernetes.io/kube-apiserver-client"),
        asked(request=base64.b64encode(b"no request").decode()),
        served("gpu-01", "api.lab.example.com"),
        served("192.0.2.200"),
        served(),
        served("gpu-01", username=BOOTSTRAPPER),
        served("gpu-01", usages=["server auth", "client auth"]),
    ],
)
def test_nothing_else_is_approved(request_: Mapping[str, Any]) -> None:
    assert certificates.asked_by(request_, HOSTS) == ""


class Cluster:
    """One request that waits, some nodes, and what a node of this name had before; it writes down what is asked."""

    def __init__(self, nodes: Mapping[str, dict[str, Any]], kept: bool = False, refused: int = 0) -> None:
        self.nodes = dict(nodes)
        had = json.dumps({"applied": [], "taints": [QUARANTINE]})
        self.records = [{"data": {"node": "gpu-01", "uid": "old", "had": had}}] if kept else []
        self.refused = refused
        self.written: list[str] = []

    async def items(self, path: str) -> list[Any]:
        return [asked()] if path == REQUESTS else self.records if "configmaps" in path else list(self.nodes.values())

    async def find(self, path: str) -> Any:
        return self.nodes.get(path.rpartition("/")[2])

    async def merge(self, path: str, change: Mapping[str, Any]) -> None:
        self.nodes[path.rpartition("/")[2]]["spec"] = change["spec"]
        self.written.append("taints")

    async def request(self, method: str, path: str, body: Any) -> None:
        if path == NODES and self.refused:
            raise KubeError(self.refused, {"message": "a policy of the site"}, f"{method} {path}")
        if path == NODES:
            self.nodes[body["metadata"]["name"]] = body
        self.written.append("node" if path == NODES else "approval")


async def _approved(cluster: Cluster, taints: certificates.Taints | None) -> list[str]:
    warned: list[str] = []
    ctx = Context(config={}, reach=Reach(), identity="podwright/rack", log=lambda _: None, warn=warned.append)
    await certificates.approve(cast(Kube, cluster), HOSTS, ctx, taints)
    return warned


def _other(**labels: str) -> dict[str, Any]:
    return {"metadata": {"name": "gpu-02", "labels": labels}, "status": {"nodeInfo": {"kubeletVersion": "v1.36.3"}}}


async def test_a_node_with_its_taints_is_there_before_its_kubelets_certificate_is_approved() -> None:
    worker = _other(**{unregistered.ROLE: "", unregistered.OPERATING_SYSTEM: "rhel"})
    cluster = Cluster({"gpu-02": worker}, kept=True)
    assert await _approved(cluster, {"training": TAINT}) == []
    assert cluster.written == ["node", "approval"]
    made = cluster.nodes["gpu-01"]
    assert made["spec"]["taints"] == [TAINT, QUARANTINE]
    assert made["metadata"]["labels"] == worker["metadata"]["labels"]


async def test_what_a_killed_run_made_is_brought_to_the_taints_of_now_and_approved() -> None:
    cluster = Cluster({})
    await _approved(cluster, {"training": {**TAINT, "value": "inference"}})
    cluster.nodes["gpu-01"]["metadata"]["resourceVersion"] = "7"
    await _approved(cluster, {"training": TAINT})
    assert cluster.written == ["node", "approval", "taints", "approval"]
    assert cluster.nodes["gpu-01"]["spec"]["taints"] == [TAINT]


@pytest.mark.parametrize("status", [{"nodeInfo": {"kubeletVersion": "v1.36.3"}}, {}])
async def test_a_node_that_reports_or_that_somebody_else_made_is_nobody_elses(status: Mapping[str, Any]) -> None:
    notes = {unregistered.MADE: ""} if status else {}
    cluster = Cluster({"gpu-01": {"metadata": {"name": "gpu-01", "annotations": notes}, "status": status}})
    await _approved(cluster, {"training": TAINT})
    assert cluster.written == []


@pytest.mark.parametrize("taints", [None, {}])
async def test_hosts_of_the_first_day_and_of_pools_without_a_taint_make_their_nodes_themselves(
    taints: certificates.Taints | None,
) -> None:
    cluster = Cluster({})
    await _approved(cluster, taints)
    assert cluster.written == ["approval"]


async def test_a_policy_that_refuses_the_node_stops_no_host_and_is_warned_of() -> None:
    cluster = Cluster({}, refused=403)
    (warning,) = await _approved(cluster, {"training": TAINT})
    assert "gpu-01 joins without a taint" in warning and "a policy of the site" in warning
    assert cluster.written == ["approval"]
    busy = Cluster({}, refused=503)
    with pytest.raises(KubeError):
        await _approved(busy, {"training": TAINT})
    assert busy.written == [], "the API server is busy: it is asked again"


async def test_a_node_that_no_kubelet_has_reported_on_takes_nothing_over() -> None:
    cluster = Cluster({}, kept=True)
    await _approved(cluster, {"training": TAINT})
    record = handover.Record("gpu-01", "old", handover.Had((), (QUARANTINE,)))
    assert not await handover._given(cast(Kube, cluster), record)
