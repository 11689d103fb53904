"""The program that admits nodes, against an API server in memory that takes a patch as the real one does."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from podwright.components.design.platform import admission as plan
from podwright.components.design.platform.names import ADMISSION_NOTE
from podwright.components.programs import nodes
from podwright.components.programs.admission import Admission, RefusedError
from podwright.components.programs.nodes import state_of
from tests.design.platform.test_admission import WANTED, pool_plan

Item = dict[str, Any]
FOREIGN = {"key": "example.com/repair", "effect": "NoSchedule"}
NODES = ("gpu-01", "gpu-02", "gpu-03")


class Server:
    """Nodes and pods, and what patches, posts and deletions make of them."""

    def __init__(self, nodes: tuple[str, ...] = NODES) -> None:
        self.nodes: dict[str, Item] = {name: _node(name) for name in nodes}
        self.pods: dict[str, Item] = {}
        self.interfere = False

    def call(self, method: str, path: str, body: Any = None, content: str = "") -> Item:
        name = path.partition("?")[0].rpartition("/")[2]
        if method == "GET":
            kind = self.pods if path.endswith("/pods") else self.nodes
            items = copy.deepcopy(list(kind.values()))
            return {"metadata": {"resourceVersion": "1"}, "items": items}
        if method == "POST":
            made = body["metadata"]["name"]
            body = copy.deepcopy(body)
            body["metadata"]["uid"] = f"{made}-{len(self.pods)}-{id(body)}"
            self.pods[made] = {**body, "status": {"phase": "Pending"}}
        elif method == "DELETE":
            del self.pods[name]
        else:
            assert content == "application/json-patch+json"
            self._patch(self.nodes[name], body)
        return {}

    def _patch(self, node: Item, changes: list[Item]) -> None:
        if self.interfere:
            self.interfere = False
            node["spec"]["taints"] = [*node["spec"].get("taints", []), FOREIGN]
            node["metadata"]["resourceVersion"] += "1"
        test, *changes = changes
        assert test["op"] == "test" and test["path"] == "/metadata/resourceVersion"
        if test["value"] != node["metadata"]["resourceVersion"]:
            raise RefusedError(422, "the server rejected our request due to an error in our request")
        for each in changes:
            *way, last = each["path"].replace("~1", "\0").strip("/").split("/")
            place = node
            for step in way:
                place = place[step]
            place[last.replace("\0", "/")] = each["value"]
        node["metadata"]["resourceVersion"] += "1"

    def wait(self, path: str, seconds: int) -> None:
        del path, seconds

    def tainted(self, name: str) -> bool:
        return plan.TAINT in self.nodes[name]["spec"].get("taints", [])

    def end(self, name: str, phase: str = "Succeeded", step: str = "collective", message: str = "gbytes=470") -> None:
        code = int(phase == "Failed")
        row = {"name": step, "state": {"terminated": {"exitCode": code, "message": message}}}
        self.pods[f"checks-{name}"]["status"] = {"phase": phase, "containerStatuses": [row]}


def _node(name: str) -> Item:
    return {
        "metadata": {"name": name, "resourceVersion": "1", "labels": {"podwright.io/pool": "training"}},
        "spec": {"taints": [FOREIGN]},
        "status": {
            "nodeInfo": {"bootID": "first"},
            "allocatable": {"nvidia.com/gpu": "8"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _program(server: Server, **changes: Any) -> Admission:
    settings = json.loads(next(
        each for each in pool_plan().admission if each["metadata"]["name"] == "settings"
    )["data"]["settings.json"])  # fmt: skip
    return Admission({**settings, **changes}, server)  # type: ignore[arg-type]


def _passes(program: Admission, count: int = 3) -> None:
    for _ in range(count):
        program.run()


def _admitted(server: Server, program: Admission) -> None:
    _passes(program)
    for number, name in enumerate(server.nodes):
        server.end(name, message=f"gbytes={470 + number}")
    _passes(program)
    assert not any(map(server.tainted, server.nodes)), server.nodes


def test_names_are_those_that_others_know() -> None:
    assert nodes.NOTE == ADMISSION_NOTE


def test_a_node_is_tainted_first_checked_then_and_admitted_last() -> None:
    server = Server()
    program = _program(server)
    program.run()
    assert all(map(server.tainted, NODES)) and not server.pods
    program.run()
    pod = server.pods["checks-gpu-01"]
    (field,) = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ][0]["matchFields"]
    assert field["values"] == ["gpu-01"]
    rows = [*pod["spec"]["initContainers"], *pod["spec"]["containers"]]
    assert [each["name"] for each in rows] == ["devices", "diagnostics", "collective"]
    assert {each["resources"]["limits"]["nvidia.com/gpu"] for each in rows} == {"8"}
    assert all({"name": "FABRIC", "value": "registered"} in each["env"] for each in rows)
    _passes(program)
    assert all(map(server.tainted, NODES)), "checks that run are not passed yet"
    server.end("gpu-01")
    program.run()
    assert not server.tainted("gpu-01") and server.tainted("gpu-02")
    assert server.nodes["gpu-01"]["spec"]["taints"] == [FOREIGN]
    state = state_of(server.nodes["gpu-01"])
    assert (state["result"], state["boot"], state["gbytes"]) == ("admitted", "first", 470)
    program.run()
    assert "checks-gpu-01" not in server.pods


def test_another_boot_is_tainted_at_once_and_checked_again() -> None:
    server = Server()
    program = _program(server)
    _admitted(server, program)
    _passes(program)
    ready = server.nodes["gpu-02"]["status"]["conditions"][0]
    ready["status"] = "False"
    program.run()
    assert server.tainted("gpu-02") and not server.tainted("gpu-01"), "a node that is away comes back with it"
    server.nodes["gpu-02"]["status"]["nodeInfo"]["bootID"] = "second"
    ready["status"] = "True"
    _passes(program)
    assert server.tainted("gpu-02") and "checks-gpu-02" in server.pods
    server.end("gpu-02")
    program.run()
    assert not server.tainted("gpu-02") and state_of(server.nodes["gpu-02"])["boot"] == "second"


def test_a_kubelet_that_starts_anew_in_the_same_boot_is_admitted_as_it_was() -> None:
    server = Server()
    program = _program(server)
    _admitted(server, program)
    _passes(program)
    ready = server.nodes["gpu-02"]["status"]["conditions"][0]
    for status, tainted in (("Unknown", True), ("True", False)):
        ready["status"] = status
        program.run()
        assert server.tainted("gpu-02") is tainted and not server.pods


def test_checks_of_an_earlier_boot_admit_nobody() -> None:
    server = Server(("gpu-01",))
    program = _program(server)
    _passes(program)
    server.end("gpu-01")
    server.nodes["gpu-01"]["status"]["nodeInfo"]["bootID"] = "second"
    program.run()
    assert server.tainted("gpu-01") and not server.pods


@pytest.mark.parametrize(("offered", "words"), [("7", "a GPU is missing"), ("0", "the driver or the device plugin")])
def test_a_missing_gpu_counts_and_one_that_is_back_is_checked_at_once(offered: str, words: str) -> None:
    server = Server(("gpu-01",))
    program = _program(server)
    server.nodes["gpu-01"]["status"]["allocatable"]["nvidia.com/gpu"] = offered
    _passes(program)
    assert server.tainted("gpu-01") and not server.pods
    reason = state_of(server.nodes["gpu-01"])["reason"]
    assert reason.startswith(f"{offered} of 8 GPUs are offered: {words}"), reason
    assert state_of(server.nodes["gpu-01"])["result"] == "waiting", "a driver takes minutes after a boot"
    server.nodes["gpu-01"]["status"]["allocatable"]["nvidia.com/gpu"] = "8"
    program.run()
    assert "checks-gpu-01" in server.pods


def test_a_gpu_that_goes_before_its_checks_have_it_is_missed() -> None:
    server = Server(("gpu-01",))
    program = _program(server)
    _passes(program)
    full = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available: 1 Insufficient gpu"}
    server.pods["checks-gpu-01"]["status"]["conditions"] = [full]
    program.run()
    assert state_of(server.nodes["gpu-01"])["reason"].startswith("its checks wait for its GPUs: 0/3 nodes")
    server.nodes["gpu-01"]["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    program.run()
    assert state_of(server.nodes["gpu-01"])["reason"] == "7 of 8 GPUs are offered: a GPU is missing"
    assert server.tainted("gpu-01") and not server.pods
    server.nodes["gpu-01"]["status"]["allocatable"]["nvidia.com/gpu"] = "8"
    program.run()
    server.pods["checks-gpu-01"]["spec"]["nodeName"] = "gpu-01"
    server.nodes["gpu-01"]["status"]["allocatable"]["nvidia.com/gpu"] = "0"
    _passes(program)
    assert "checks-gpu-01" in server.pods, "the device plugin may start anew under checks that have their GPUs"


def test_checks_that_fail_say_why_and_run_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(("gpu-01",))
    program = _program(server)
    _passes(program)
    server.end("gpu-01", "Failed", "diagnostics", "dcgmi diag -r 2 ended with 226: PCIe Fail")
    _passes(program)
    state = state_of(server.nodes["gpu-01"])
    assert server.tainted("gpu-01") and "checks-gpu-01" in server.pods, "its logs are there until then"
    assert state["reason"] == "diagnostics: dcgmi diag -r 2 ended with 226: PCIe Fail"
    monkeypatch.setattr("podwright.components.programs.admission.time.time", lambda: state["again"] + 1)
    _passes(program)
    server.end("gpu-01")
    program.run()
    assert not server.tainted("gpu-01")


@pytest.mark.parametrize(
    ("gbytes", "words"),
    [(149, "collective: bus bandwidth 149 GB/s, at least 150 are asked"), (300, "straggler: bus bandwidth 300 GB/s")],
)
def test_a_slow_node_is_not_admitted(gbytes: int, words: str) -> None:
    server = Server()
    program = _program(server)
    _passes(program)
    server.end("gpu-01")
    server.end("gpu-02")
    program.run()
    server.end("gpu-03", message=f"gbytes={gbytes}")
    program.run()
    assert server.tainted("gpu-03") and not server.tainted("gpu-01")
    state = state_of(server.nodes["gpu-03"])
    assert words in state["reason"] and state["gbytes"] == gbytes


def test_a_taint_that_somebody_puts_on_meanwhile_stays() -> None:
    server = Server(("gpu-01",))
    server.nodes["gpu-01"]["spec"] = {}
    program = _program(server)
    server.interfere = True
    _passes(program, 1)
    assert not server.tainted("gpu-01"), "the node was another one by then"
    _passes(program, 1)
    assert server.nodes["gpu-01"]["spec"]["taints"] == [FOREIGN, plan.TAINT]


def test_a_node_without_a_server_in_the_file_is_not_admitted() -> None:
    server = Server(("gpu-77",))
    _passes(_program(server))
    assert server.tainted("gpu-77") and not server.pods


def test_the_defaults_are_in_the_settings() -> None:
    assert (WANTED.straggler_percent, WANTED.retry_seconds) == (90, 600)


@pytest.mark.parametrize("text", ["[]", "no JSON", '{"result": "admitted"}', '{"boot": "first", "result": "failed"}'])
def test_an_annotation_that_is_not_the_programs_is_none(text: str) -> None:
    assert state_of({"metadata": {"annotations": {ADMISSION_NOTE: text}}}) == {}
