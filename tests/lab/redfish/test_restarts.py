"""When new firmware comes into force, and what a lost supply of power leaves of it.

DSP0266: operation apply time; DSP0268: Manager.Reset.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from podwright.lab.redfish import images, restarts
from tests.lab.redfish.conftest import Bench
from tests.lab.redfish.test_clients import dmtf, variants
from tests.lab.redfish.update_orders import (
    FACTORY,
    LONG_ENOUGH,
    NEW,
    TASKS,
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


@variants(updates="simple")
def test_a_bmc_that_restarts_answers_nobody_and_forgets_sessions_and_tasks(bench: Bench) -> None:
    with dmtf(bench, "basic") as client:
        order = simple(client, published(bench, image()))
        place = order.dict["@odata.id"]
        assert ended(client, order).status == 204
        own = bench.side.restarts["gpu-01"]
        until(own.away)
        until(lambda: not own.away())
        assert client.get(place).status == 404
        assert client.get(TASKS).dict["Members"] == []
    assert bench.side.sessions["gpu-01"].numbers == []
    assert bench.world.host("gpu-01").boots == 0


@pytest.mark.parametrize("at", ["OnReset", "Immediate"])
@pytest.mark.parametrize("bench", ["{updates: simple}", "{updates: multipart}"], indirect=True)
def test_the_time_of_the_order_says_what_is_reset_for_it(bench: Bench, at: str) -> None:
    bench.world.power("gpu-01", "On")
    until(lambda: bench.world.host("gpu-01").boots == 1)
    with dmtf(bench, "basic") as client:
        time_of = {"@Redfish.OperationApplyTime": at}
        if bench.world.variants["updates"] == "simple":
            order = simple(client, published(bench, image()), **time_of)
        else:
            order = pushed(client, image(), json.dumps(time_of))
        assert ended(client, order).status == 204
    if at == "OnReset":
        time.sleep(restarts.GRACE_SECONDS + 0.1)
        assert (runs(bench), bench.world.host("gpu-01").boots) == (FACTORY, 1), "nothing restarts by itself"
    else:
        until(lambda: runs(bench) == FACTORY | NEW)
        assert bench.world.host("gpu-01").boots == 2, "the host was reset for it, whatever it ran"


@pytest.mark.parametrize("bench", ["{updates: simple}", "{updates: multipart}"], indirect=True)
def test_power_lost_before_the_reset_forgets_what_waited_and_the_next_order_brings_it(bench: Bench) -> None:
    form = bench.world.variants["updates"]

    def order(client: Any) -> Any:
        new = image(BIOS=NEW["BIOS"])
        return simple(client, published(bench, new)) if form == "simple" else pushed(client, new)

    with dmtf(bench, "basic") as client:
        first = order(client)
        assert ended(client, first).status == 204
        assert bench.world.host("gpu-01").firmware_pending == {"BIOS": NEW["BIOS"]}
        bench.side.fault({"server": "gpu-01", "power_lost": True})
        assert client.get(first.dict["@odata.id"]).status == 404
        assert bench.world.host("gpu-01").power == "Off"
        booted(bench)
        assert runs(bench) == FACTORY
        assert ended(client, order(client)).status == 204
    booted(bench)
    assert runs(bench) == {**FACTORY, "BIOS": NEW["BIOS"]}


def test_an_update_that_lost_its_power_writes_nothing_after_the_next_one_began(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    fetch = images.fetched

    def slow(url: str, routes: Mapping[str, str]) -> bytes:
        content = fetch(url, routes)
        if url.endswith("old.bin"):
            gate.wait(LONG_ENOUGH)
        return content

    monkeypatch.setattr(images, "fetched", slow)
    old = published(bench, image(BIOS="4.3.9"), "old.bin")
    new = published(bench, image(BIOS=NEW["BIOS"]), "new.bin")
    with dmtf(bench, "basic") as client:
        simple(client, old)
        time.sleep(0.3)
        bench.side.fault({"server": "gpu-01", "power_lost": True})
        assert ended(client, simple(client, new)).status == 204
        gate.set()
        time.sleep(0.2)
    booted(bench)
    assert runs(bench)["BIOS"] == NEW["BIOS"]


def test_a_manager_is_reset_in_ways_that_it_lists(bench: Bench) -> None:
    with dmtf(bench) as client:
        manager = client.get(client.get("/redfish/v1/Managers").dict["Members"][0]["@odata.id"]).dict
        reset = manager["Actions"]["#Manager.Reset"]
        assert client.post(reset["target"], body={"ResetType": "PowerCycle"}).status == 400
        assert (
            client.post(reset["target"], body={"ResetType": reset["ResetType@Redfish.AllowableValues"][0]}).status
            == 204
        )
        own = bench.side.restarts["gpu-01"]
        until(own.away)
        until(lambda: not own.away())
        client.login(auth="session")
    assert bench.world.host("gpu-01").boots == 0
