"""The HGX baseboard beside the host: a second system of the same BMC, with a serial number and a power of its own.

Shape: DMTF ComputerSystem as NVIDIA's guides for DGX and HGX show it; it has no BIOS and boots nothing.
"""

from __future__ import annotations

import json
from typing import Any

import flask

from podwright.lab.world.model import Server, World

BOARDS = ("UCSC-885A-M8", "UCSC-880A-M8")
"""Models with eight SXM GPUs on a baseboard."""
SYSTEMS = "/redfish/v1/Systems"
PLACE = f"{SYSTEMS}/HGX_Baseboard_0"


def attach(app: flask.Flask, world: World, server: Server) -> None:
    """Let this BMC list the baseboard, where the world's variant and the model say so."""
    if world.variants["systems"] != "baseboard-first" or server.model not in BOARDS:
        return
    app.before_request(lambda: flask.jsonify(_document(server)) if _path() == PLACE else None)
    app.after_request(_listed)


def _path() -> str:
    return str(flask.request.path).rstrip("/")


def _document(server: Server) -> dict[str, Any]:
    return {
        "@odata.id": PLACE,
        "@odata.type": "#ComputerSystem.v1_17_0.ComputerSystem",
        "Id": "HGX_Baseboard_0",
        "Name": "HGX_Baseboard_0",
        "SystemType": "Physical",
        "Manufacturer": "NVIDIA",
        "Model": "HGX H200 8 GPU",
        "SerialNumber": f"16549{server.serial[-8:]}",
        "UUID": f"ffffffff{server.uuid[8:]}",
        "PowerState": "On",
        "Status": {"Health": "OK", "State": "Enabled"},
    }


def _listed(reply: flask.Response) -> flask.Response:
    data = reply.get_json(silent=True) if _path() == SYSTEMS else None
    if isinstance(data, dict):
        data["Members"] = [{"@odata.id": PLACE}, *data["Members"]]
        data["Members@odata.count"] = len(data["Members"])
        reply.set_data(json.dumps(data))
    return reply
