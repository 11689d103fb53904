"""The reader of the audit log, on short logs written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from podwright.lab.openshift.side import count_writes
from tests.audit_log import after, beyond, read, silent, states, taken


def node(revision: int, name: str, *, cordoned: bool = False, ready: str = "True", **event: Any) -> str:
    rows = [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}]
    meta = {"name": name, "resourceVersion": str(revision)}
    item = {"metadata": meta, "spec": {"unschedulable": True} if cordoned else {}, "status": {"conditions": rows}}
    return line("patch", {"resource": "nodes", "name": name}, item, **event)


def slice_of(revision: int, service: str, *endpoints: tuple[str, bool], name: str = "chat-1", **event: Any) -> str:
    meta = {"name": name, "resourceVersion": str(revision), "labels": {"kubernetes.io/service-name": service}}
    rows = [{"nodeName": on, "conditions": {"ready": ready}} for on, ready in endpoints]
    target = {"resource": "endpointslices", "namespace": "default", "name": name}
    return line("update", target, {"metadata": meta, "endpoints": rows or None}, **event)


def line(verb: str, target: dict[str, Any], item: Any, **event: Any) -> str:
    entry = {
        "stage": "ResponseComplete", "verb": verb, "objectRef": target, "responseStatus": {"code": 200},
        "responseObject": item, "stageTimestamp": "2026-11-24T08:00:00Z", "requestURI": "/", **event,
    }  # fmt: skip
    return json.dumps(entry)


def test_a_node_is_away_while_it_is_cordoned_or_not_ready() -> None:
    found = list(states([
        node(1, "a"), node(2, "b"), node(3, "a", cordoned=True), node(4, "b", ready="Unknown"),
        node(5, "a", cordoned=True, ready="Unknown"), node(6, "a"), node(7, "b"),
    ]))  # fmt: skip
    assert [len(each.away) for each in found] == [0, 0, 1, 2, 2, 1, 0]
    assert found[3].cordoned == {"a"}
    assert found[3].unready == {"b"}


def test_more_away_than_the_budget_is_named_and_other_nodes_do_not_count() -> None:
    found = list(states([node(1, "a", cordoned=True), node(2, "b", cordoned=True), node(3, "x", cordoned=True)]))
    assert beyond(found, ["a", "b"], 2) == []
    assert beyond(found, ["a", "b"], 1) == ["2026-11-24T08:00:00Z: 2 away, not 1: a, b"] * 2


def test_writes_count_in_the_order_of_the_store_whatever_order_their_lines_have() -> None:
    written = [node(1, "a"), node(2, "b", cordoned=True), node(3, "b"), node(4, "a", cordoned=True)]
    logged = [written[0], written[1], written[3], written[2]]
    assert [each.away for each in states(logged)] == [each.away for each in states(written)]
    assert beyond(states(logged), ["a", "b"], 1) == []


def test_refusals_dry_runs_and_other_objects_change_nothing() -> None:
    refused = node(2, "a", cordoned=True, responseStatus={"code": 409})
    dry = node(3, "a", cordoned=True, requestURI="/api/v1/nodes/a?dryRun=All")
    early = node(4, "a", cordoned=True, stage="RequestReceived")
    pod = line("create", {"resource": "pods", "name": "p", "namespace": "default"}, None)
    assert [each.away for each in states([node(1, "a"), refused, dry, early, pod])] == [frozenset()]


def test_a_deleted_node_is_nobodys_loss_and_its_service_has_what_is_left() -> None:
    deletion = line("delete", {"resource": "nodes", "name": "a"}, {"kind": "Status", "metadata": {}})
    found = list(states([node(1, "a", cordoned=True), deletion, node(2, "b")]))
    assert [sorted(each.away) for each in found] == [["a"], [], []]


def test_a_service_has_the_ready_endpoints_of_all_its_slices_on_nodes_that_are_ready() -> None:
    log = [
        node(1, "a"), node(2, "b"), slice_of(3, "chat", ("a", True), ("b", False)),
        slice_of(4, "chat", ("b", True), name="chat-2"), slice_of(5, "embed", ("b", True), name="embed-1"),
        node(6, "b", ready="Unknown"), slice_of(7, "chat"), node(8, "b"),
    ]  # fmt: skip
    found = list(states(log))
    assert [each.ready.get("default/chat", 0) for each in found] == [0, 0, 1, 2, 2, 1, 0, 1]
    assert silent(found[2:], "default/chat") == ["2026-11-24T08:00:00Z: no ready endpoint of default/chat"]
    assert len(silent(found, "default/nobody")) == len(found)


def test_a_slice_that_is_deleted_answers_no_more() -> None:
    deletion = line("delete", {"resource": "endpointslices", "namespace": "default", "name": "chat-1"}, None)
    found = list(states([node(1, "a"), slice_of(2, "chat", ("a", True)), deletion]))
    assert [len(silent([each], "default/chat")) for each in found] == [1, 0, 1]


def test_the_nodes_that_were_cordoned_come_in_their_order_and_a_beginning_counts_as_it_is() -> None:
    log = [node(1, "b", cordoned=True), node(2, "a", cordoned=True), node(3, "b"), node(4, "b", cordoned=True)]
    found = list(states(log))
    assert taken(found) == ["a", "b"]
    assert [each.revision for each in after(found, 3)] == [3, 4]
    assert [each.revision for each in after(found, 9)] == [4]
    assert taken(after(found, 3)) == ["b"]


def test_a_line_that_is_being_written_is_left_for_the_next_look(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_text(node(1, "a", cordoned=True) + "\n" + node(2, "a")[:40])
    assert [each.revision for each in read(log)] == [1]


def test_writes_of_the_cluster_itself_are_no_writes_of_a_client(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    users = [
        {"username": "system:admin", "groups": ["system:masters"]}, {"username": "system:kwok"},
        {"username": "system:lab", "groups": ["system:masters", "system:lab"]},
        {"username": "system:node:a", "groups": ["system:nodes", "system:authenticated"]},
    ]  # fmt: skip
    log.write_text("".join(node(number, "a", user=user) + "\n" for number, user in enumerate(users)))
    assert count_writes(log) == 1
