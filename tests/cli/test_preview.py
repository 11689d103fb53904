"""`podwright preview`: the first lines say what is interrupted, on how many ports, GPUs and jobs."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.engine.preview import planned
from podwright.components.changes.total import sentences
from tests.cli.test_engine import Shell
from tests.providers.nxos.rack import CONFIG, inputs

QUEUING = "policy-map type queuing QOS_EGRESS_PORT"
SWITCH, ROLLOUT = "podwright:nxos:Switch", "podwright:openshift:Rollout"


def step(token: str, op: str, old: Any, new: Any, name: str = "x") -> dict[str, Any]:
    states = {side: {"inputs": {"spec": spec}} if spec else None for side, spec in (("old", old), ("new", new))}
    urn = f"urn:pulumi:s::p::{token}::{name}"
    return {"resourcePreEvent": {"metadata": {"op": op, "urn": urn, "type": token, **states}}}


def switch(name: str, server: str, config: dict[str, str]) -> dict[str, Any]:
    links = {
        f"Ethernet1/{n + 1}": {"device": f"gpu-0{n // 4 + 1}", "port": f"rail{n % 4}", "role": "host"} for n in range(8)
    }
    links["Ethernet1/33"] = {"device": "spine-01", "port": f"Ethernet1/{server}", "role": "fabric"}
    spec: dict[str, Any] = inputs(config, hostname=name, links=links, schema=2)["spec"]
    return spec


CHANGED = {**CONFIG, QUEUING: CONFIG[QUEUING].replace("950", "900")}
OLD_POOL = {"schema": 1, "pool": "training", "nodes": [f"n{n}" for n in range(5)], "trigger": "a"}
EVENTS = [
    {"preludeEvent": {"config": {}}},
    step(SWITCH, "update", switch("leaf-01", "1", CONFIG), switch("leaf-01", "1", CHANGED)),
    step(SWITCH, "update", switch("leaf-02", "2", CONFIG), switch("leaf-02", "2", CHANGED)),
    step(SWITCH, "same", switch("leaf-03", "3", CONFIG), switch("leaf-03", "3", CONFIG)),
    step(ROLLOUT, "update", OLD_POOL, {**OLD_POOL, "trigger": "b"}),
    step("kubernetes:core/v1:Namespace", "delete", None, None, "team-a"),
]
TEXT = "".join(json.dumps(event) + "\n" for event in EVENTS)
SUM = (
    "2 switches lose lossless traffic for a moment on 18 ports, 8 GPUs; 5 nodes drain; "
    "1 object of the cluster is deleted: team-a"
)


def test_the_first_line_is_the_sum_and_pulumi_s_preview_follows(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.answers["preview"] = {"prints": "Previewing update (pod):\n", "events": TEXT}
    process = shell.start("preview", "pod")
    printed, told = process.communicate(timeout=60)
    assert printed == f"{SUM}\n\nPreviewing update (pod):\n"
    assert told.startswith("+ pulumi preview --stack pod --policy-pack ")
    assert "--event-log" not in told


def test_the_sum_is_the_same_in_whatever_order_the_engine_plans() -> None:
    sums = {
        sentences(planned([json.dumps(event) for event in events]).impacts, {}, {})
        for events in itertools.permutations(EVENTS[1:])
    }
    assert len(sums) == 1


def test_as_json_it_is_one_document_with_classes_and_ports(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.answers["preview"] = {"prints": "Previewing update (pod):\n", "events": TEXT}
    printed, _ = shell.start("preview", "pod", "--json").communicate(timeout=60)
    found = json.loads(printed)
    assert found["sum"] == SUM.split("; ")
    assert found["complete"]
    assert found["classes"]["disruptive"] == 3
    first = found["impacts"][0]
    assert (first["device"], first["class"], len(first["ports"])) == ("leaf-01", "disruptive", 9)
    assert first["gpus"][0] == "gpu-01 0"


def test_a_plan_that_stopped_says_that_its_sum_is_of_a_part(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.answers["preview"] = {"prints": "error: refused\n", "events": TEXT[:-40], "status": 255}
    process = shell.start("preview", "pod")
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 255
    assert printed.startswith("the plan stopped; until then: 2 switches lose lossless traffic")
    assert printed.endswith("error: refused\n")


def test_pulumi_s_own_json_is_left_alone(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.answers["preview"] = {"prints": "{}\n", "events": TEXT}
    printed, _ = shell.start("preview", "pod", "--", "--json").communicate(timeout=60)
    assert printed == "{}\n"


def test_jobs_and_gpus_of_drained_nodes_are_counted() -> None:
    plan = planned([json.dumps(EVENTS[4]), json.dumps(EVENTS[1])])
    gpus = {"n0": 8, "n1": 8}
    jobs = {"gpu-01": ("pretrain",), "n1": ("pretrain", "serve")}
    assert sentences(plan.impacts, gpus, jobs) == (
        "1 switch loses lossless traffic for a moment on 9 ports, 8 GPUs, job pretrain",
        "5 nodes drain on 16 GPUs, jobs pretrain, serve",
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ()),
        ({"hardware profile dlb": ""}, ("1 switch waits for a reload on 9 ports, 8 GPUs",)),
        (
            {"class-map type qos match-any ROCEv2": "match dscp 24"},
            ("1 switch differs from the rest of the fabric on 9 ports, 8 GPUs (two-ended)",),
        ),
    ],
)
def test_each_class_has_its_words(changes: dict[str, str], expected: tuple[str, ...]) -> None:
    old, new = switch("leaf-01", "1", CONFIG), switch("leaf-01", "1", CONFIG | changes)
    assert sentences(planned([json.dumps(step(SWITCH, "update", old, new))]).impacts, {}, {}) == expected


def test_what_leaves_the_cluster_is_counted_by_name_and_once() -> None:
    before = {"operators": ["gpu", "nfd"], "pools": ["inference"], "training": ["a", "b", "c", "d"], "teams": ["x"]}
    world = {"schema": 1, "cluster": "lab", "switches": {}, "intersight": False, "installation": {}}
    install: dict[str, Any] = {"schema": 1, "cluster": "lab", "hosts": [{"name": "n1"}, {"name": "n2"}]}
    approval = {"schema": 1, "namespace": "gpu", "subscription": "gpu", "csv": "gpu.v1", "dependencies": []}
    events = [
        step("podwright:index:World", "update", {**world, "contents": before}, {**world, "contents": {"teams": ["x"]}}),
        step("podwright:openshift:Install", "update", install, {**install, "hosts": install["hosts"][:1]}),
        step("podwright:openshift:OperatorInstall", "delete", approval, None),
    ]
    assert sentences(planned(json.dumps(event) for event in events).impacts, {"n2": 8}, {"n2": ("pretrain",)}) == (
        "1 node pool is removed: inference",
        "4 workloads end: a, b, c …",
        "1 node leaves the cluster on 8 GPUs, job pretrain: n2",
        "2 operators are removed: gpu, nfd",
    )


def test_a_switch_that_goes_is_counted() -> None:
    plan = planned([json.dumps(step(SWITCH, "delete", switch("leaf-01", "1", CONFIG), None))])
    assert sentences(plan.impacts, {}, {}) == ("1 switch loses its configuration on 9 ports, 8 GPUs: leaf-01",)


PROFILE = "podwright:intersight:ServerProfile"


def servers_step() -> list[dict[str, Any]]:
    bios: dict[str, Any] = {"schema": 1, "object_type": "bios.Policy", "name": "b", "properties": {"SrIov": "enabled"}}
    changed = {**bios, "properties": {"SrIov": "disabled"}}
    bucket = [{"object_type": "bios.Policy", "name": "b"}]
    profiles = [
        {"name": name, "serial": name.upper(), "action": "stage", "policies": bucket, "restart_digest": "1"}
        for name in ("n1", "n2")
    ]
    nodes = [{"name": name, "serial": name.upper(), "digest": "1"} for name in ("n2", "n1", "n3")]
    rolled = [{**node, "digest": "2" if node["name"] != "n3" else "1"} for node in nodes]
    pool = {"schema": 1, "pool": "training", "max_unavailable": 1}
    return [
        step("podwright:intersight:Policy", "update", bios, changed),
        *(step(PROFILE, "update", each, {**each, "restart_digest": "2"}) for each in profiles),
        step(ROLLOUT, "update", {**pool, "nodes": nodes, "trigger": "a"}, {**pool, "nodes": rolled, "trigger": "b"}),
    ]


def test_a_change_of_a_policy_names_the_servers_that_reboot_and_their_order(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    text = "".join(json.dumps(event) + "\n" for event in servers_step())
    shell.answers["preview"] = {"prints": "Previewing update (pod):\n", "events": text}
    printed, _ = shell.start("preview", "pod").communicate(timeout=60)
    assert printed == (
        "2 nodes drain\nbios.Policy b: SrIov: 2 servers reboot, 1 at a time in training: n2, n1\n\n"
        "Previewing update (pod):\n"
    )
    as_json, _ = shell.start("preview", "pod", "--json").communicate(timeout=60)
    assert json.loads(as_json)["servers"] == [
        {
            "what": "bios.Policy b", "properties": ["SrIov"], "disruption": "reboot", "servers": ["n2", "n1"],
            "gpus": 0, "at_a_time": {"training": 1},
        }
    ]  # fmt: skip
