"""What identifies a site: names, addresses, serial numbers, VLANs, and how many devices it has.

Two stacks of one design are expected to differ in these. A path has `*` for the name of an entry and for a number of a
list, `**` for everything below.
"""

from typing import Final

IDENTITY: Final = (
    "name",
    "site.**",
    "fabric.generation",
    "fabric.addressing.**",
    "fabric.asn.**",
    "fabric.links_per_pair",
    "fabric.spines.*.index",
    "fabric.spines.*.management",
    "fabric.spines.*.asn",
    "fabric.spines.*.rack",
    "fabric.spines.*.serial",
    "fabric.spines.*.adopt",
    "fabric.spines.*.renamed_from",
    "fabric.leaves.*.index",
    "fabric.leaves.*.management",
    "fabric.leaves.*.asn",
    "fabric.leaves.*.rack",
    "fabric.leaves.*.serial",
    "fabric.leaves.*.adopt",
    "fabric.leaves.*.renamed_from",
    "fabric.leaves.*.group",
    *(
        f"fabric.{pair}.{path}"
        for pair in ("frontend", "storage")
        for path in (
            "leaves.*.index",
            "leaves.*.management",
            "leaves.*.asn",
            "leaves.*.rack",
            "leaves.*.serial",
            "leaves.*.adopt",
            "leaves.*.renamed_from",
            "vpc.**",
            "vlans.*.id",
            "vlans.*.subnet",
            "ports.**",
            "routed.**",
        )
    ),
    "fabric.gateway",
    "fabric.stack",
    "fabric.moved_from",
    "fabric.day0.gateway",
    "fabric.cables.**",
    "intersight.key_id",
    "intersight.mac_block",
    "intersight.uuids.**",
    "intersight.adopt",
    "intersight.resource_groups",
    "intersight.management.addresses.**",
    "bmc.generation",
    "hosts.**",
    "domains.*.serials",
    "domains.*.rack",
    "domains.*.uplinks",
    "domains.*.server_ports",
    "domains.*.chassis.**",
    "servers.*.index",
    "servers.*.rack",
    "servers.*.domain",
    "servers.*.slot",
    "servers.*.group",
    "servers.*.serial",
    "servers.*.address",
    "servers.*.boot_mac",
    "servers.*.bond_mac",
    "servers.*.storage_macs",
    "servers.*.bmc",
    "servers.*.certificate.**",
    "servers.*.leave",
    "servers.*.renamed_from",
    "servers.*.object_name",
    "openshift.domain",
    "openshift.api_vip",
    "openshift.ingress_vip",
    "openshift.machine_network",
    "openshift.gateway",
    "openshift.networks.cluster",
    "openshift.networks.service",
    "openshift.publish.**",
    "openshift.etcd_backup.copy_to.**",
    "workloads.inference.*.route.host",
    "workloads.inference.*.gateway.host",
)
"""Values."""

COUNTED: Final = (
    "fabric.spines.*",
    "fabric.leaves.*",
    "domains.*",
    "servers.*",
)
"""Entries of which a site has as many as it has: one that is in one stack alone is no difference of the design."""


def identifies(path: tuple[str, ...], *, alone: bool) -> bool:
    """Whether a path, with `*` for names, is a site's own; `alone`: it is in one of two stacks."""
    return any(_matches(each, path) for each in IDENTITY) or (alone and any(_matches(each, path) for each in COUNTED))


def _matches(pattern: str, path: tuple[str, ...]) -> bool:
    parts = tuple(pattern.split("."))
    if parts[-1] == "**":
        return path[: len(parts) - 1] == parts[:-1]
    return path == parts
