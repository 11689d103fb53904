"""Templates of server profiles that are derived: one for all servers of a role and a model that are alike.

The profile still lists the policies that it has from its template: what a change of a template costs is reported by
server, as for a profile that is rendered.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from podwright.components.design.compute.model import SCHEMA, Profile, Template
from podwright.components.design.hardware import gpu_count, platform
from podwright.components.model import DERIVED, SHAPING, Effective, Server

_SAME = ("organization", "target_platform", "server_family", "uuid_pool", "policies")
"""What a template has of its profiles' specs."""


def derive(
    role: str, profiles: Iterable[Profile], servers: Mapping[str, Server], settings: Mapping[str, Effective]
) -> tuple[list[Profile], list[Template]]:
    """The profiles, of which those that the file wants derived name their template; and the templates."""
    made: dict[str, Template] = {}
    found = []
    for each in profiles:
        if settings[each.name].settings.profile != DERIVED:
            found.append(each)
            continue
        server = servers[each.name]
        own = f"{role}-template-{server.object_name or each.name}"
        name = own if _alone(server) else _shared(role, server, settings[each.name])
        spec = {"schema": SCHEMA, "name": name, **{key: each.spec[key] for key in _SAME if key in each.spec}}
        if made.setdefault(name, Template(name, spec)).spec != spec:
            name = own
            made[name] = Template(name, {**spec, "name": name})
        found.append(replace(each, spec={**each.spec, "template": name}))
    return found, list(made.values())


def _alone(server: Server) -> bool:
    """True for a server with policies that no other has: its own settings, or a blade's boot address."""
    return platform(server) == "FIAttached" or any(getattr(server, field) for field in SHAPING)


def _shared(role: str, server: Server, settings: Effective) -> str:
    gpus = gpu_count(server)
    parts = ["template", server.model.lower(), f"{gpus}gpu" if gpus else ""]
    parts += ["" if server.disk.startswith("/dev/nvme") else "disk", settings.role or ""]
    return "-".join([role, *filter(None, parts)])


def adopting(template: Template, adopt: Iterable[str]) -> Template:
    """The template, set to take on an existing one of its name where that is defined."""
    more: dict[str, Any] = {"adopt": True} if template.name in adopt else {}
    return replace(template, spec={**template.spec, **more})
