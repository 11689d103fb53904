"""The HGX baseboard beside the host: a second system of the same BMC, with a manager and chassis of its own.

Shape: DMTF ComputerSystem, Chassis and Manager as NVIDIA's guides for DGX and HGX show them (HGX_Baseboard_0,
HGX_BMC_0, HGX_Chassis_0, HGX_GPU_SXM_1 to 8); it has no BIOS and boots nothing. Lists begin with the baseboard's.
"""

from __future__ import annotations

import json
from typing import Any

import flask

from podwright.lab.world.model import Server, World

BOARDS = ("UCSC-885A-M8", "UCSC-880A-M8")
"""Models with eight SXM GPUs on a baseboard."""
ROOT = "/redfish/v1"
SYSTEM = "HGX_Baseboard_0"
MANAGER = "HGX_BMC_0"
CHASSIS = ("HGX_GPU_SXM_3", "HGX_Chassis_0", *(f"HGX_GPU_SXM_{number}" for number in (1, 2, 4, 5, 6, 7, 8)))


def attach(app: flask.Flask, world: World, server: Server) -> None:
    """Let this BMC list the baseboard, where the world's variant and the model say so."""
    if world.variants["systems"] != "baseboard-first" or server.model not in BOARDS:
        return
    documents = _documents(server)
    app.before_request(lambda: flask.jsonify(documents[_path()]) if _path() in documents else None)
    app.after_request(lambda reply: _listed(reply, documents))


def _path() -> str:
    return str(flask.request.path).rstrip("/")


def _resource(collection: str, kind: str, name: str, **properties: Any) -> dict[str, Any]:
    return {
        "@odata.id": f"{ROOT}/{collection}/{name}",
        "@odata.type": f"#{kind}",
        "Id": name,
        "Name": name,
        "Status": {"Health": "OK", "State": "Enabled"},
        **properties,
    }


def _documents(server: Server) -> dict[str, dict[str, Any]]:
    maker = {"Manufacturer": "NVIDIA"}
    number = f"16549{server.serial[-8:]}"
    found = [
        _resource(
            "Systems",
            "ComputerSystem.v1_17_0.ComputerSystem",
            SYSTEM,
            **maker,
            SystemType="Physical",
            Model="HGX H200 8 GPU",
            SerialNumber=number,
            UUID=f"ffffffff{server.uuid[8:]}",
            PowerState="On",
            Links={
                "ManagedBy": [{"@odata.id": f"{ROOT}/Managers/{MANAGER}"}],
                "Chassis": [{"@odata.id": f"{ROOT}/Chassis/HGX_Chassis_0"}],
            },
        ),
        _resource("Managers", "Manager.v1_14_0.Manager", MANAGER, ManagerType="BMC", FirmwareVersion="HGX-22.10-1"),
    ]
    for name in CHASSIS:
        whole = name == "HGX_Chassis_0"
        kind, serial = ("RackMount", number) if whole else ("Module", f"{number}{name[-1]}")
        found.append(
            _resource("Chassis", "Chassis.v1_22_0.Chassis", name, **maker, ChassisType=kind, SerialNumber=serial)
        )
    return {each["@odata.id"]: each for each in found}


def _listed(reply: flask.Response, documents: dict[str, dict[str, Any]]) -> flask.Response:
    collection = _path()
    ours = [{"@odata.id": place} for place in documents if place.rpartition("/")[0] == collection]
    data = reply.get_json(silent=True) if ours else None
    if isinstance(data, dict) and "Members" in data:
        data["Members"] = [*ours, *data["Members"]]
        data["Members@odata.count"] = len(data["Members"])
        reply.set_data(json.dumps(data))
    return reply
