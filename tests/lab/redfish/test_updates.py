"""New firmware by the UpdateService: DSP0268 (UpdateService, SoftwareInventory, Task, Manager), DSP0266 (multipart
push, operation apply time, asynchronous operations). DMTF's client and OpenStack's, unmodified, give the orders.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import sushy
from sushy import auth

from tests.lab.redfish.conftest import Bench
from tests.lab.redfish.test_clients import dmtf, variants
from tests.lab.redfish.update_orders import (
    FACTORY,
    INVENTORY,
    NEW,
    PUSH,
    SERVICE,
    SIMPLE,
    TASKS,
    bmc_restarts,
    booted,
    ended,
    image,
    published,
    pushed,
    runs,
    simple,
)
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("quick")


def test_the_inventory_tells_what_each_component_runs(bench: Bench) -> None:
    with dmtf(bench) as client:
        assert client.root["UpdateService"] == {"@odata.id": SERVICE}
        listed = client.get(INVENTORY).dict
        found = {each["Id"]: each for each in (client.get(one["@odata.id"]).dict for one in listed["Members"])}
        assert listed["Members@odata.count"] == len(found)
        assert client.get(f"{INVENTORY}/CPLD").status == 404
    assert {name: each["Version"] for name, each in found.items()} == FACTORY
    theirs = sushy.Sushy(bench.url("gpu-01"), auth=auth.BasicAuth("operator", bench.password), verify=bench.ca)
    members = theirs.get_update_service().firmware_inventory.get_members()
    assert {each.identity: each.version for each in members} == FACTORY


@variants(updates="simple")
def test_a_bmc_that_fetches_images_names_the_action_and_no_address_for_pushing(bench: Bench) -> None:
    url = published(bench, image())
    with dmtf(bench) as client:
        service = client.get(SERVICE).dict
        assert "MultipartHttpPushUri" not in service
        action = service["Actions"]["#UpdateService.SimpleUpdate"]
        assert action["@Redfish.OperationApplyTimeSupport"]["SupportedValues"] == ["Immediate", "OnReset"]
        assert pushed(client, image()).status == 404
        order = simple(client, url, TransferProtocol="HTTP")
        task = client.get(order.dict["@odata.id"]).dict
        assert (task["TaskState"], client.get(TASKS).dict["Members"]) == ("Running", [{"@odata.id": task["@odata.id"]}])
        assert client.get("/redfish/v1/TaskService").dict["Tasks"] == {"@odata.id": TASKS}
        assert ended(client, order).status == 204
        assert client.get(task["@odata.id"]).dict["TaskState"] == "Completed"
    until(lambda: runs(bench)["BMC"] == NEW["BMC"])
    assert runs(bench) == {**FACTORY, "BMC": NEW["BMC"]}, "the BIOS waits for the host's reset"
    booted(bench)
    assert runs(bench) == FACTORY | NEW


def test_the_library_of_openstack_orders_it_too(bench: Bench) -> None:
    theirs = sushy.Sushy(bench.url("gpu-01"), auth=auth.BasicAuth("operator", bench.password), verify=bench.ca)
    theirs.get_update_service().simple_update(published(bench, image(BIOS="4.4.1a.0")))
    (task,) = theirs.get_task_service().tasks.get_members()

    def over() -> bool:
        task.refresh(force=True)
        return bool(task.task_state == sushy.TASK_STATE_COMPLETED)

    until(over)
    assert task.percent_complete == 100
    booted(bench)
    assert runs(bench)["BIOS"] == "4.4.1a.0"


@variants(updates="multipart")
def test_a_bmc_that_takes_images_names_the_address_and_no_action(bench: Bench) -> None:
    with dmtf(bench) as client:
        service = client.get(SERVICE).dict
        assert (service["MultipartHttpPushUri"], service["Actions"]) == (PUSH, {})
        assert service["MultipartHttpPushUri@Redfish.OperationApplyTimeSupport"]["SupportedValues"]
        assert simple(client, published(bench, image())).status == 404
        assert ended(client, pushed(client, image())).status == 204
        assert runs(bench) == FACTORY, "the BMC waits for its own reset here, the BIOS for the host's"
        assert bmc_restarts(client).status == 204
    until(lambda: runs(bench)["BMC"] == NEW["BMC"])
    assert bench.world.host("gpu-01").boots == 0
    booted(bench)
    assert runs(bench) == FACTORY | NEW


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (image("UCSC-C240-M7"), "Update.1.0.VerificationFailed"),
        (image(CPLD="7"), "Update.1.0.VerificationFailed"),
        (b"\x00no image", "Update.1.0.VerificationFailed"),
        (None, "Update.1.0.TransferFailed"),
    ],
    ids=["of another model", "of another part", "none at all", "not there"],
)
def test_an_image_that_cannot_be_used_ends_the_task_and_changes_nothing(
    bench: Bench, content: bytes | None, message: str
) -> None:
    url = published(bench, content or b"", "c885a.bin" if content else "other.bin")
    url = url if content else url.replace("other.bin", "missing.bin")
    with dmtf(bench) as client:
        order = simple(client, url)
        last = ended(client, order)
        task = client.get(order.dict["@odata.id"]).dict
    assert (last.status, last.dict["error"]["code"]) == (400, message)
    assert (task["TaskState"], task["TaskStatus"], task["Messages"][0]["MessageId"]) == (
        "Exception",
        "Warning",
        message,
    )
    booted(bench)
    assert runs(bench) == FACTORY


def test_only_places_that_the_bmc_has_a_way_to_are_fetched_from(bench: Bench) -> None:
    with dmtf(bench) as client:
        for url in ("http://192.0.2.77/c885a.bin", "ftp://127.0.0.1/c885a.bin"):
            last = ended(client, simple(client, url))
            assert last.dict["error"]["code"] == "Update.1.0.TransferFailed"
    assert runs(bench) == FACTORY


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "ActionParameterMissing"),
        ({"ImageURI": 7}, "ActionParameterMissing"),
        ({"ImageURI": "http://127.0.0.1/x", "TransferProtocol": "TFTP"}, "ActionParameterValueNotInList"),
        ({"ImageURI": "http://127.0.0.1/x", "@Redfish.OperationApplyTime": "Soon"}, "ActionParameterValueNotInList"),
        ({"ImageURI": "http://127.0.0.1/x", "Targets": [f"{INVENTORY}/CPLD"]}, "ResourceMissingAtURI"),
        ({"ImageURI": "http://127.0.0.1/x", "Targets": "BIOS"}, "ActionParameterValueTypeError"),
    ],
)
def test_an_order_that_is_none_is_refused_before_there_is_a_task(
    bench: Bench, body: dict[str, Any], message: str
) -> None:
    with dmtf(bench) as client:
        refused = client.post(SIMPLE, body=body)
        assert (refused.status, refused.dict["error"]["code"].rpartition(".")[2]) == (400, message)
        assert client.get(TASKS).dict["Members"] == []


@variants(updates="multipart")
def test_a_push_has_both_parts(bench: Bench) -> None:
    late = json.dumps({"@Redfish.OperationApplyTime": "AtMaintenanceWindowStart"})
    with dmtf(bench) as client:
        for content, parameters in (
            (image(), None),
            (image(), "no JSON"),
            (image(), "[]"),
            (None, "{}"),
            (image(), late),
        ):
            assert pushed(client, content, parameters).status == 400
        assert client.get(TASKS).dict["Members"] == []
    assert runs(bench) == FACTORY


@pytest.mark.parametrize("bench", ["{updates: simple}", "{updates: multipart}"], indirect=True)
def test_one_update_at_a_time(bench: Bench) -> None:
    def order(client: Any) -> Any:
        if bench.world.variants["updates"] == "simple":
            return simple(client, published(bench, image(BIOS="4.4.1a.0")))
        return pushed(client, image(BIOS="4.4.1a.0"))

    with dmtf(bench) as client:
        first = order(client)
        second = order(client)
        assert (second.status, second.retry_after) == (503, 1)
        assert ended(client, first).status == 204
        assert ended(client, order(client)).status == 204


def test_targets_are_the_parts_that_are_written(bench: Bench) -> None:
    with dmtf(bench) as client:
        order = simple(client, published(bench, image()), Targets=[f"{INVENTORY}/BIOS"])
        assert ended(client, order).status == 204
    booted(bench)
    assert runs(bench) == {**FACTORY, "BIOS": NEW["BIOS"]}
