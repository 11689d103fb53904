"""Which settings hold for a server: its own over its role's. What neither sets is the design's to choose."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.model.compute import Intersight, Server
from podwright.components.model.problems import Loc
from podwright.components.model.settings import Role, Settings

Roles = Mapping[str, Role]
NO_ROLES: Roles = {}
_MAPPINGS = (
    "bios", "boot", "disks", "drive_groups", "drive_security", "adapter", "memory", "scrub", "vnics", "policies",
    "tags",
)  # fmt: skip
"""Fields that are merged key by key; of the others a server's value takes the place of its role's."""
_WHOLE = ("smt", "profile")


@dataclass(frozen=True)
class Effective:
    """The settings of one server."""

    server: str
    role: str | None
    settings: Settings
    places: Mapping[Loc, Loc]
    """Where each was defined: ("bios", "SrIov") in ("roles", "training", "bios", "SrIov") or in ("servers", ...)."""

    def owner(self, *fields: str) -> str:
        """Whose a policy made of these fields is: the server's name, the role's, or nobody's, which is empty."""
        return self._of(place[0] for key, place in self.places.items() if key[0] in fields)

    def owner_of(self, field: str, key: str) -> str:
        """Whose one entry of a field is."""
        place = self.places.get((field, key))
        return self._of([place[0]] if place else [])

    def _of(self, places: Iterable[str | int]) -> str:
        whose = set(places)
        if "servers" in whose:
            return self.server
        return self.role or "" if whose else ""


def role_of(server: Server, roles: Roles) -> str | None:
    """Name of the role that a server has: its own, its pool's, its model's; None where there is none."""
    if server.role is not None:
        return server.role if server.role in roles else None
    of_pool = (name for name, each in roles.items() if server.pool in each.pools)
    of_model = (name for name, each in roles.items() if server.model in each.models)
    return next(of_pool, None) or next(of_model, None)


def organization_of(server: Server, roles: Roles, account: Intersight) -> str:
    """The organization of Intersight that has a server's profile: its role's, else the account's."""
    role = role_of(server, roles)
    return (roles[role].organization if role is not None else None) or account.organization


def effective(name: str, server: Server, roles: Roles) -> Effective:
    """The settings of a server, and where each was defined."""
    role = role_of(server, roles)
    layers: list[tuple[Loc, Settings]] = [(("roles", role), roles[role])] if role is not None else []
    layers.append((("servers", name), server))
    merged: dict[str, Any] = {field: {} for field in _MAPPINGS}
    places: dict[Loc, Loc] = {}
    for where, settings in layers:
        for field in _MAPPINGS:
            merged[field] |= getattr(settings, field)
            places |= {(field, key): (*where, field, key) for key in getattr(settings, field)}
        for field in _WHOLE:
            if getattr(settings, field) is not None:
                merged[field] = getattr(settings, field)
                places[(field,)] = (*where, field)
    return Effective(name, role, Settings.model_construct(None, **merged), places)
