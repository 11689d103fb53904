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


def unused(args: FabricArgs, kind: str, pair: Pair, links: Iterable[Link]) -> frozenset[Link]:
    """Of a pair's links, those to servers without a bond there at the second peer: their one interface is on the first.

    `kind` is frontend or storage. Of machines that somebody else installs the host's side is not derived: both cables
    count.
    """
    key = "storage_macs" if kind == "storage" else "bond_mac"
    plain = {name for name, host in args.hosts.items() if isinstance(host, Server) and getattr(host, key) is None}
    return frozenset(
        link for link in links if link.role == "host" and link.peer in plain and not first(pair, link.device)
    )
