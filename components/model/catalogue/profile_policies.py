"""Which types of Intersight's objects a server profile takes, and which ones a field of the stack file is for."""

from collections.abc import Mapping

from podwright.components.model.catalogue.server_policies import SERVER_POLICIES

OWN_FIELDS: Mapping[str, str] = {
    "bios.Policy": "bios",
    "boot.PrecisionPolicy": "boot",
    "storage.StoragePolicy": "disks",
    "vnic.LanConnectivityPolicy": "vnics",
}
"""Settings that stand over the design's policy of a type."""

ADDED_FIELDS: Mapping[str, str] = {
    "storage.DriveSecurityPolicy": "drive_security",
    "adapter.ConfigPolicy": "adapter",
    "memory.Policy": "memory",
    "compute.ScrubPolicy": "scrub",
}
"""Settings that make a policy of a type; without them a profile has none, unless `policies` names one."""


def on_profile(object_type: str) -> bool:
    """Whether a policy of this type stands in a server profile's list; of each type there is one at most."""
    return object_type in SERVER_POLICIES
