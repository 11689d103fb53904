"""The BGP process of a switch, its neighbours with everything they inherit."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .lines import Line
from .spelling import interface


@dataclass(frozen=True)
class Neighbor:
    """A BGP neighbour."""

    name: str
    line: Line
    asn: str
    bfd: Line | None
    vrf: str
    families: frozenset[str]
    """Address families that it is activated for, such as `ipv4 unicast`."""
    source: str
    """Interface whose address the session comes from (`update-source`); empty for the one towards the neighbour."""
    evpn: frozenset[str]
    """Lines of its EVPN address family."""


@dataclass(frozen=True)
class Bgp:
    """The BGP process, its neighbours of every VRF with what they inherit from templates."""

    asn: str
    line: Line
    paths: int
    """Equal-cost paths that eBGP installs in the default VRF, the least of its unicast address families."""
    paths_line: Line
    neighbors: tuple[Neighbor, ...]

    @cached_property
    def by_name(self) -> Mapping[tuple[str, str], Neighbor]:
        """Neighbours by VRF and name."""
        return {(each.vrf, each.name): each for each in self.neighbors}


def bgp(block: Line) -> Bgp:
    """Read a `router bgp` block."""
    templates = {
        line.words[2]: line for line in block.children if line.words[:1] == ("template",) and len(line.words) > 2
    }
    neighbors: list[Neighbor] = []
    paths: dict[str, tuple[int, Line]] = {}
    for scope in (block, *block.children):  # only a VRF among these has neighbours below it
        vrf = "" if scope is block else scope.words[-1]
        for line in scope.children:
            if line.words[:1] == ("neighbor",) and len(line.words) > 1:
                neighbors.append(_neighbor(line, vrf, templates))
            elif not vrf and line.words[:1] == ("address-family",) and line.words[-1] == "unicast":
                paths["".join(line.words[1:2])] = paths_of(line)
    spoken = {each.split()[0] for known in neighbors if not known.vrf for each in known.families if "unicast" in each}
    meant = [found for family, found in paths.items() if not spoken or family in spoken]
    least, at = min(meant, key=lambda found: found[0], default=(1, block))
    return Bgp(block.words[-1], block, least, at, tuple(neighbors))


def paths_of(family: Line) -> tuple[int, Line]:
    """Equal-cost paths that eBGP installs in an address family, and the line that says so."""
    found = (1, family)
    for line in family.children:
        if line.words[:1] == ("maximum-paths",) and line.words[-1].isdigit() and line.words[1] != "ibgp":
            found = (int(line.words[-1]), line)
    return found


def _neighbor(line: Line, vrf: str, templates: Mapping[str, Line]) -> Neighbor:
    lines = [line, *line.children]
    for each in line.children:
        if each.words[:1] == ("inherit",) and each.words[-1] in templates:
            lines += templates[each.words[-1]].children
    asn = next(("".join(each.words[-1:]) for each in lines if "remote-as" in each.words), "")
    bfd = next((each for each in lines if each.words[:1] == ("bfd",)), None)
    families = frozenset(" ".join(each.words[1:]) for each in lines if each.words[:1] == ("address-family",))
    source = next(("".join(each.words[1:]) for each in lines if each.words[:1] == ("update-source",)), "")
    overlay = (each for each in lines if each.words[:2] == ("address-family", "l2vpn"))
    evpn = frozenset(each.command for family in overlay for each in family.children)
    return Neighbor(line.words[1], line, asn, bfd, vrf, families, interface(source) or source, evpn)
