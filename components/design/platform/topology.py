"""Where a server is, as node labels: what Kueue keeps jobs together by, and replicas of a service are spread over."""

from collections.abc import Mapping

from podwright.components.design.platform.names import GROUP_LABEL, RACK_LABEL, TENANT_LABEL, Manifest
from podwright.components.model import Server, Tenants

HOST_LABEL = "kubernetes.io/hostname"
_SHORT = {GROUP_LABEL: "group", RACK_LABEL: "rack", HOST_LABEL: "host"}


def levels(servers: Mapping[str, Server]) -> tuple[str, ...]:
    """Node labels from the largest part to one server: leaf groups where every server of the pool is on rails.

    A node without the label of some level is none that Kueue places on. A leaf group is the part within which rails are
    one switch apart; its racks fail by themselves.
    """
    grouped = bool(servers) and all(server.group is not None for server in servers.values())
    return (*((GROUP_LABEL,) if grouped else ()), RACK_LABEL, HOST_LABEL)


def placed(node: Manifest, servers: Mapping[str, Server], tenants: Tenants | None, *, racked: bool) -> Manifest:
    """A node with labels beyond those of every pool: of its tenant, and its rack where jobs or services go by it."""
    meta = node["metadata"]
    tenant = tenants.nodes.get(meta["name"]) if tenants else None
    labels = {
        **meta["labels"],
        **({TENANT_LABEL: tenant} if tenant else {}),
        **({RACK_LABEL: servers[meta["name"]].rack} if racked else {}),
    }
    return {**node, "metadata": {**meta, "labels": labels}}


def short(label: str) -> str:
    """A level in a name."""
    return _SHORT[label]
