"""Compute, derived: Redfish plans, Intersight policies and profiles, domain profiles, the installation."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from podwright.components.design.compute import bios, install, network
from podwright.components.design.compute.domain import domain_profile
from podwright.components.design.compute.install import CONTROL_PLANE, Management
from podwright.components.design.compute.model import (
    SCHEMA,
    Child,
    IntersightObject,
    Profile,
    RolePlan,
    carried,
    digest,
)
from podwright.components.design.compute.profiles import Bucket, server_profiles
from podwright.components.design.hardware import gpu_count, server_model
from podwright.components.model import Bmc, Domain, Intersight, Pair, Server, Site

REBOOTING = {"bios.Policy", "boot.PrecisionPolicy", "vnic.LanConnectivityPolicy"}
"""Policies that reach the hardware only by a reboot."""

__all__ = [
    "CONTROL_PLANE",
    "Child",
    "IntersightObject",
    "Management",
    "Profile",
    "RolePlan",
    "digest",
    "install",
    "redfish_server",
    "role",
]


def role(
    name: str,
    servers: Mapping[str, Server],
    domains: Mapping[str, Domain],
    account: Intersight,
    site: Site,
    frontend: Pair | None,
) -> RolePlan:
    """Pools and policies that servers and interconnects of one role share, and the profiles made of them.

    Every object is named after the role, so that two roles never share one. `frontend` is the pair that carries the
    machine network; None where another program looks after it.
    """
    bucket = Bucket(name, {})
    pool = network.mac_pool(name, servers.values(), account.mac_block)
    adopt = account.adopt
    profiles = [
        _adopting(each, adopt) for each in server_profiles(servers, account.organization, site, frontend, bucket)
    ]
    pairs = [
        _adopting(domain_profile(key, domain, account.organization, site, frontend, bucket), adopt)
        for key, domain in domains.items()
    ]
    return RolePlan(
        pools=(pool,) if pool else (),
        policies=tuple(_ordered(bucket.objects)),
        profiles={each.name: each for each in profiles},
        domains={each.name: each for each in pairs},
        digests={each.name: _needs_restart(each, bucket.objects) for each in profiles},
    )


def _adopting(profile: Profile, adopt: Collection[str]) -> Profile:
    """The profile, told to take on an existing one of its name where that is defined."""
    return replace(profile, spec={**profile.spec, "adopt": True}) if profile.name in adopt else profile


def redfish_server(name: str, server: Server, bmc: Bmc) -> dict[str, Any]:
    """Spec of `podwright:redfish:Server`.

    Power is left out: only the installation and a roll-out press a button, never an update of settings.
    """
    return {
        "schema": SCHEMA,
        "name": name,
        "address": install.bmc_address(server),
        "serial": server.serial,
        "model": server.model,
        "credential": install.bmc_secret(server, bmc),
        "generation": bmc.generation,
        "bios": bios.attributes(server_model(server.model), gpu_count(server)),
    }


def _needs_restart(profile: Profile, objects: Mapping[str, IntersightObject]) -> str:
    """Digest of what takes effect on a server with its next restart only."""
    rebooting = [policy for policy in profile.policies if policy.object_type in REBOOTING]
    return digest([each.spec("") for each in carried(rebooting, objects)])


def _ordered(objects: Mapping[str, IntersightObject]) -> Iterable[IntersightObject]:
    """Objects after what they refer to; otherwise in the order they were made."""
    done: dict[str, IntersightObject] = {}

    def add(each: IntersightObject) -> None:
        for name in sorted(each.needs):
            if name in objects and name not in done:
                add(objects[name])
        done.setdefault(each.name, each)

    for each in objects.values():
        add(each)
    return done.values()
