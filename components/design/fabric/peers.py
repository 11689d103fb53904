"""The two switches of a vPC pair, seen from one of them."""

from podwright.components.model import Pair, PairLeaf


def first(pair: Pair, name: str) -> bool:
    """Whether this peer has the lower index: primary by role priority, and active in HSRP."""
    return pair.leaves[name].index == min(leaf.index for leaf in pair.leaves.values())


def other(pair: Pair, name: str) -> tuple[str, PairLeaf]:
    """The peer of a leaf."""
    return next((key, leaf) for key, leaf in pair.leaves.items() if key != name)
