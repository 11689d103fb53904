"""Everything that teams are given, on one site by one `up`: gangs of three kinds in queues of two tenants, services
with keys, with a watched second version and with a scale, rules at the API server. Members of teams do what they may,
and nothing is left to do or left behind.

Fourteen GPU nodes; PODWRIGHT_WHOLE_NODES=32 makes it a rack row (`make soak SUITE=whole-site`).
"""

import http.client
import json
import os
import ssl
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from podwright.components.design.platform.names import POOL_LABEL, tolerations
from podwright.components.model import load
from tests.e2e import whole_site
from tests.e2e.conftest import MakeSite
from tests.e2e.many_nodes import write_world
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.e2e.whole_site import CHAT_HOST, NOTES_HOST
from tests.lab.openshift.repeated import repeated
from tests.waiting import until

pytestmark = [pytest.mark.soak, pytest.mark.timeout(5400)]

NODES = int(os.environ.get("PODWRIGHT_WHOLE_NODES", "14"))
PODWRIGHT = str(Path(sys.executable).with_name("podwright"))
KEYS = {"portal": "key-of-the-portal", "batch": "key-of-the-batch"}
ASKED = b'{"model": "chat-8b", "messages": [{"role": "user", "content": "Good morning"}]}'


@pytest.fixture(scope="module")
def site(make_site: MakeSite, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site after its first `up`."""
    for part in ("gateway", "scaling", "queues"):
        subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", part], cwd=ROOT, check=True)
    text = whole_site.text(NODES)
    made = make_site("whole", text, write_world(text, tmp_path_factory.mktemp("rack") / "world.yaml"), brought_up=False)
    _up(made)
    return made


def _up(site: Site, *, check: bool = True) -> "subprocess.CompletedProcess[str]":
    command = ("up", "--yes", "--skip-preview", "--policy-pack", "policies")
    return site.pulumi(*command, check=check, timeout=3600)


def _items(site: Site, *what: str) -> list[Any]:
    return list(json.loads(kubectl(site, "get", *what, "-o", "json"))["items"])


def _asked(port: int, host: str, key: str = "") -> int:
    """Status of one request by a name."""
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=ssl._create_unverified_context(), timeout=20)
    given = {"Host": host, "Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        connection.request("POST", "/v1/chat/completions", ASKED, given)
        return connection.getresponse().status
    finally:
        connection.close()


def _gateway(site: Site, key: str = "") -> int:
    return _asked(site.world("GET", "/gateway")["port"], CHAT_HOST, key)


def _member(site: Site, verb: str, what: str, space: str, who: str) -> bool:
    """Whether a member of a group may do that."""
    words = ("auth", "can-i", verb, what, "-n", space, "--as", "member", f"--as-group={who}",
             "--as-group=system:authenticated")  # fmt: skip
    return kubectl(site, *words, check=False).strip().endswith("yes")


def _placed(site: Site, space: str, name: str) -> set[str]:
    """Servers of the pods of this name that run."""
    pods = _items(site, "pods", "-n", space, "-l", f"app.kubernetes.io/name={name}")
    return {pod["spec"]["nodeName"] for pod in pods if pod["status"]["phase"] == "Running"}


def test_gangs_run_whole_on_their_tenants_servers_and_the_last_with_what_is_left(site: Site) -> None:
    groups = {name: server.group for name, server in load(site.stack_file).servers.items()}
    until(lambda: len(_placed(site, "research", "second")) == 4, 120, "four of up to six members run", pause=1)
    until(lambda: len(_placed(site, "vision", "detect")) == 2, 120, "both nodes of the TrainJob run", pause=1)
    first, second = _placed(site, "research", "pretrain"), _placed(site, "research", "second")
    assert len(first) == 4 and first.isdisjoint(second)
    assert {groups[node.partition(".")[0]] for node in first | second} == {1}
    assert 1 not in {groups[node.partition(".")[0]] for node in _placed(site, "vision", "detect")}


def test_replicas_stand_in_both_racks_in_the_mesh_and_members_meet_at_a_server_of_their_own(site: Site) -> None:
    racks = {name: server.rack for name, server in load(site.stack_file).servers.items()}
    until(lambda: len(_placed(site, "chat", "notes")) == 2, 120, "replicas on two servers", pause=1)
    assert len({racks[node.partition(".")[0]] for node in _placed(site, "chat", "notes")}) == 2
    taken_in = {pod["metadata"]["name"]: "ambient.istio.io/redirection" in pod["metadata"].get("annotations", {})
                for pod in _items(site, "pods", "-n", "chat")}  # fmt: skip
    assert taken_in and all(taken_in.values()), taken_in
    assert len(_placed(site, "research", "second-rendezvous")) == 1
    pods = _items(site, "pods", "-n", "research", "-l", "app.kubernetes.io/name=pretrain")
    (box,) = pods[0]["spec"]["containers"]
    asked = {"secretKeyRef": {"name": "hub", "key": "token", "optional": False}}
    assert asked in [row.get("valueFrom") for row in box["env"]]


def test_nothing_is_left_to_do_and_no_rule_finds_anything(site: Site) -> None:
    assert site.preview() == []
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    assert ": 0 findings, " in site.run([PODWRIGHT, "audit", site.stack]).stdout
    screen = site.run([PODWRIGHT, "status", site.stack], check=False).stdout
    assert "runs with 4 of 6 members" in screen and "64 of 64 GPUs" in screen, screen


def test_members_do_what_they_may_in_their_own_namespace_and_nothing_in_others(site: Site) -> None:
    assert _member(site, "create", "jobs", "research", "researchers")
    assert not _member(site, "create", "jobs", "vision", "researchers")
    assert not _member(site, "get", "secrets", "kuadrant-system", "chatters")
    assert not _member(site, "patch", "clusterqueues", "research", "researchers")
    words = ("--as", "member", "--as-group=researchers", "--as-group=system:authenticated")
    found = kubectl(site, "create", "-f", "-", *words, stdin=json.dumps(_unqueued()), check=False)
    assert "denied" in found and "queue" in found, found


def _unqueued() -> dict[str, Any]:
    """A job of whole servers that names no queue."""
    limits = {"limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "8"}}
    box = {"name": "train", "image": "registry.example.com/research/own@sha256:" + "1" * 64, "resources": limits}
    pod = {"restartPolicy": "Never", "tolerations": tolerations("training"), "containers": [box],
           "nodeSelector": {POOL_LABEL: "training"}}  # fmt: skip
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "own", "namespace": "research"},
            "spec": {"template": {"spec": pod}}}  # fmt: skip


def test_clients_come_in_with_their_key_and_within_their_limit(site: Site) -> None:
    assert _gateway(site) == 401
    for client, key in KEYS.items():
        labels = {"podwright.io/client": client, "authorino.kuadrant.io/managed-by": "authorino"}
        meta = {"name": client, "namespace": "kuadrant-system", "labels": labels}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": {"api_key": key}}
        kubectl(site, "create", "-f", "-", stdin=json.dumps(secret))
    until(lambda: _gateway(site, KEYS["portal"]) == 200, 60, "the portal's key opens the service", pause=1)
    assert [_gateway(site, KEYS["batch"]) for _ in range(4)] == [200, 200, 200, 429]
    assert _gateway(site, "key-of-a-stranger") == 401
    assert not any(key in json.dumps(site.export()) for key in KEYS.values())


@contextmanager
def _users(site: Site, answered: Counter[int]) -> Iterator[None]:
    """Somebody who asks by the Route all the time."""
    port = site.world("GET", "/router")["port"]
    with repeated(lambda: answered.update([_asked(port, NOTES_HOST)]), 0.05):
        yield


def test_a_larger_share_stays_with_a_good_version_and_comes_back_from_a_bad_one(site: Site) -> None:
    answered: Counter[int] = Counter()
    bad = {"kind": "answers", "service": "chat/notes-canary", "status": 500}
    with _users(site, answered):
        site.edit({"workloads/inference/notes/canary/percent": 50})
        _up(site)
        assert answered.keys() == {200}, answered
        assert site.preview() == []
        site.world("POST", "/fault", {**bad, "percent": 30})
        site.edit({"workloads/inference/notes/canary/percent": 80})
        failed = _up(site, check=False)
        site.world("POST", "/fault", {**bad, "percent": 0})
    assert failed.returncode and "its limit is 1 %" in failed.stdout + failed.stderr, failed.stdout
    (route,) = (each for each in _items(site, "routes", "-n", "chat") if each["spec"]["host"] == NOTES_HOST)
    assert [route["spec"]["to"]["weight"], route["spec"]["alternateBackends"][0]["weight"]] == [50, 50]
    site.edit({"workloads/inference/notes/canary/percent": 50})
    _up(site)
    assert site.preview() == []


def test_all_of_it_goes(site: Site) -> None:
    site.pulumi("destroy", "--yes", "--run-program", timeout=3600)
    assert site.export()["deployment"].get("resources", []) == []
