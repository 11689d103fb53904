"""Compute, derived: Redfish plans, Intersight policies and profiles, domain profiles, the installation."""

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.design.compute import bios, install, network
from podwright.components.design.compute.domain import domain_profiles
from podwright.components.design.compute.install import CONTROL_PLANE
from podwright.components.design.compute.model import SCHEMA, Child, Compute, IntersightObject, Profile, carried, digest
from podwright.components.design.compute.profiles import Bucket, server_profiles
from podwright.components.design.hardware import gpu_count, server_model
from podwright.components.model import Cluster, Server

REBOOTING = {"bios.Policy", "boot.PrecisionPolicy", "vnic.LanConnectivityPolicy"}
"""Policies that reach the hardware only by a reboot."""

__all__ = ["CONTROL_PLANE", "Child", "Compute", "IntersightObject", "Profile", "digest", "plan"]


def plan(cluster: Cluster) -> Compute:
    """Everything the compute layer makes for a coherent cluster."""
    bucket = Bucket(cluster.name, {})
    pool = network.mac_pool(cluster)
    profiles = tuple(server_profiles(cluster, bucket))
    domains = tuple(domain_profiles(cluster, bucket))
    redfish = {
        name: _redfish(cluster, name, server)
        for name, server in cluster.servers.items()
        if server_model(server.model).manager == "redfish"
    }
    by_name = bucket.objects
    digests = {name: digest(spec["bios"]) for name, spec in redfish.items()}
    for profile in profiles:
        rebooting = [policy for policy in profile.policies if policy.object_type in REBOOTING]
        digests[profile.name] = digest([each.spec("") for each in carried(rebooting, by_name)])
    return Compute(
        redfish=redfish,
        pools=(pool,) if pool else (),
        policies=tuple(_ordered(by_name)),
        profiles=profiles,
        domains=domains,
        install=install.spec(cluster),
        digests=digests,
    )


def _redfish(cluster: Cluster, name: str, server: Server) -> dict[str, Any]:
    """Power is left out: only the installation and a roll-out press a button, never an update of settings."""
    return {
        "schema": SCHEMA,
        "name": name,
        "address": install.bmc_address(server),
        "serial": server.serial,
        "model": server.model,
        "credential": cluster.bmc.password,
        "generation": cluster.bmc.generation,
        "bios": bios.attributes(server_model(server.model), gpu_count(server)),
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
