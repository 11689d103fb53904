"""A BMC in forty lines, which shares nothing with the lab: two systems and a log service in its list, the baseboard
first; weak ETags that must be sent; attributes by AMI's ids; settings as a task that is busy at first.
"""

from __future__ import annotations

import http.server
import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import Context, ProviderError
from podwright.components.providers.reach import Reach
from podwright.components.providers.redfish import staging
from podwright.components.providers.redfish.module import KINDS
from podwright.components.providers.status import servers
from podwright.lab.pki import Authority

V1 = "/redfish/v1"
SELF, BOARD, SETTINGS = f"{V1}/Systems/Self", f"{V1}/Systems/HGX_Baseboard_0", f"{V1}/Systems/Self/Bios/SD"
HOST = {"name": "gpu-01", "address": "192.0.2.7", "serial": "HOST1", "model": "UCSC-885A-M8", "credential": "it"}


def ref(path: str) -> dict[str, str]:
    return {"@odata.id": path}


class SmallBmc(http.server.BaseHTTPRequestHandler):
    settings: dict[str, Any] = {}
    told: list[tuple[str, str]] = []
    busy, polls = 2, 0
    times: list[str] = ["Immediate", "OnReset"]
    task = f"{V1}/TaskService/Tasks/1"

    def document(self) -> Any:
        values = [{"ValueName": f"PCIS007{each}", "ValueDisplayName": each} for each in ("Disabled", "Enabled")]
        entry = {"AttributeName": "PCIS007", "DisplayName": "SR-IOV Support", "Type": "Enumeration", "Value": values}
        systems = [ref(BOARD), ref(f"{BOARD}/LogServices/FDR"), ref(SELF)]
        bios = {"AttributeRegistry": "Bios.1", "Attributes": {"PCIS007": "PCIS007Disabled", "QuietBoot": True}}
        settings = {"SettingsObject": ref(SETTINGS), "SupportedApplyTimes": self.times}
        return {
            V1: {"Id": "r", "Name": "r", "RedfishVersion": "1.15.0", "Systems": ref(f"{V1}/Systems")}
            | {"Registries": ref(f"{V1}/Registries")},
            f"{V1}/Systems": {"Name": "Systems", "Members": systems},
            BOARD: {"Id": "HGX_Baseboard_0", "SerialNumber": "GPU1", "PowerState": "Off", "Model": "HGX"},
            f"{BOARD}/LogServices/FDR": {"Id": "FDR", "Name": "FDR", "@odata.type": "#LogService.v1_3_0.LogService"},
            SELF: {
                "Id": "Self",
                "SerialNumber": "HOST1",
                "PowerState": "On",
                "Bios": ref(f"{SELF}/Bios"),
                "UUID": "u1",
            },
            f"{SELF}/Bios": {"Id": "Bios", **bios, "@Redfish.Settings": settings},
            SETTINGS: {"Id": "SD", "Attributes": self.settings, "@odata.etag": f'W/"{len(self.told)}"'},
            f"{V1}/Registries": {"Members": [ref(f"{V1}/Registries/Base.1"), ref(f"{V1}/Registries/Bios.1")]},
            f"{V1}/Registries/Bios.1": {"Location": [{"Language": "en-US", "Uri": f"{V1}/bios.json"}]},
            f"{V1}/bios.json": {"RegistryEntries": {"Attributes": [entry]}},
            f"{V1}/TaskService/Tasks/1": {"Id": "1", "TaskState": "Running" if self.polls < 2 else "Completed"},
        }.get(self.path.rstrip("/"))

    def answer(self, status: int, body: Any, **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        SmallBmc.polls += "Tasks" in self.path
        found = self.document()
        self.answer(404 if found is None else 200, found or {"error": {"message": "not here"}})

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = self.headers.get("If-Match", "")
        if asked != f'"{len(self.told)}"':
            self.answer(412 if asked else 428, {"error": {"message": "which state?"}})
        elif self.busy:
            SmallBmc.busy -= 1
            self.answer(409, {"error": {"message": "The BIOS holds its settings."}})
        else:
            self.told.append((self.path, json.dumps(body)))
            self.settings.update(body["Attributes"])
            self.answer(202, {}, Location=self.task)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reach]:
    monkeypatch.setattr(staging, "PAUSE", 0.05)
    for name, value in {"settings": {}, "told": [], "busy": 2, "polls": 0}.items():
        monkeypatch.setattr(SmallBmc, name, value)
    authority = Authority(tmp_path / "pki", "small CA")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SmallBmc)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*authority.issue("192.0.2.7"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    forward = {"192.0.2.7:443": f"127.0.0.1:{server.server_address[1]}"}
    yield Reach(forward=forward, ca=authority.path, environ={"PODWRIGHT_SECRET_IT": "hunter2"})
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("serial", ["HOST1", ""])
async def test_status_takes_the_host_and_not_the_baseboard(reach: Reach, serial: str) -> None:
    seen = await servers.look({**HOST, "serial": serial}, "admin", reach, 4.0, 10.0)
    assert seen == servers.ServerSeen("gpu-01", "On")


async def test_the_provider_takes_the_host_and_its_words(reach: Reach) -> None:
    warned: list[str] = []
    ctx = Context(config={"credentials": {"user": "admin"}}, reach=reach, warn=warned.append)
    spec = {"schema": 1, **HOST, "bios": {"SrIov": "enabled", "Snc": "disabled", "QuietBoot": False}}
    made = await KINDS[0].create({"spec": spec}, ctx)
    assert (made.outputs["uuid"], made.outputs["power_state"]) == ("u1", "On")
    assert [(path, json.loads(body)["Attributes"]) for path, body in SmallBmc.told] == [
        (SETTINGS, {"PCIS007": "PCIS007Enabled", "QuietBoot": False})
    ]
    assert json.loads(SmallBmc.told[0][1])["@Redfish.SettingsApplyTime"]["ApplyTime"] == "OnReset"
    assert made.outputs["pending"] == {"SrIov": "enabled", "QuietBoot": False}
    assert warned == ["gpu-01: Snc cannot be set over Redfish: its BIOS has no such attribute"]
    again = await KINDS[0].read("gpu-01", {"spec": spec}, made.outputs, ctx)
    assert again is not None
    assert again.inputs["spec"] == spec


async def test_settings_that_would_be_applied_at_once_are_not_written(
    reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SmallBmc, "times", ["Immediate"])
    ctx = Context(config={"credentials": {"user": "admin"}}, reach=reach)
    with pytest.raises(ProviderError, match="applies BIOS settings Immediate and not at the next reset"):
        await KINDS[0].create({"spec": {"schema": 1, **HOST, "bios": {"SrIov": "enabled"}}}, ctx)
    assert SmallBmc.told == []


async def test_a_task_on_another_machine_is_not_followed(reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SmallBmc, "task", "http://127.0.0.1:9/redfish/v1/TaskService/Tasks/1")
    ctx = Context(config={"credentials": {"user": "admin"}}, reach=reach)
    with pytest.raises(ProviderError, match=r"it points to http://127.0.0.1:9, another place than its own"):
        await KINDS[0].create({"spec": {"schema": 1, **HOST, "bios": {"SrIov": "enabled"}}}, ctx)
