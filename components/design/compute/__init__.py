"""Compute, derived: Redfish plans, Intersight policies and profiles, domain profiles, the installation."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from podwright.components.design.compute import bios, chassis, firmware, install, network, templates, uuids
from podwright.components.design.compute import domain as pair
from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.firmware import restarted_for
from podwright.components.design.compute.groups import groups
from podwright.components.design.compute.install import CONTROL_PLANE, Management
from podwright.components.design.compute.management import address_pool
from podwright.components.design.compute.model import (
    SCHEMA,
    Child,
    IntersightObject,
    Profile,
    RolePlan,
    Template,
    digest,
)
from podwright.components.design.compute.profiles import server_profiles
from podwright.components.design.hardware import gpu_count, platform, server_model
from podwright.components.model import (
    NO_ROLES,
    Bmc,
    Domain,
    Effective,
    Intersight,
    Pair,
    Roles,
    Server,
    Site,
    effective,
    organization_of,
)
from podwright.components.model.problems import Problem
from podwright.components.model.uuids import Uuids

__all__ = [
    "CONTROL_PLANE",
    "Child",
    "IntersightObject",
    "Management",
    "Profile",
    "RolePlan",
    "Template",
    "adopted_problems",
    "chassis",
    "digest",
    "install",
    "redfish_server",
    "restarted_for",
    "role",
]


def role(
    name: str,
    servers: Mapping[str, Server],
    domains: Mapping[str, Domain],
    account: Intersight,
    site: Site,
    frontend: Pair | None,
    roles: Roles = NO_ROLES,
) -> RolePlan:
    """Pools and policies that servers and interconnects of one role share, and the profiles made of them.

    Every object is named after the role, so that two roles never share one. Servers whose settings name another
    organization have policies and pools of their own there, with its name behind the role's. `frontend` is the pair
    that carries the machine network; None where another program looks after it. `roles` are what servers take settings
    from.
    """
    settings = {host: effective(host, server, roles) for host, server in servers.items()}
    homes = {host: organization_of(server, roles, account) for host, server in servers.items()}
    bucket = Bucket(name, {})
    pools, profiles = _profiled(bucket, _of(account.organization, servers, homes), settings, account, site, frontend)
    boxes = any(each.profile for domain in domains.values() for each in domain.chassis.values())
    if account.management.addresses and (boxes or any(map(_attached, servers.values()))):
        pools.append(address_pool(name, account.management.addresses, site))
    adopt = account.adopt
    made_of = (pair.domain_profile(key, each, account, site, frontend, bucket) for key, each in domains.items())
    pairs, of_pairs = pair.derive(name, made_of, domains)
    boxed, of_boxes = chassis.derive(name, chassis.chassis_profiles(domains, account, bucket), domains)
    made = list(_ordered(bucket.objects))
    for organization in sorted({*homes.values()} - {account.organization}):
        # One block of addresses or UUIDs is one organization's: others have theirs by their own name.
        blocks = {"mac_block": None, "uuids": account.uuids and Uuids()}
        there = account.model_copy(update={"organization": organization, **blocks})
        apart = Bucket(f"{name}-{organization}", {})
        more, others = _profiled(apart, _of(organization, servers, homes), settings, there, site, frontend)
        pools += [replace(each, organization=organization) for each in more]
        made += [replace(each, organization=organization) for each in _ordered(apart.objects)]
        profiles += others
    by_name = {each.name: each for each in profiles}
    ordered = [by_name[host] for host in servers if host in by_name]
    ordered, shared = templates.derive(name, ordered, servers, settings)
    return RolePlan(
        pools=(*pools, *(each for each in made if each.object_type.endswith(".Pool"))),
        policies=tuple(each for each in made if not each.object_type.endswith(".Pool")),
        profiles={each.name: each for each in ordered},
        domains={each.name: _adopting(each, adopt) for each in pairs},
        chassis={each.name: _adopting(each, adopt) for each in boxed},
        digests={each.name: str(each.spec["restart_digest"]) for each in ordered},
        templates=tuple(templates.adopting(each, adopt) for each in (*shared, *of_pairs, *of_boxes)),
        groups=tuple(groups(servers, homes, account)),
    )


def _profiled(
    bucket: Bucket,
    servers: Mapping[str, Server],
    settings: Mapping[str, Effective],
    account: Intersight,
    site: Site,
    frontend: Pair | None,
) -> tuple[list[IntersightObject], list[Profile]]:
    """Pools of servers of one organization, and their profiles; their policies are added to `bucket`."""
    role = bucket.role
    pools = [network.mac_pool(role, servers, settings, account.mac_block), uuids.pool(role, servers, account)]
    profiles = [
        _adopting(uuids.given(role, fitted, servers[each.name], account), account.adopt)
        for each in server_profiles(servers, settings, account, site, frontend, bucket)
        for fitted in (firmware.fitted(role, each, servers[each.name], account, bucket.objects),)
    ]
    return [each for each in pools if each], profiles


def _of(organization: str, servers: Mapping[str, Server], homes: Mapping[str, str]) -> dict[str, Server]:
    return {host: server for host, server in servers.items() if homes[host] == organization}


def _attached(server: Server) -> bool:
    return platform(server) == "FIAttached"


def adopted_problems(adopt: Iterable[str], names: Collection[str]) -> Iterator[Problem]:
    """Entries of `intersight.adopt` that are none of the `names` of what a plan makes."""
    for position, each in enumerate(adopt):
        if each not in names:
            near = get_close_matches(each, sorted(names), n=1)
            hint = f"did you mean {near[0]}?" if near else "delete this entry"
            yield Problem(("intersight", "adopt", position), f"no object of this cluster is called {each}", hint)


def _adopting(profile: Profile, adopt: Collection[str]) -> Profile:
    """The profile, set to take on an existing one of its name where that is defined."""
    return replace(profile, spec={**profile.spec, "adopt": True}) if profile.name in adopt else profile


def redfish_server(name: str, server: Server, bmc: Bmc, roles: Roles = NO_ROLES) -> dict[str, Any]:
    """Spec of `podwright:redfish:Server`.

    Power is left out: only the installation and a roll-out press a button, never an update of settings.
    """
    settings = effective(name, server, roles).settings
    runs = firmware.of_controller(server, bmc)
    return {
        "schema": SCHEMA,
        "name": name,
        "address": install.bmc_address(server),
        "serial": server.serial,
        "model": server.model,
        "credential": install.bmc_secret(server, bmc),
        "generation": bmc.generation,
        "bios": bios.attributes(server_model(server.model), gpu_count(server), settings),
        **({"firmware": runs} if runs else {}),
    }


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
