"""Read a world file: YAML in, inventory out, every wrong reference named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from podwright.lab import reading
from podwright.lab.variants import UnknownVariantError, chosen
from podwright.lab.world.inventory import (
    FABRICS,
    MODULE_PORT,
    Cable,
    Chassis,
    Cpu,
    End,
    Gpus,
    Interconnect,
    Nic,
    Server,
    Switch,
    WorldError,
)


@dataclass
class Inventory:
    """A parsed world file. `credentials` and `cluster` stay plain mappings for the sides to read."""

    name: str
    switches: dict[str, Switch]
    servers: dict[str, Server]
    cables: list[Cable]
    credentials: dict[str, dict[str, str]]
    cluster: dict[str, Any]
    timing: dict[str, float]
    variants: dict[str, str]
    """Form of every variant by its name."""
    interconnects: dict[str, Interconnect] = field(default_factory=dict)
    """`<domain>-a` and `<domain>-b` of every domain."""
    chassis: dict[str, Chassis] = field(default_factory=dict)
    unclaimed: bool = False
    """No device is in the Intersight account when the lab starts."""


def _build(kind: type, where: str, data: Mapping[str, Any]) -> Any:
    known = {f.name for f in fields(kind)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise WorldError(f"{where}: unknown key {unknown[0]!r}; known keys are {', '.join(sorted(known))}")
    try:
        return kind(**data)
    except TypeError as problem:
        raise WorldError(f"{where}: {problem}") from problem


def _server(name: str, data: Mapping[str, Any]) -> Server:
    where = f"servers.{name}"
    plain = {key: value for key, value in data.items() if key not in ("cpu", "gpus", "nics")}
    server: Server = _build(Server, where, {"name": name, **plain})
    if data.get("cpu"):
        server.cpu = _build(Cpu, f"{where}.cpu", data["cpu"])
    if data.get("gpus"):
        server.gpus = _build(Gpus, f"{where}.gpus", data["gpus"])
    for nic, values in (data.get("nics") or {}).items():
        settings = dict(values)
        if "pfc" in settings:
            settings["pfc"] = frozenset(settings["pfc"])
        server.nics[nic] = _build(Nic, f"{where}.nics.{nic}", {"name": nic, **settings})
    return server


def _domain(name: str, data: Mapping[str, Any]) -> tuple[dict[str, Interconnect], dict[str, Chassis]]:
    """{"model", "serials": {"A", "B"}, "rack"?, "power"?, "power_b"?, "chassis": {name: {"serial", "slots"}}}."""
    where = f"domains.{name}"
    rest = {key: value for key, value in data.items() if key not in ("serials", "chassis")}
    serials = data.get("serials") or {}
    if set(serials) != set(FABRICS):
        raise WorldError(f"{where}.serials: a domain has two interconnects, A and B")
    pair = {
        f"{name}-{fabric.lower()}": _build(
            Interconnect,
            where,
            {"name": f"{name}-{fabric.lower()}", "domain": name, "fabric": fabric, "serial": serials[fabric], **rest},
        )
        for fabric in FABRICS
    }
    place = {key: value for key, value in rest.items() if key != "model"}
    chassis = {
        each: _build(Chassis, f"{where}.chassis.{each}", {"name": each, "domain": name, **place, **values})
        for each, values in (data.get("chassis") or {}).items()
    }
    return pair, chassis


def _domains(
    written: Mapping[str, Any], servers: Mapping[str, Server]
) -> tuple[dict[str, Interconnect], dict[str, Chassis]]:
    """Every domain's interconnects and chassis. Raises WorldError, also for a slot that holds no known server."""
    interconnects: dict[str, Interconnect] = {}
    chassis: dict[str, Chassis] = {}
    placed: dict[str, str] = {}
    for name, data in written.items():
        pair, boxes = _domain(name, data)
        interconnects |= pair
        chassis |= boxes
    for box in chassis.values():
        for slot, server in box.slots.items():
            where = f"domains.{box.domain}.chassis.{box.name}.slots.{slot}"
            if slot not in range(1, 9):
                raise WorldError(f"{where}: a chassis has slots 1 to 8")
            if server not in servers:
                raise WorldError(f"{where}: no server named {server!r}")
            if server in placed:
                raise WorldError(f"{where}: {server} is in {placed[server]} already")
            placed[server] = f"{box.name} slot {slot}"
    for each in servers.values():
        if each.domain and each.domain not in written:
            raise WorldError(f"servers.{each.name}.domain: no domain named {each.domain!r}")
    return interconnects, chassis


def _end(text: str, devices: Mapping[str, Any], where: str) -> End:
    device, _, port = str(text).partition(":")
    if device not in devices or not port:
        raise WorldError(f"{where}: {text!r} is not <device>:<port> of a device in this world")
    owner = devices[device]
    if isinstance(owner, Server) and owner.domain and MODULE_PORT.fullmatch(port):
        return device, port
    if isinstance(owner, Server) and port not in owner.nics:
        raise WorldError(f"{where}: server {device} has no NIC {port!r}")
    if isinstance(owner, Chassis) and not MODULE_PORT.fullmatch(port):
        raise WorldError(f"{where}: a chassis has ports A1 to A8 and B1 to B8, not {port!r}")
    return device, port


def _cables(rows: list[Any], devices: Mapping[str, Any]) -> list[Cable]:
    cables: list[Cable] = []
    taken: set[End] = set()
    for index, row in enumerate(rows):
        where = f"cables[{index}]"
        if not isinstance(row, list) or len(row) != 3:
            raise WorldError(f"{where}: a cable is [end, end, gbps]")
        a, b = (_end(text, devices, where) for text in row[:2])
        for end in (a, b):
            if end in taken:
                raise WorldError(f"{where}: {end[0]}:{end[1]} already holds a cable")
            taken.add(end)
        cables.append(Cable(a, b, int(row[2])))
    return cables


def _variants(written: Any, asked: Mapping[str, str]) -> dict[str, str]:
    try:
        return chosen({**(written or {}), **asked})
    except (UnknownVariantError, TypeError) as problem:
        raise WorldError(f"variants: {problem}") from None


def read(path: Path, variants: Mapping[str, str]) -> Inventory:
    """Parse the world file at `path`; `variants` come before the file's own.

    Raises WorldError with the place of the first contradiction.
    """
    try:
        data = reading.read(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as problem:
        raise WorldError(f"{path}: {problem}") from problem
    if not isinstance(data, dict):
        raise WorldError(f"{path}: a world file is a mapping with name, switches, servers, cables")
    switches = {
        name: _build(Switch, f"switches.{name}", {"name": name, **values})
        for name, values in (data.get("switches") or {}).items()
    }
    servers = {name: _server(name, values) for name, values in (data.get("servers") or {}).items()}
    interconnects, chassis = _domains(data.get("domains") or {}, servers)
    clash = sorted(set(switches) & set(servers))
    if clash:
        raise WorldError(f"{clash[0]} is both a switch and a server")
    boxes = {**interconnects, **chassis}
    if twice := sorted(set(boxes) & {*switches, *servers} | set(interconnects) & set(chassis)):
        raise WorldError(f"{twice[0]} is the name of two things")
    return Inventory(
        name=str(data.get("name", path.stem)),
        switches=switches,
        servers=servers,
        cables=_cables(data.get("cables") or [], {**switches, **servers, **boxes}),
        credentials=data.get("credentials") or {},
        cluster=data.get("cluster") or {},
        timing=data.get("timing") or {},
        variants=_variants(data.get("variants"), variants),
        interconnects=interconnects,
        chassis=chassis,
        unclaimed=bool(data.get("unclaimed", False)),
    )
