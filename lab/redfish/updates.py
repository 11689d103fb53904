"""The update service of one BMC: what its components run, and new firmware for them.

DSP0268: UpdateService, SoftwareInventory and the Update message registry; DSP0266: multipart push, operation apply
time. What no source decides of these machines is the variant `updates`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import flask

from podwright.lab.redfish import errors, images, registry, tasks
from podwright.lab.redfish.restarts import Restarts
from podwright.lab.redfish.systems import WorldSystem
from podwright.lab.world.model import Server, World

PLACE = "/redfish/v1/UpdateService"
INVENTORY = f"{PLACE}/FirmwareInventory"
SIMPLE = f"{PLACE}/Actions/UpdateService.SimpleUpdate"
MULTIPART = f"{PLACE}/update-multipart"
BMC_VERSION = "4.3(6c)"
BASEBOARDS = ("UCSC-885A-M8", "UCSC-880A-M8")
OF_THE_BMC = "BMC"
"""The component that the BMC's own restart brings into force; the others wait for the host's next reset."""
APPLY_TIME = "@Redfish.OperationApplyTime"
APPLY_TIMES = ("Immediate", "OnReset")
"""Immediate restarts whatever has to; OnReset nothing. Without either, the variant decides of the BMC, and the host is
left alone."""
PROTOCOLS = ("HTTP", "HTTPS")


def factory(server: Server) -> dict[str, str]:
    """What a machine's components were shipped with."""
    found = {"BMC": BMC_VERSION, "BIOS": registry.BIOS_VERSIONS[server.cpu.vendor]}
    return found | ({"HGX_FW_BMC_0": "HGX-22.10-1"} if server.model in BASEBOARDS else {})


class Updates:
    """Documents and orders. `form` is of the variant: `simple` has SimpleUpdate, and a BMC that restarts by itself;
    `multipart` the push address, and a BMC that waits for Manager.Reset."""

    def __init__(self, world: World, system: WorldSystem, board: tasks.Board, form: str, restarts: Restarts) -> None:
        self._world = world
        self._system = system
        self._board = board
        self._form = form
        self._restarts = restarts
        self._under_way: tasks.Task | None = None
        self._life = object()
        """Another one each time that the BMC starts: what was under way before is lost."""
        self._of_the_bmc: dict[str, str] = {}
        restarts.happens.append(self._restarted)

    def answer(self) -> flask.Response | None:
        """What this service answers to a request; None where it is not meant."""
        path, verb = flask.request.path.rstrip("/"), flask.request.method
        if path != PLACE and not path.startswith(f"{PLACE}/"):
            return None
        if verb == "GET" and (document := self._document(path)) is not None:
            return flask.jsonify(document)
        if verb == "POST" and path == SIMPLE and self._form == "simple":
            return self._simple()
        if verb == "POST" and path == MULTIPART and self._form == "multipart":
            return self._pushed()
        return errors.answer(404, "ResourceNotFound", f"The resource {path} was not found.")

    def _document(self, path: str) -> dict[str, Any] | None:
        with self._world.lock:
            running = dict(self._world.host(self._system.server.name).firmware)
        members = {f"{INVENTORY}/{name}": name for name in sorted(running)}
        if path == PLACE:
            return self._service()
        if path == INVENTORY:
            listed = [{"@odata.id": each} for each in members]
            kind = "#SoftwareInventoryCollection.SoftwareInventoryCollection"
            return {
                "@odata.id": path,
                "@odata.type": kind,
                "Name": "Firmware Inventory",
                "Members@odata.count": len(listed),
                "Members": listed,
            }
        if path not in members:
            return None
        return {
            "@odata.id": path,
            "@odata.type": "#SoftwareInventory.v1_4_0.SoftwareInventory",
            "Id": members[path],
            "Name": members[path],
            "Version": running[members[path]],
            "Updateable": True,
            "Status": {"Health": "OK", "State": "Enabled"},
        }

    def _service(self) -> dict[str, Any]:
        times = {"@odata.type": "#Settings.v1_3_3.OperationApplyTimeSupport", "SupportedValues": list(APPLY_TIMES)}
        offered: dict[str, Any] = {
            "MultipartHttpPushUri": MULTIPART,
            "MultipartHttpPushUri@Redfish.OperationApplyTimeSupport": times,
            "Actions": {},
        }
        if self._form == "simple":
            allowed: dict[str, Any] = {"target": SIMPLE, "TransferProtocol@Redfish.AllowableValues": list(PROTOCOLS)}
            allowed["@Redfish.OperationApplyTimeSupport"] = times
            offered = {"Actions": {"#UpdateService.SimpleUpdate": allowed}}
        return {
            "@odata.id": PLACE,
            "@odata.type": "#UpdateService.v1_11_0.UpdateService",
            "Id": "UpdateService",
            "Name": "Update Service",
            "ServiceEnabled": True,
            "FirmwareInventory": {"@odata.id": INVENTORY},
            **offered,
        }

    # --- orders ---------------------------------------------------------------------------------------------------

    def _simple(self) -> flask.Response:
        body = flask.request.get_json(silent=True)
        url = body.get("ImageURI") if isinstance(body, dict) else None
        if not isinstance(body, dict) or not isinstance(url, str):
            return errors.answer(400, "ActionParameterMissing", "The action SimpleUpdate requires ImageURI.")
        if body.get("TransferProtocol", "HTTP") not in PROTOCOLS:
            return _not_listed("TransferProtocol", body["TransferProtocol"])
        return self._begun(lambda: images.fetched(url, self._world.routes), body)

    def _pushed(self) -> flask.Response:
        try:
            parameters = json.loads(flask.request.form.get("UpdateParameters", ""))
        except ValueError:
            parameters = None
        if not isinstance(parameters, dict):
            return errors.answer(400, "PropertyMissing", "The part UpdateParameters is required and must be an object.")
        file = flask.request.files.get("UpdateFile")
        if file is None:
            return errors.answer(400, "PropertyMissing", "The part UpdateFile is required.")
        pushed = file.read()
        return self._begun(lambda: pushed, parameters)

    def _begun(self, image: Callable[[], bytes], order: Mapping[str, Any]) -> flask.Response:
        """A task, once what the order says beside its image is judged."""
        at, targets = order.get(APPLY_TIME), order.get("Targets", [])
        if at is not None and at not in APPLY_TIMES:
            return _not_listed(APPLY_TIME, at)
        if not isinstance(targets, list):
            return errors.answer(400, "ActionParameterValueTypeError", "The parameter Targets must be an array.")
        known = [f"{INVENTORY}/{name}" for name in factory(self._system.server)]
        for each in targets:
            if each not in known:
                return errors.answer(400, "ResourceMissingAtURI", f"The resource at the URI {each} was not found.")
        if self._under_way is not None and not self._under_way.over:
            text = "The service is temporarily unavailable. Retry in 1 seconds."
            return errors.answer(503, "ServiceTemporarilyUnavailable", text, Retry_After="1")
        life, parts = self._life, {each.rpartition("/")[2] for each in targets}
        self._under_way = self._board.add(lambda: self._apply(image(), parts, at, life))
        return tasks.under_way(self._under_way)

    def _apply(self, image: bytes, parts: set[str], at: str | None, life: object) -> None:
        server = self._system.server
        new = images.versions(image, server.model, factory(server), PLACE)
        written = {name: version for name, version in new.items() if not parts or name in parts}
        with self._world.lock:
            if self._life is not life:
                return  # the BMC was started anew meanwhile
            host = self._world.host(server.name)
            for name, version in written.items():
                (self._of_the_bmc if name == OF_THE_BMC else host.firmware_pending)[name] = version
            resets = at == "Immediate" and host.power == "On" and bool(set(written) - {OF_THE_BMC})
        by_itself = at == "Immediate" or (at is None and self._form == "simple")
        if OF_THE_BMC in written and by_itself:
            self._restarts.order()
        if resets:
            self._world.power(server.name, "ForceRestart")

    def _restarted(self) -> None:
        with self._world.lock:
            self._life, self._under_way = object(), None
            self._world.host(self._system.server.name).firmware.update(self._of_the_bmc)
            self._of_the_bmc.clear()
        self._board.forget()

    def power_lost(self) -> None:
        """The rack loses power: what was under way is gone, and so is what waited for a reset."""
        with self._world.lock:
            self._life, self._under_way = object(), None
            self._of_the_bmc.clear()
            self._world.host(self._system.server.name).firmware_pending.clear()
        self._board.forget()


def _not_listed(name: str, value: object) -> flask.Response:
    text = f"The value '{value}' for the parameter {name} in the action SimpleUpdate is not in the list of values."
    return errors.answer(400, "ActionParameterValueNotInList", text)
