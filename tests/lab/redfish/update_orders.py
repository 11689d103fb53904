"""Orders for new firmware as clients of the tests give them, and what came of them."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.lab.redfish.conftest import Bench
from tests.waiting import until

SERVICE = "/redfish/v1/UpdateService"
INVENTORY = f"{SERVICE}/FirmwareInventory"
TASKS = "/redfish/v1/TaskService/Tasks"
SIMPLE = f"{SERVICE}/Actions/UpdateService.SimpleUpdate"
PUSH = f"{SERVICE}/update-multipart"
FACTORY = {"BMC": "4.3(6c)", "BIOS": "4.3.6c.0", "HGX_FW_BMC_0": "HGX-22.10-1"}
NEW = {"BMC": "4.4(1a)", "BIOS": "4.4.1a.0"}
LONG_ENOUGH = 20.0


def image(model: str = "UCSC-885A-M8", **versions: str) -> bytes:
    return json.dumps({"Model": model, "Versions": versions or NEW}).encode()


def published(bench: Bench, content: bytes, name: str = "c885a.bin") -> str:
    folder = bench.lab.dir / "publish"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return f"{bench.side.publish['url']}/{name}"


def pushed(client: Any, content: bytes | None, parameters: str | None = "{}") -> Any:
    body: dict[str, Any] = {}
    if parameters is not None:
        body["UpdateParameters"] = (None, parameters, "application/json")
    if content is not None:
        body["UpdateFile"] = ("c885a.bin", content, "application/octet-stream")
    return client.post(PUSH, body=body, headers={"Content-Type": "multipart/form-data"})


def simple(client: Any, url: str, **more: Any) -> Any:
    return client.post(SIMPLE, body={"ImageURI": url, **more})


def ended(client: Any, reply: Any) -> Any:
    """The last answer of the monitor."""
    assert (reply.status, bool(reply.task_location)) == (202, True)
    while reply.is_processing:
        time.sleep(0.05)
        reply = reply.monitor(client)
    return reply


def runs(bench: Bench) -> dict[str, str]:
    return dict(bench.world.host("gpu-01").firmware)


def booted(bench: Bench) -> None:
    before = bench.world.host("gpu-01").boots
    bench.world.power("gpu-01", "ForceRestart")
    until(lambda: bench.world.host("gpu-01").boots > before)


def bmc_restarts(client: Any) -> Any:
    manager = client.get(client.get("/redfish/v1/Managers").dict["Members"][-1]["@odata.id"]).dict
    return client.post(manager["Actions"]["#Manager.Reset"]["target"], body={"ResetType": "GracefulRestart"})
