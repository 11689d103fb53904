"""The pool of UUIDs of one role's servers, and who takes one of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from podwright.components.design.compute.model import IntersightObject, Profile, digest
from podwright.components.design.hardware import platform
from podwright.components.model import Intersight, Server

BLOCK = 256
"""UUIDs of a block."""
TYPE = "uuidpool.Pool"
FIRST_PART = "000025B5"
"""First part of pooled UUIDs, after Cisco's MAC addresses: the one that public examples have."""


def takes(server: Server, account: Intersight) -> bool:
    """Whether a server takes its UUID from the pool."""
    return account.uuids is not None and platform(server) == "FIAttached" and not server.own_uuid


def pool(role: str, servers: Mapping[str, Server], account: Intersight) -> IntersightObject | None:
    """The pool, large enough for every server that takes one; None where none does."""
    count = sum(takes(server, account) for server in servers.values())
    if account.uuids is None or not count:
        return None
    block = {
        "ClassId": "uuidpool.UuidBlock",
        "ObjectType": "uuidpool.UuidBlock",
        "From": account.uuids.first.upper(),
        "Size": BLOCK * -(-count // BLOCK),
    }
    prefix = (account.uuids.prefix or _own_prefix(role)).upper()
    properties = {"AssignmentOrder": "sequential", "Prefix": prefix, "UuidSuffixBlocks": [block]}
    return IntersightObject(TYPE, f"{role}-uuids", properties)


def given(role: str, profile: Profile, server: Server, account: Intersight) -> Profile:
    """The profile, set to lease a UUID where its server takes one: with a restart, as it takes its BIOS settings."""
    if not takes(server, account):
        return profile
    named = {"object_type": TYPE, "name": f"{role}-uuids"}
    digests = {key: digest([profile.spec[key], named]) for key in ("digest", "restart_digest")}
    return replace(profile, spec={**profile.spec, "uuid_pool": named, **digests})


def _own_prefix(role: str) -> str:
    """One of 4,294,967,296 prefixes, by the role's name."""
    digits = hashlib.sha256(role.encode()).hexdigest()
    return f"{FIRST_PART}-{digits[:4]}-{digits[4:8]}"
