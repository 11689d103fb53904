"""Fields above the network, and the class of what follows from them."""

from __future__ import annotations

import pytest

from podwright.components import model
from podwright.components.changes.objects import OBJECTS, object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design.platform import chrony
from tests.design.with_gateway import with_gateway, with_keys, with_mesh
from tests.design.with_kserve import with_kserve
from tests.design.with_set import with_set
from tests.design.with_tools import with_tools
from tests.design.with_train_job import with_train_job
from tools.cluster_changes import EXAMPLES, Found, found, planned
from tools.goldens import stack_file

OWN = (with_set, with_tools, with_kserve, with_gateway, with_keys, with_mesh, with_train_job)


def test_every_kind_of_object_has_a_row_for_whatever_changes_and_every_row_an_object() -> None:
    examples = [model.load(stack_file(name)) for name in (*EXAMPLES, "routed", "disconnected", "pairs")]
    written = {
        str(spec["kind"])
        for cluster in (*examples, *(each() for each in OWN))
        for (token, _), spec in planned(cluster).items()
        if token == "kubernetes"
    }
    assert written == set(OBJECTS)
    assert [kind for kind, rows in OBJECTS.items() if rows[-1].name] == []


def worst(table: dict[str, Found | None], name: str) -> ChangeClass | None:
    change = table[name]
    return max((each.change_class for each in change.impacts), default=None) if change else None


def test_fields_of_workloads_and_storage_are_found_by_changing_them() -> None:
    table = found(("workloads",), ("lab",)) | found(("storage",), ("prod",)) | found(("pools",), ("lab",))
    assert worst(table, "workloads.training.*.image") is ChangeClass.REPLACED
    assert worst(table, "workloads.inference.*.image") is ChangeClass.LIVE
    assert worst(table, "storage.volumes.*.size_gib") is ChangeClass.LIVE
    assert worst(table, "storage.volumes.*.storage_class") is ChangeClass.REPLACED
    # A job in a pool off the rails asks for none: its pods are others.
    assert worst(table, "pools.*.rails") is ChangeClass.REPLACED
    assert worst(table, "pools.*.stall_minutes") is ChangeClass.PROGRAM_ONLY


@pytest.mark.parametrize(
    ("spec", "kind"), [({"resources": 2}, ChangeClass.LIVE), ({"resources": 2, "other": 1}, ChangeClass.REPLACED)]
)
def test_a_row_of_a_part_holds_where_nothing_else_changed(spec: dict[str, int], kind: ChangeClass) -> None:
    claim = {"kind": "PersistentVolumeClaim", "metadata": {"name": "sets"}, "spec": {"resources": 1}}
    one = object_impact(claim, {**claim, "spec": spec})
    assert one is not None
    assert one.change_class is kind
    assert object_impact(claim, dict(claim)) is None


def test_time_servers_restart_no_node() -> None:
    before, after = (chrony.configurations(each) for each in (("192.0.2.1",), ("192.0.2.1", "192.0.2.2")))
    impacts = [object_impact(old, new) for old, new in zip(before, after, strict=True)]
    assert [each.change_class for each in impacts if each] == [ChangeClass.LIVE] * 2


def _machine_config(*paths: str, **more: object) -> dict[str, object]:
    files = [{"path": path, "contents": {"source": "data:,x"}} for path in paths]
    config = {"ignition": {"version": "3.4.0"}, "storage": {"files": files}}
    return {"kind": "MachineConfig", "metadata": {"name": "99-worker-chrony"}, "spec": {"config": config, **more}}


@pytest.mark.parametrize(
    "new",
    [
        _machine_config("/etc/chrony.conf", "/etc/other.conf"),
        _machine_config("/etc/other.conf"),
        _machine_config("/etc/chrony.conf", kernelArguments=["nosmt"]),
    ],
)
def test_what_comes_with_the_file_restarts_nodes(new: dict[str, object]) -> None:
    one = object_impact(_machine_config("/etc/chrony.conf"), new)
    assert one is not None and one.change_class is ChangeClass.DISRUPTIVE
