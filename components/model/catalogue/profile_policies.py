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


def on_profile(object_type: str) -> bool:
    """Whether a policy of this type stands in a server profile's list; of each type there is one at most."""
    return object_type in SERVER_POLICIES
