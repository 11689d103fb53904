"""One BMC: the sushy-tools emulator as a WSGI application of its own, with the lab's drivers plugged in."""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import flask
from sushy_tools import emulator

from podwright.lab.redfish import baseboard, errors, etags, registry, restarts, sessions, tasks, updates
from podwright.lab.redfish.media import WorldDrive
from podwright.lab.redfish.systems import WorldSystem
from podwright.lab.world.model import World

REGISTRY_FILE = "bios_attribute_registry_file.json"
_number = itertools.count(1)
_building = threading.Lock()
"""One emulator is built at a time: importing touches tables of the whole process, and adding a route parses code, which
two threads at once do not survive (CPython 3.11: "AST constructor recursion depth mismatch")."""


def _emulator() -> ModuleType:
    """A fresh copy of the emulator's module: it keeps its application in a global, and every BMC needs its own."""
    path = Path(next(iter(emulator.__path__))) / "main.py"
    name = f"sushy_tools.emulator.main_{next(_number)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Flask finds its templates through it
    try:
        with warnings.catch_warnings():
            # webob, which the emulator imports, still imports `cgi`.
            warnings.filterwarnings("ignore", "'cgi' is deprecated", DeprecationWarning)
            spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


class Controller:
    """WSGI application: the Redfish service of one server's BMC, built at the first request (40 ms each).

    `folder` keeps its state files and images.
    """

    def __init__(
        self,
        world: World,
        system: WorldSystem,
        folder: Path,
        log_ins: sessions.Sessions,
        own: restarts.Restarts,
    ) -> None:
        self._world = world
        self._system = system
        self._folder = folder
        self._log_ins = log_ins
        self._own = own
        self._lock = threading.Lock()
        self._app: flask.Flask | None = None

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Serve one request."""
        with self._lock:
            if self._app is None:
                with _building:
                    self._app = _application(self._world, self._system, self._folder, self._log_ins, self._own)
        reply: Iterable[bytes] = self._app(environ, start_response)
        return reply


def _application(
    world: World, system: WorldSystem, folder: Path, log_ins: sessions.Sessions, own: restarts.Restarts
) -> flask.Flask:
    module = _emulator()
    app: flask.Flask = module.app
    folder.mkdir(parents=True, exist_ok=True)
    app.config["SUSHY_EMULATOR_STATE_DIR"] = str(folder)
    drive = WorldDrive(app.config, app.logger, world, system.server, folder)

    class Bmc(module.Application):  # type: ignore[misc,name-defined]
        """The emulator with this server behind it and Cisco's identity on it."""

        @property
        def systems(self) -> WorldSystem:
            """The systems driver."""
            return system

        @property
        def vmedia(self) -> WorldDrive:
            """The virtual media driver."""
            return drive

        def render_template(self, template_name: str, /, **params: Any) -> str:
            """The emulator's page, with what its template leaves out or fixes."""
            page = super().render_template(template_name, **params)
            return _completed(template_name, page, system, world.variants)

    app.__class__ = Bmc
    etags.attach(app, world.variants["etags"])
    app.register_error_handler(registry.RefusalError, _refused)
    app.before_request(lambda: _boot_without_target(system))
    app.after_request(lambda reply: _as_the_managers_own(reply, system))
    baseboard.attach(app, world, system.server)
    if world.variants["logins"] != "basic":
        sessions.attach(app, log_ins)
    if world.variants["locks"] == "while-starting":
        app.before_request(lambda: _locked(system))
    board = tasks.Board(app)
    if world.variants["settings"] == "task":
        tasks.attach(app, board, system)
    service = updates.Updates(world, system, board, world.variants["updates"], own)
    restarts.attach(app, own)
    system.power_lost.append(service.power_lost)
    app.before_request(service.answer)
    return app


def _completed(template: str, page: str, system: WorldSystem, variants: Mapping[str, str]) -> str:
    server = system.server
    if template == "bios_registry.json":
        return json.dumps(system.spelling.document())
    if template not in ("root.json", "system.json", "bios.json", "bios_settings.json", REGISTRY_FILE):
        return page
    data = json.loads(page)
    if template == REGISTRY_FILE:
        name = registry.name_of(server)
        return json.dumps(data | {"Id": name, "Registry": name.rpartition(".")[0]})
    if template == "root.json":
        data |= {"Name": "Cisco RESTful Root Service", "Vendor": "Cisco Systems Inc.", "UUID": server.uuid}
        data |= {"Tasks": {"@odata.id": "/redfish/v1/TaskService"}, "UpdateService": {"@odata.id": updates.PLACE}}
        if variants["logins"] != "basic":
            data["SessionService"] = {"@odata.id": sessions.SERVICE}
            data["Links"] = {"Sessions": {"@odata.id": sessions.PLACE}}
        return json.dumps(data)
    if template == "system.json":
        data |= {
            "Manufacturer": "Cisco Systems Inc",
            "Model": server.model,
            "SerialNumber": server.serial,
            "SKU": server.model,
            "SystemType": "Physical",
        }
        data["Boot"]["BootSourceOverrideEnabled"] = system.boot_override()
        data["Boot"]["BootSourceOverrideTarget@Redfish.AllowableValues"] = ["None", "Pxe", "Cd", "Hdd"]
        data["Boot"].pop("HttpBootUri", None)
    else:
        data["AttributeRegistry"] = registry.name_of(server)
        if template == "bios.json":
            data["@Redfish.Settings"]["SupportedApplyTimes"] = ["OnReset"]
        if template == "bios_settings.json":
            data["Attributes"] = system.pending_bios()
    return json.dumps(data)


def _refused(refusal: registry.RefusalError) -> tuple[flask.Response, int]:
    last = refusal.arguments[-1:]
    return flask.jsonify(errors.document(refusal.message_id, refusal.text, refusal.arguments, last)), 400


def _locked(system: WorldSystem) -> flask.Response | None:
    """The BIOS writes its variables itself while it starts: nobody else may."""
    path = flask.request.path.rstrip("/").lower()
    if flask.request.method != "PATCH" or not path.endswith("/bios/settings") or not system.starting():
        return None
    text = "The service is temporarily unavailable. Retry in 1 seconds."
    return errors.answer(503, "ServiceTemporarilyUnavailable", text, Retry_After="1")


def _as_the_managers_own(reply: flask.Response, system: WorldSystem) -> flask.Response:
    """The manager's page, which the emulator builds without a template, with this BMC's identity."""
    data = reply.get_json(silent=True) if flask.request.path.startswith("/redfish/v1/Managers/") else None
    if isinstance(data, dict) and data.get("ManagerType") == "BMC":
        data |= {
            "Description": "Cisco Integrated Management Controller",
            "Model": "CIMC",
            "FirmwareVersion": system.firmware("BMC"),
            "Actions": restarts.action(flask.request.path.rstrip("/")),
        }
        reply.set_data(json.dumps(data))
    return reply


def _boot_without_target(system: WorldSystem) -> flask.Response | None:
    """PATCH with only BootSourceOverrideEnabled, which the emulator refuses and a BMC takes."""
    if flask.request.method != "PATCH" or not flask.request.path.startswith("/redfish/v1/Systems/"):
        return None
    body = flask.request.get_json(silent=True)
    boot = body.get("Boot") if isinstance(body, dict) else None
    if not isinstance(boot, dict) or set(boot) != {"BootSourceOverrideEnabled"}:
        return None
    identity = flask.request.path.removeprefix("/redfish/v1/Systems/").strip("/")
    system.set_boot_device(identity, system.get_boot_device(identity))
    return flask.Response(status=204)
