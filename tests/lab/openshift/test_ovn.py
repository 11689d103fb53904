"""What nodes report of administrators' policies, and who reaches whom, on objects that nobody keeps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Surroundings
from podwright.lab.openshift.kinds import NAMESPACES, NODES, PODS
from podwright.lab.openshift.mesh.peers import Mesh
from podwright.lab.openshift.ovn import ADMIN, POLICIES, OvnKubernetes
from tests.lab.openshift.test_admin_policies import DENY, NAME, Row, admin


class Held:
    """Objects by kind, and the conditions that were written."""

    def __init__(self, items: dict[str, list[Row]]) -> None:
        self.items = items
        self.events: list[str] = []

    def list(self, kind: Kind, namespace: str | None = None) -> list[Row]:
        del namespace
        return self.items.get(kind.plural, [])

    def merge(self, path: str, body: Row, subresource: str = "") -> Row:
        assert subresource == "status"
        kind, name = path.split("/")[-2:]
        next(each for each in self.items[kind] if each["metadata"]["name"] == name).update(body)
        return body

    def create(self, path: str, body: Row) -> None:
        del path
        self.events.append(body["reason"])

    def controller(self) -> OvnKubernetes:
        cache = SimpleNamespace(list=self.list)
        api = SimpleNamespace(merge=self.merge, create=self.create)
        return OvnKubernetes(cast("Surroundings", SimpleNamespace(api=api, cache=cache, world=None, mesh=Mesh())))


def _node(name: str, ready: bool) -> Row:
    return {
        "metadata": {"name": name},
        "status": {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }


def test_each_node_that_is_up_reports_and_a_priority_that_is_not_taken_is_in_force_nowhere() -> None:
    held = Held({
        NODES.plural: [_node("gpu-01", True), _node("gpu-02", False)],
        ADMIN.plural: [admin(50, name="a"), admin(50, name="b"), admin(200, name="c")],
    })  # fmt: skip
    held.controller().reconcile()
    said = {
        item["metadata"]["name"]: [(row["type"], row["status"], row["reason"]) for row in item["status"]["conditions"]]
        for item in held.items[ADMIN.plural]
    }
    fine, wrong = ("Ready-In-Zone-gpu-01", "True", "SetupSucceeded"), ("Ready-In-Zone-gpu-01", "False", "SetupFailed")
    assert said == {"a": [fine], "b": [fine], "c": [wrong]}
    assert held.events == ["ANPWithUnsupportedPriority", "ANPWithDuplicatePriority"]


def test_the_page_names_pods_of_other_namespaces_that_reach_a_port() -> None:
    def pod(namespace: str, name: str, **spec: Any) -> Row:
        box = {"ports": [{"containerPort": 8000}]}
        meta = {"namespace": namespace, "name": name}
        return {"metadata": meta, "spec": {"containers": [box], **spec}, "status": {"phase": "Running"}}

    spaces = [{"metadata": {"name": name, "labels": {NAME: name}}} for name in ("chat", "data", "other")]
    held = Held({
        NAMESPACES.plural: spaces, ADMIN.plural: [DENY], POLICIES.plural: [],
        PODS.plural: [pod("chat", "a"), pod("data", "b"), pod("other", "c"), pod("other", "d", hostNetwork=True)],
    })  # fmt: skip
    assert held.controller().page()["reached"] == {
        "chat/a:8000": ["other/c"], "data/b:8000": ["chat/a", "other/c"], "other/c:8000": ["chat/a", "data/b"],
    }  # fmt: skip
