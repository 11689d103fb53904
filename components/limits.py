"""What the site's provider is given besides logins: how much a change may disturb, and what is approved beyond that."""

from collections.abc import Callable
from typing import Any

from podwright.components.design.compute import role
from podwright.components.design.compute.approvals import granted, places, sections
from podwright.components.model import Cluster
from podwright.components.model.problems import Loc

At = Callable[[Loc], str]
"""File and line of a place in a stack file; empty where there is none."""


def limits(cluster: Cluster, at: At) -> dict[str, Any]:
    """Inputs of a provider instance: how much a change may disturb, what is approved beyond that, by role and by server
    too, and where the file has it."""
    account, servers, roles = cluster.intersight, cluster.servers, cluster.compute.roles
    about = (cluster.name, servers, cluster.domains)
    plan = role(*about, account, cluster.site, cluster.fabric.frontend, roles) if account else None
    given = granted(cluster.changes, servers, roles, plan)
    base = cluster.changes.model_dump(mode="json", exclude_defaults=True, exclude={"approve"})
    changes = {**base, **({"approve": [each.spec() for each in given]} if given else {})}
    return {"changes": changes or None, "places": places(given, sections(servers, roles, plan), at) or None}
