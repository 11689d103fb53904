"""The update service of one BMC: what its components run, and new firmware for them (DSP0268: UpdateService).

An image is the lab's own format: JSON with the model it is for and the version of each component in it,
`{"Model": "UCSC-885A-M8", "Versions": {"BMC": "1.1", "BIOS": "4.4"}}`. Real images are the makers'.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

import flask
import requests

from podwright.lab.redfish import errors, registry, tasks
from podwright.lab.redfish.media import FETCH_SECONDS, LOOPBACK
from podwright.lab.redfish.systems import WorldSystem
from podwright.lab.world.model import Server, World

PLACE = "/redfish/v1/UpdateService"
INVENTORY = f"{PLACE}/FirmwareInventory"
SIMPLE = f"{PLACE}/Actions/UpdateService.SimpleUpdate"
MULTIPART = f"{PLACE}/update-multipart"
BMC_VERSION = "4.3(6c)"
BASEBOARDS = ("UCSC-885A-M8", "UCSC-880A-M8")
AT_ONCE = "BMC"
"""The component that its own restart brings into force; the others wait for the host's next reset."""


def factory(server: Server) -> dict[str, str]:
    """What a machine's components were shipped with."""
    found = {"BMC": BMC_VERSION, "BIOS": registry.BIOS_VERSIONS[server.cpu.vendor]}
    return found | ({"HGX_FW_BMC_0": "HGX-22.10-1"} if server.model in BASEBOARDS else {})


class Updates:
    """Documents and orders. `form` is of the variant: `simple` has SimpleUpdate, `multipart` the push address."""

    def __init__(self, world: World, system: WorldSystem, board: tasks.Board, form: str) -> None:
        self._world = world
        self._system = system
        self._board = board
        self._form = form
        self._under_way: tasks.Task | None = None

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
        offered: dict[str, Any] = {"MultipartHttpPushUri": MULTIPART, "Actions": {}}
        if self._form == "simple":
            allowed = {"target": SIMPLE, "TransferProtocol@Redfish.AllowableValues": ["HTTP", "HTTPS"]}
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
        if not isinstance(url, str):
            return errors.answer(400, "ActionParameterMissing", "The action SimpleUpdate requires ImageURI.")
        return self._begun(lambda: self._fetched(url))

    def _pushed(self) -> flask.Response:
        try:
            json.loads(flask.request.form.get("UpdateParameters", ""))
        except ValueError:
            return errors.answer(400, "PropertyMissing", "The part UpdateParameters is required and must be JSON.")
        file = flask.request.files.get("UpdateFile")
        if file is None:
            return errors.answer(400, "PropertyMissing", "The part UpdateFile is required.")
        pushed = file.read()
        return self._begun(lambda: pushed)

    def _begun(self, image: Callable[[], bytes]) -> flask.Response:
        if self._under_way is not None and not self._under_way.over:
            text = "The service is temporarily unavailable. Retry in 1 seconds."
            return errors.answer(503, "ServiceTemporarilyUnavailable", text, Retry_After="1")
        self._under_way = self._board.add(lambda: self._apply(image()))
        return tasks.under_way(self._under_way)

    def _apply(self, image: bytes) -> None:
        server = self._system.server
        for name, version in _read(image, server).items():
            with self._world.lock:
                host = self._world.host(server.name)
                if self._under_way is None:
                    return  # power was lost meanwhile
                (host.firmware if name == AT_ONCE else host.firmware_pending)[name] = version

    def power_lost(self) -> None:
        """The rack loses power: what was under way is gone, and so is what waited for the host's reset."""
        with self._world.lock:
            self._under_way = None
            self._world.host(self._system.server.name).firmware_pending.clear()
        self._board.forget()

    def _fetched(self, url: str) -> bytes:
        parts = urllib.parse.urlsplit(url)
        site = f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
        target = self._world.routes.get(site, site)
        failed = registry.RefusalError("Update.1.0.TransferFailed", f"Transfer of image '{url}' failed.", (url,))
        if parts.scheme not in ("http", "https") or target.rpartition(":")[0] not in LOOPBACK:
            raise failed
        try:
            with requests.Session() as session:
                session.trust_env = False  # a proxy of the environment has no way to loopback
                reply = session.get(parts._replace(netloc=target).geturl(), timeout=FETCH_SECONDS)
        except requests.RequestException:
            raise failed from None
        if reply.status_code != 200:
            raise failed
        return reply.content


def _read(image: bytes, server: Server) -> Mapping[str, str]:
    """Versions in an image for this machine. Raises RefusalError for another model's, and for what is none."""
    try:
        document = json.loads(image)
        model, versions = document["Model"], dict(document["Versions"])
    except (ValueError, KeyError, TypeError):
        model, versions = "", {}
    if model != server.model or not versions or set(versions) - set(factory(server)):
        text = f"Verification of image '{model or 'unknown'}' at '{PLACE}' failed."
        raise registry.RefusalError("Update.1.0.VerificationFailed", text, (model, PLACE))
    return versions
