"""Podwright's pods of Triton and of a NIM on a cluster of the lab: what they wait for, and what they answer."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.request
from contextlib import closing
from typing import Any
from urllib.error import HTTPError

import pytest

from podwright.components.design.platform import teams
from podwright.components.design.workloads import monitor, route, service
from podwright.components.model import Inference, Team, load
from podwright.components.providers.status import containers
from tests.lab.openshift.rack import Rack
from tools.generated import ROOT

pytestmark = pytest.mark.rough
SHAPE = {"workers": ("", "")}
EXAMPLE = load(ROOT / "tests/examples/platform/Pulumi.platform.yaml")
HOST = "assistant.apps.lab.example.com"
CONFIG = 'name: "{}" backend: "onnxruntime" instance_group [ {{ kind: KIND_GPU gpus: [ {} ] }} ]'
CLASS = {
    "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "files"},
    "provisioner": "csi.trident.netapp.io",
}  # fmt: skip


_SIZE = {"storage": "1Gi"}


def _claim(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "chat"},
        "spec": {"storageClassName": "files", "accessModes": ["ReadWriteMany"], "resources": {"requests": _SIZE}},
    }  # fmt: skip


def _planned(name: str, **changes: Any) -> list[dict[str, Any]]:
    """A service of the example as planned, on nodes that are in no pool."""
    found = EXAMPLE.workloads.inference[name].model_dump() | {"replicas": 1, "slice": None, "memory_gib": 4, **changes}
    defined = Inference.model_validate(found)
    servers = {host: each for host, each in EXAMPLE.servers.items() if each.pool == "inference"}
    deployment, *beside = service(name, defined, servers)
    pod = deployment["spec"]["template"]["spec"]
    for key in ("nodeSelector", "tolerations", "priorityClassName"):
        pod.pop(key)
    return [deployment, *beside, *route(name, defined), *monitor(name, defined)]


@pytest.fixture(scope="module")
def offered(cluster: Rack) -> Rack:
    """The cluster with a team, its claims, and one GPU on each worker."""
    for node in ("gpu-1", "gpu-2"):
        amount = {"nvidia.com/gpu": "1"}
        change = json.dumps({"status": {"capacity": amount, "allocatable": amount}})
        cluster.kubectl(
            "patch", "node", f"{node}.lab.example.com", "--subresource=status", "--type=merge", "-p", change
        )
    cluster.apply(teams.namespace("chat", rdma=False), CLASS)
    cluster.apply(
        *teams.inside("chat", Team(gpus=8), trains=False, serves=True), _claim("weights"), _claim("nim-cache")
    )
    return cluster


def _pod(cluster: Rack, name: str) -> Any:
    found = cluster.items("pods", "-n", "chat", "-l", f"app.kubernetes.io/name={name}")
    return next((each for each in found if "deletionTimestamp" not in each["metadata"]), None)


def _unwell(cluster: Rack, name: str) -> tuple[str, str]:
    pod = _pod(cluster, name)
    return (containers.unwell(pod) if pod else None) or ("", "")


def _asked(
    cluster: Rack, name: str, path: str, port: int = 8000, body: Any = None, **headers: str
) -> tuple[int, bytes]:
    here = cluster.side.served()["served"][f"chat/{_pod(cluster, name)['metadata']['name']}"][str(port)]
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{here}{path}", data, headers)) as answer:
            return answer.status, answer.read()
    except HTTPError as refused:
        return refused.code, refused.read()


def test_triton_waits_for_its_repository_and_then_serves_it(offered: Rack) -> None:
    offered.apply(*_planned("ranking"))
    offered.wait("it ends", lambda: _unwell(offered, "ranking")[0] == "CrashLoopBackOff", 60)
    assert _unwell(offered, "ranking")[1].endswith("Internal - failed to stat file /models/repository")
    files = {f"repository/{each}/config.pbtxt": CONFIG.format(each, 0) for each in ("rank", "embed_v2", "third")}
    files |= {f"repository/{each}/1/model.onnx": "" for each in ("rank", "embed_v2", "third")}
    offered.side._files_fault({"claim": "chat/weights", "files": files})
    offered.wait("it is ready", lambda: bool(_ready(offered, "ranking")), 60)
    assert _asked(offered, "ranking", "/v2/health/ready")[0] == 200
    assert json.loads(_asked(offered, "ranking", "/v2/models/rank")[1])["versions"] == ["1"]
    assert _asked(offered, "ranking", "/v2/models/third/ready")[0] == 400
    assert b"nv_gpu_utilization" in _asked(offered, "ranking", "/metrics", port=8002)[1]
    load_third = "/v2/repository/models/third/load"
    assert _asked(offered, "ranking", load_third, body={})[0] == 403
    uid = _pod(offered, "ranking")["metadata"]["uid"]
    assert _asked(offered, "ranking", load_third, body={}, **{"podwright-pod": uid})[0] == 200
    assert _asked(offered, "ranking", "/v2/models/third/ready")[0] == 200


def test_a_model_for_a_gpu_that_the_replica_has_not_keeps_triton_from_starting(offered: Rack) -> None:
    files = {"repository/rank/config.pbtxt": CONFIG.format("rank", 1), "repository/rank/1/model.onnx": ""}
    offered.side._files_fault({"claim": "chat/weights", "files": files})
    offered.apply(*_planned("ranking", triton={"models": ["rank"]}))
    offered.wait("it ends", lambda: "failed to load all models" in _unwell(offered, "ranking")[1], 90)
    offered.kubectl("delete", "deployment", "ranking", "-n", "chat")


def test_a_nim_waits_for_its_key_and_users_reach_it_by_its_route(offered: Rack) -> None:
    way = {"host": HOST}
    offered.apply(*_planned("assistant", route=way))
    offered.wait("refused", lambda: _unwell(offered, "assistant")[0] == "CreateContainerConfigError", 60)
    assert _unwell(offered, "assistant")[1] == 'container serve: secret "ngc-api" not found'
    offered.kubectl(
        "create", "secret", "generic", "ngc-api", "-n", "chat", "--from-literal=NGC_API_KEY=nvapi-of-nobody"
    )
    offered.wait("it is ready", lambda: bool(_ready(offered, "assistant")), 60)
    assert _asked(offered, "assistant", "/v1/health/live")[0] == 200
    offered.wait("behind the router", lambda: len(offered.side.router()["routes"].get(HOST, [])) == 1, 60)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    port = int(offered.side.router()["port"])
    asked = {"model": "meta/llama-3.1-8b-instruct", "messages": [{"role": "user", "content": "ping"}]}
    with closing(http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)) as connection:
        connection.request("POST", "/v1/chat/completions", json.dumps(asked), {"Host": HOST})
        answer = json.loads(connection.getresponse().read())
    assert answer["choices"][0]["message"]["content"] == "ping"


def test_a_server_waits_for_the_secret_of_its_variable_and_then_for_its_key(offered: Rack) -> None:
    """The API server takes the reference as planned; kubelet's word for what is missing is that of `status`."""
    offered.kubectl("delete", "deployment", "assistant", "-n", "chat", "--ignore-not-found")
    offered.wait("it is gone", lambda: _pod(offered, "assistant") is None, 60)
    offered.apply(*_planned("assistant", nim={"ngc_secret": None, "cache": "nim-cache"},
                            secrets={"HF_TOKEN": {"secret": "hub", "key": "token"}}))  # fmt: skip
    (box,) = json.loads(offered.kubectl("get", "deployment", "assistant", "-n", "chat", "-o", "json"))["spec"][
        "template"
    ]["spec"]["containers"]
    assert box["env"][-1]["valueFrom"] == {"secretKeyRef": {"name": "hub", "key": "token", "optional": False}}
    missing = 'container serve: secret "hub" not found'
    offered.wait("no Secret", lambda: _unwell(offered, "assistant") == ("CreateContainerConfigError", missing), 60)
    offered.kubectl("create", "secret", "generic", "hub", "-n", "chat", "--from-literal=other=x")
    keyless = "container serve: couldn't find key token in Secret chat/hub"
    offered.wait("no key", lambda: _unwell(offered, "assistant")[1] == keyless, 60)
    patch = json.dumps({"stringData": {"token": "hf-of-nobody"}})
    offered.kubectl("patch", "secret", "hub", "-n", "chat", "--type=merge", "-p", patch)
    offered.wait("it is made", lambda: _unwell(offered, "assistant")[0] != "CreateContainerConfigError", 60)


def _ready(cluster: Rack, name: str) -> list[Any]:
    rows = ((_pod(cluster, name) or {}).get("status") or {}).get("conditions") or []
    return [row for row in rows if row["type"] == "Ready" and row["status"] == "True"]
