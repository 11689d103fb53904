"""What is defined about teams: a namespace each, what it may ask for, who works in it, and whom its pods reach."""

from typing import Annotated

from pydantic import Field, StringConstraints

from podwright.components.model.types import Name, Spec, Words

GroupName = Annotated[str, StringConstraints(pattern=r"^[^\s](.*[^\s])?$", max_length=253), Words("a group's name")]
"""A group as OpenShift knows it, such as one that was synchronized from a directory."""
LabelValue = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$"),
    Words('at most 63 letters, digits, dots, hyphens and underscores in quotes, such as "4711"'),
]
"""What a label of Kubernetes takes."""


class TeamGroups(Spec):
    """Directory groups by what their members may do in the team's namespace."""

    edit: tuple[GroupName, ...] = ()
    """Members may change all that is the team's, NetworkPolicies too: OpenShift's role `edit`."""
    view: tuple[GroupName, ...] = ()
    """Members may read it but for Secrets: OpenShift's role `view`."""


class DefaultRequests(Spec):
    """What a container asks for that names no request of its own; limits are nobody's default."""

    cpus: Annotated[int, Field(ge=1, le=64)]
    """CPU cores."""
    memory_gib: Annotated[int, Field(ge=1, le=512)]
    """Memory, in GiB."""


class TeamIsolation(Spec):
    """Pods of one team reach none of another, whatever NetworkPolicies are in their namespaces.

    Those are the teams' own: who may edit a namespace may delete them. An AdminNetworkPolicy for each team comes before
    them, and no team can write one. Connections to and from what is no team's are left as NetworkPolicies have them.
    """

    priority: Annotated[int, Field(ge=0, le=99)] = 50
    """Place among all AdminNetworkPolicies of the cluster: the lowest decides first. OVN-Kubernetes takes 0 to 99, and
    of two with one priority either may decide: take one that the site's own do not have."""


class Team(Spec):
    """A team: one namespace with quota, network policy and service account."""

    gpus: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Whole GPUs the team may ask for at once."""
    slices: dict[str, Annotated[int, Field(ge=0, le=1_000_000)]] = {}
    """MIG slices by profile, for example {1g.18gb: 14}."""
    shares: dict[str, Annotated[int, Field(ge=0, le=1_000_000)]] = {}
    """Shares of GPUs in pools with `sharing`, by what is shared: {gpu: 16}, or a MIG profile."""
    group: str | None = None
    """Directory group whose members may edit the namespace."""
    groups: TeamGroups = TeamGroups()
    """More groups: {edit: [ml-platform], view: [auditors]}."""
    cost_centre: LabelValue | None = None
    """Who pays for it: label `podwright.io/cost-centre` of the namespace, by which reports add up what it uses."""
    default_requests: DefaultRequests | None = None
    """What containers ask for that name no request of their own: {cpus: 1, memory_gib: 4}. Null: nothing, so that they
    are the first to be evicted, and the scheduler counts on a node for nothing. No container is refused for it."""
    tenant: Name | None = None
    """Tenant of the fabric whose rails its pods use, one of `fabric.tenancy.tenants`: its jobs run on servers of that
    tenant's leaf groups alone. Once a team has one, a team without is kept to groups that are no tenant's. Null for
    every team: pods of any team may use every rail."""
    reaches: tuple[Name, ...] = ()
    """Teams whose pods this team's may open connections to, at any port: [data]. A NetworkPolicy in each of the two
    namespaces opens it, and `openshift.team_isolation` leaves it to them."""
