"""`podwright explain compute`: every value on one server, where it is set, and the policy it lands in."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from podwright.components import model
from podwright.components.design import compute
from podwright.components.design.compute.explain import Explained, explain
from podwright.components.design.hardware import threads
from podwright.components.model.problems import Loc, Position, Problem

Where = Callable[[Loc], Position | None]
_WIDE = 56
"""Longest value that is printed whole, in characters."""


def stack_files(folder: Path, server: str) -> list[Path]:
    """Stack files of a folder that name a server, for those who name none."""
    found = []
    for path in sorted(folder.glob("Pulumi.*.yaml")):
        try:
            cluster = model.load(path)
        except model.SpecErrors:
            continue
        found += [path] if server in cluster.servers else []
    return found


def document(path: Path, name: str) -> dict[str, Any]:
    """Everything on a server, as JSON has it. Raises SpecErrors for a wrong file, KeyError for an unknown server."""
    cluster, where = model.located(path)
    server = cluster.servers[name]
    settings = model.effective(name, server, cluster.compute.roles)
    profile = _profile(cluster, name)
    smt = settings.settings.smt
    return {
        "file": path.name,
        "server": name,
        "model": server.model,
        "role": settings.role,
        "role_by": _role_by(cluster, name, settings),
        "profile": profile.name if profile else None,
        "threads": threads(server, settings.settings),
        "isolated": server.pool in cluster.pools and cluster.pools[server.pool].hugepages_gib > 0,
        "smt": None if smt is None else {**smt.model_dump(), **_place(settings.places["smt",], where, path)},
        "values": [_value(each, settings, where, path) for each in explain(server, settings, profile)],
    }


def adopted(cluster: model.Cluster) -> list[Problem]:
    """Entries of `intersight.adopt` that name no object of the plan."""
    account = cluster.intersight
    if account is None or not account.adopt:
        return []
    return list(compute.adopted_problems(account.adopt, plan_of(cluster, account).names))


def plan_of(cluster: model.Cluster, account: model.Intersight) -> compute.RolePlan:
    """What Intersight is to hold for a cluster."""
    about = (account, cluster.site, cluster.fabric.frontend, cluster.compute.roles)
    return compute.role(cluster.name, cluster.servers, cluster.domains, *about)


def _profile(cluster: model.Cluster, name: str) -> compute.Profile | None:
    if cluster.intersight is None:
        return None
    return plan_of(cluster, cluster.intersight).profiles.get(name)


def _role_by(cluster: model.Cluster, name: str, settings: model.Effective) -> str | None:
    """What gives the server its role."""
    if settings.role is None:
        return None
    server, role = cluster.servers[name], cluster.compute.roles[settings.role]
    return "server" if server.role else "pool" if server.pool in role.pools else "model"


def _value(each: Explained, settings: model.Effective, where: Where, path: Path) -> dict[str, Any]:
    source = f"role {settings.role}" if each.source == "role" else each.source
    return {
        "object": each.object,
        "type": each.object_type,
        "key": each.key,
        "value": each.value,
        "source": source,
        **_place(each.place, where, path),
        "reason": each.reason,
    }


def _place(place: Loc, where: Where, path: Path) -> dict[str, Any]:
    """File and line of a value; both null where no file sets it."""
    loc = ("compute", *place) if place and place[0] == "roles" else place
    found = where(loc) if loc else None
    return {"file": found.file or path.name if found else None, "line": found.line if found else None}


def lines(found: dict[str, Any]) -> Iterator[str]:
    """A server's values for a terminal, policy by policy."""
    role = f"role {found['role']} (of its {found['role_by']})" if found["role"] else "no role"
    by = f"profile {found['profile']} in Intersight" if found["profile"] else "over Redfish"
    yield f"{found['server']} of {found['file']}: {found['model']}, {role}, {by}"
    smt = found["smt"]
    why = f"{smt['file']}:{smt['line']}: {smt['reason']}" if smt else "as shipped, two for each core"
    rest = "; its pool's PerformanceProfile isolates processors by the same number" if found["isolated"] else ""
    yield f"  {found['threads']} threads ({why}){rest}"
    shown = ""
    wide = max(len(each["key"]) for each in found["values"])
    for each in found["values"]:
        heading = f"{each['object']} ({each['type']})" if each["object"] else "BIOS, over Redfish"
        if heading != shown:
            yield heading
            shown = heading
        yield f"  {each['key']:{wide}}  {_text(each['value']):<16}  {_origin(each)}".rstrip()


def _origin(each: dict[str, Any]) -> str:
    origin = str(each["source"])
    if each["line"]:
        origin += f", {each['file']}:{each['line']}"
    return f"{origin}: {each['reason']}" if each["reason"] else origin


def _text(value: Any) -> str:
    if value is None:
        return "platform default"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 3]}..."
