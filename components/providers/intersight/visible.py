"""Whether an organization sees a machine: Intersight assigns a profile to no other.

Hardware comes to an organization by resource groups. A machine names the organizations that see it in
`PermissionResources`; one that names none may be of an appliance that does not show them, and is left to Intersight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.protocol.kind import ProviderError

ORGANIZATION = "organization.Organization"


async def refuse_unseen(
    api: Account, spec: Mapping[str, Any], profile: Mapping[str, Any] | None, server: Mapping[str, Any], what: str
) -> None:
    """Raise ProviderError before anything is written for a machine that the organization of the spec does not see.

    A `profile` that is on the machine already stays there.
    """
    assigned = (profile or {}).get("AssignedServer")
    if isinstance(assigned, Mapping) and assigned.get("Moid") == server["Moid"]:
        return
    seen = seen_by(server)
    if seen and await api.organization(spec["organization"]) not in seen:
        raise ProviderError(
            f"{what}: the server {server['Serial']} is in no resource group of the organization "
            f"{spec['organization']}, and Intersight assigns no profile of it there; nothing was written. "
            "Put the server into a resource group of that organization (Intersight: System, Resource Groups), have "
            f"this stack make one, intersight: {{resource_groups: {{{spec['organization']}: NAME}}}}, or write another "
            "organization into its role, compute.roles.<role>.organization"
        )


def seen_by(server: Mapping[str, Any]) -> set[str]:
    """Moids of the organizations that see a machine; none where the account does not show them."""
    listed = [each for each in server.get("PermissionResources") or () if isinstance(each, Mapping)]
    return {str(each.get("Moid")) for each in listed if each.get("ObjectType") == ORGANIZATION}
