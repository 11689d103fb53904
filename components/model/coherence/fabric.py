"""The backend: models, rails, port arithmetic."""

import re
from collections.abc import Iterator
from dataclasses import replace

from podwright.components.model.catalogue import CAGES, REFUSED_SWITCHES, SERVERS, SWITCHES
from podwright.components.model.catalogue.switches import lacking, nearest
from podwright.components.model.coherence import compute
from podwright.components.model.coherence.references import switches
from podwright.components.model.compute import Server
from podwright.components.model.fabric import Leaf
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem, below

_LINKS: Loc = ("fabric", "links_per_pair")
_LAST_LINK = 127
TRAINS = ("9.3", "10.1", "10.2", "10.3", "10.4", "10.5", "10.6")
"""Release trains of the Nexus 9000 with Cloud Scale models of the catalogue (Cisco's release notes)."""
LAST_RAIL = 7
"""A leaf's address block has room for eight rails, and no server in the catalogue has more."""


def _models(args: FabricArgs) -> Iterator[Problem]:
    for loc, switch in switches(args).items():
        if switch.model in SWITCHES:
            continue
        refused = REFUSED_SWITCHES.get(switch.model)
        close = () if refused else nearest(switch.model)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(SWITCHES)}"
        yield Problem((*loc, "model"), f"{switch.model} {refused or 'is not in the switch catalogue'}", hint)


def _release(args: FabricArgs) -> Iterator[Problem]:
    """A release of a train there is: its commands, defaults and limits are what everything here was read from."""
    train = args.fabric.release.partition("(")[0]
    if train not in TRAINS:
        hint = f"write a release of {', '.join(TRAINS)}, as `show version` prints it: 10.4(5)"
        yield Problem(("fabric", "release"), f"NX-OS {train} is no release train that is known here", hint)


def groups(args: FabricArgs) -> dict[int, list[str]]:
    """Leaves by leaf group."""
    found: dict[int, list[str]] = {}
    for name, leaf in args.fabric.leaves.items():
        found.setdefault(leaf.group, []).append(name)
    return found


def _rails(args: FabricArgs) -> Iterator[Problem]:
    """Each group carries each rail once; a server's NIC must know its one leaf."""
    for group, names in groups(args).items():
        carried: dict[int, str] = {}
        for name in names:
            for position, rail in enumerate(args.fabric.leaves[name].rails):
                loc = ("fabric", "leaves", name, "rails", position)
                if rail > LAST_RAIL:
                    yield Problem(loc, f"rail {rail} does not exist", f"rails are 0 to {LAST_RAIL}")
                elif rail in carried:
                    message = f"rail {rail} of group {group} is carried by {carried[rail]} already"
                    yield Problem(loc, message, "each group carries each rail once")
                carried.setdefault(rail, name)


def _servers_rails(args: FabricArgs) -> Iterator[Problem]:
    """The rails of a group are those of its servers."""
    members = groups(args)
    reported: set[tuple[int, str]] = set()
    for name, server in args.hosts.items():
        model = SERVERS.get(server.model)
        if server.group not in members or model is None or not model.rails:
            continue
        carried = {rail for leaf in members[server.group] for rail in args.fabric.leaves[leaf].rails}
        lacking = sorted({nic.rail for nic in model.rails} - carried)
        if lacking and (server.group, model.name) not in reported:
            reported.add((server.group, model.name))
            listed = ", ".join(str(rail) for rail in lacking)
            message = f"{model.name} has rails that no leaf of group {server.group} carries: {listed}"
            hint = f"add them to `rails` of {' or '.join(members[server.group])}"
            yield Problem(("hosts", name, "group"), message, hint)


def _leaf_ports(args: FabricArgs) -> Iterator[Problem]:
    """Host ports fill the lower half of a leaf, uplinks the upper one."""
    fabric = args.fabric
    for name, leaf in fabric.leaves.items():
        model = SWITCHES.get(leaf.model)
        if model is None:
            continue
        half = model.ports // 2
        parts = max(model.groups[0].parts(_nic_speed(args, leaf) or 0), 1)
        for host, server in args.hosts.items():
            last = server.index * len(leaf.rails)
            if server.group == leaf.group and last > half * parts:
                message = f"index {server.index} with {len(leaf.rails)} rails needs host port {last} of {name}"
                most = half * parts // len(leaf.rails)
                hint = f"{model.name} has {half * parts} host ports: at most index {most} here"
                yield Problem(("hosts", host, "index"), message, hint)
        for spine_name, spine in fabric.spines.items():
            last = half + spine.index * fabric.links_per_pair
            if last > model.ports:
                message = f"{fabric.links_per_pair} links to {spine_name} need port {last} of {name} ({model.name})"
                hint = f"at most {(model.ports - half) // spine.index} links per pair with spine index {spine.index}"
                yield Problem(_LINKS, message, hint, cause=_LINKS)
                break


def _links(args: FabricArgs) -> Iterator[Problem]:
    """A rail's /24 at a leaf holds 128 links of routed host ports, number 0 unused: the next one is another rail's."""
    for name, server in args.hosts.items() if args.fabric.host_ports == "routed" else ():
        if server.group is not None and server.index > _LAST_LINK:
            message = f"index {server.index} is beyond the last link of a rail, {_LAST_LINK}: its ports route"
            yield Problem(("hosts", name, "index"), message, f"write {_LAST_LINK} at most, or host_ports: access")


def _spine_ports(args: FabricArgs) -> Iterator[Problem]:
    """One leaf too many is its index; several are the links that each of them takes."""
    fabric = args.fabric
    found: dict[str, Problem] = {}
    for spine_name, spine in fabric.spines.items():
        model = SWITCHES.get(spine.model)
        for name, leaf in fabric.leaves.items() if model else ():
            last = leaf.index * fabric.links_per_pair
            if model and last > model.ports and name not in found:
                loc = ("fabric", "leaves", name, "index")
                message = f"index {leaf.index} with {fabric.links_per_pair} links needs port {last} of {spine_name}"
                hint = f"{model.name} has {model.ports} ports: at most index {model.ports // fabric.links_per_pair}"
                found[name] = Problem(loc, message, hint)
    yield from (replace(each, cause=_LINKS) for each in found.values()) if len(found) > 1 else found.values()


def _speeds(args: FabricArgs) -> Iterator[Problem]:
    """Both ends of a cable run at one speed."""
    spines = [SWITCHES[each.model] for each in args.fabric.spines.values() if each.model in SWITCHES]
    for name, leaf in args.fabric.leaves.items():
        loc: Loc = ("fabric", "leaves", name, "model")
        model = SWITCHES.get(leaf.model)
        if model is None or not spines:
            continue
        down, up = model.groups[0], model.gbps(model.ports // 2 + 1)
        wanted = _nic_speed(args, leaf)
        if wanted and not down.parts(wanted):
            message = f"host ports run at {down.gbps} Gb/s, the servers' NICs at {wanted} Gb/s"
            needed = sum(len(leaf.rails) for each in args.hosts.values() if each.group == leaf.group)
            hint = lacking(model.name, needed, wanted) or f"take leaves whose host ports are {wanted}G"
            yield Problem(loc, message, hint)
        if up != spines[0].gbps(1):
            message = f"uplinks run at {up} Gb/s, the spines' ports at {spines[0].gbps(1)} Gb/s"
            yield Problem(loc, message, "take leaves and spines of one speed")


def _nic_speed(args: FabricArgs, leaf: Leaf) -> int | None:
    """What the NICs of a leaf's servers run at: their own speed, or what is defined for host ports."""
    models = (SERVERS.get(each.model) for each in args.hosts.values() if each.group == leaf.group)
    own = next((model.rails[0].gbps for model in models if model and model.rails), None)
    return args.fabric.host_gbps or own if own else None


def _host_speed(args: FabricArgs) -> Iterator[Problem]:
    """A NIC runs at the speeds of its receptacle."""
    gbps = args.fabric.host_gbps
    for name, server in args.hosts.items() if gbps else ():
        model = SERVERS.get(server.model)
        if model is None or server.group is None or not model.rails:
            continue
        speeds = [each for each in CAGES[model.rails[0].cage].speeds if each <= model.rails[0].gbps]
        if gbps not in speeds:
            listed = " or ".join(map(str, speeds))
            message = f"the NICs of {name} ({model.name}) run at {listed} Gb/s, not at {gbps}"
            yield Problem(("fabric", "host_gbps"), message, f"write {min(speeds)}, or leave it out")
            return


def _equal_paths(args: FabricArgs) -> Iterator[Problem]:
    """A leaf uses every uplink at once, or paid for some that carry nothing."""
    fabric = args.fabric
    uplinks, paths = len(fabric.spines) * fabric.links_per_pair, fabric.underlay.maximum_paths
    if paths < uplinks:
        message = f"{paths} equal-cost paths leave {uplinks - paths} of a leaf's {uplinks} uplinks idle"
        yield Problem(("fabric", "underlay", "maximum_paths"), message, f"write {uplinks} or more")


def _hosts(args: FabricArgs) -> Iterator[Problem]:
    """Machines that somebody else installs; a server of this cluster is checked by itself."""
    for name, host in args.hosts.items():
        if not isinstance(host, Server):
            for check in compute.HOST:
                yield from below(("hosts", name), check(host))


def _extra_ports(args: FabricArgs) -> Iterator[Problem]:
    """Raw blocks name single ports that the model has: a range is typed, and never shown by a switch."""
    known = {str(loc[-1]): switch for loc, switch in switches(args).items()}
    for name, blocks in args.fabric.extra.items():
        model = SWITCHES.get(known[name].model) if name in known else None
        for line in blocks:
            found = re.fullmatch(r"interface (?:Ethernet|Eth|ethernet) ?1/([\d,/-]+)", line)
            if found is None or model is None:
                continue
            loc = ("fabric", "extra", name, line)
            last = max(int(each) for each in re.findall(r"(?:^|[-,])(?:1/)?(\d+)", found[1]))
            if model.gbps(last) is None:
                hint = f"{model.name} has Ethernet1/1 to Ethernet1/{model.ports}"
                yield Problem(loc, f"{name} has no Ethernet1/{last}", hint, at_key=True)
            elif not re.fullmatch(r"interface Ethernet1/\d+(/\d)?", line):
                hint = "write one block per port, as a running-config does: interface Ethernet1/1"
                yield Problem(loc, "is no single port in the switch's own spelling", hint, at_key=True)


def _no_peer_links(args: FabricArgs) -> Iterator[Problem]:
    """The backend is routed: its redundancy is ECMP, and a peer link would be a way round it."""
    for name, blocks in args.fabric.extra.items():
        if name not in args.fabric.spines and name not in args.fabric.leaves:
            continue
        for line, children in blocks.items():
            if "vpc peer-link" in children or line.startswith("vpc domain"):
                loc = ("fabric", "extra", name, line)
                yield Problem(loc, f"{name} is a backend switch, which has no vPC", "vPC belongs to fabric.frontend")


FABRIC = (
    _models,
    _release,
    _hosts,
    _rails,
    _servers_rails,
    _leaf_ports,
    _links,
    _spine_ports,
    _speeds,
    _host_speed,
    _equal_paths,
    _extra_ports,
    _no_peer_links,
)
