"""The two switches of a vPC pair, seen from one of them."""

from collections.abc import Iterable

from podwright.components.design.fabric.model import Link
from podwright.components.model import FabricArgs, Pair, PairLeaf, Server


def first(pair: Pair, name: str) -> bool:
    """Whether this peer has the lower index: primary by role priority, and active in HSRP."""
    return pair.leaves[name].index == min(leaf.index for leaf in pair.leaves.values())


def other(pair: Pair, name: str) -> tuple[str, PairLeaf]:
    """The peer of a leaf."""
    return next((key, leaf) for key, leaf in pair.leaves.items() if key != name)


def unused(args: FabricArgs, links: Iterable[Link]) -> frozenset[Link]:
    """Of the frontend pair's links, those to servers without a bond at the second peer: their one interface is on the
    first. Of machines that somebody else installs, and of a pair for storage alone, the host's side is not derived:
    both cables count."""
    pair = args.fabric.frontend
    plain = {name for name, host in args.hosts.items() if isinstance(host, Server) and host.bond_mac is None}
    return frozenset(
        link
        for link in links
        if pair is not None and link.role == "host" and link.peer in plain and not first(pair, link.device)
    )
