"""Which policies the profile of a server takes, by its target platform.

From Cisco's documents alone: "Intersight policies" solution overview and the two server profile wizards of the help
centre (standalone servers, servers attached to Fabric Interconnects). That the API refuses the others, in which words
and at the write rather than at the deployment, is [?].
"""

from __future__ import annotations

from collections.abc import Iterable

from podwright.lab.intersight import errors

ONLY = {
    "access.Policy": "FIAttached",
    "compute.ScrubPolicy": "FIAttached",
    "memory.Policy": "FIAttached",
    "adapter.ConfigPolicy": "Standalone",
    "deviceconnector.Policy": "Standalone",
    "iam.LdapPolicy": "Standalone",
    "networkconfig.Policy": "Standalone",
    "ntp.Policy": "Standalone",
    "smtp.Policy": "Standalone",
    "ssh.Policy": "Standalone",
}
"""Policies of one platform's servers."""


def check(platform: str, types: Iterable[str]) -> None:
    """Raises ApiError for a policy in the bucket of a server profile that its platform does not take."""
    for name in types:
        if ONLY.get(name, platform) != platform:
            text = f"The policy type '{name}' is not supported for the target platform '{platform}'."
            raise errors.invalid("lab_policy_of_other_platform", text, name, platform)
