"""Where a workload may run: its pool, and within it the servers whose GPUs and rails it can use."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from podwright.components.design.platform.names import GROUP_LABEL, POOL_LABEL
from podwright.components.model import Server

PRODUCT_LABEL = "nvidia.com/gpu.product"
"""Set by GPU feature discovery: the product name NVML prints, with dashes."""


@dataclass(frozen=True)
class Place:
    """Node labels a pod selects by, and one of the servers that carry them."""

    selector: dict[str, str]
    server: Server


def training(
    servers: Mapping[str, Server], pool: str, nodes: int, *, spans: bool = False, least: int | None = None
) -> Place:
    """A gang's place among its pool's servers: one product, one leaf group, the lowest group with enough of them.

    With `spans` any leaf groups where no one has enough. With `least` a place for so many will do, and the one for the
    most of them is taken. Raises ValueError where there is no place; coherence has refused such files.
    """
    for count in range(nodes, (nodes if least is None else least) - 1, -1):
        if (place := _place(servers, pool, count, spans=spans)) is not None:
            return place
    raise ValueError(f"pool {pool} has no {nodes} alike servers in one leaf group")


def _place(servers: Mapping[str, Server], pool: str, nodes: int, *, spans: bool) -> Place | None:
    members = servers.values()
    counts = Counter((server.group or 0, server.gpus or "") for server in members)
    for (group, product), count in sorted(counts.items()):
        if count >= nodes:
            server = next(each for each in members if (each.group or 0, each.gpus or "") == (group, product))
            groups = {GROUP_LABEL: str(group)} if group else {}
            return Place({POOL_LABEL: pool, **groups, **_product(product)}, server)
    products = Counter(server.gpus or "" for server in members) if spans else {}
    for product, count in sorted(products.items()):
        if count >= nodes:
            server = next(each for each in members if (each.gpus or "") == product)
            return Place({POOL_LABEL: pool, **_product(product)}, server)
    return None


def queued(
    servers: Mapping[str, Server], pool: str, nodes: int, *, bound: bool, spans: bool, least: int | None = None
) -> Place:
    """A gang's place where Kueue chooses the servers: one product, and with `bound` one leaf group already.

    Raises ValueError as `training` does.
    """
    place = training(servers, pool, nodes, spans=spans, least=least)
    return place if bound else Place({k: v for k, v in place.selector.items() if k != GROUP_LABEL}, place.server)


def serving(servers: Mapping[str, Server], pool: str) -> Place:
    """A service's place: the pool, and its GPU product where there is only one."""
    members = list(servers.values())
    products = {server.gpus or "" for server in members}
    return Place({POOL_LABEL: pool, **(_product(products.pop()) if len(products) == 1 else {})}, members[0])


def _product(product: str) -> dict[str, str]:
    return {PRODUCT_LABEL: product} if product else {}
