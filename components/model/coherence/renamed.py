"""Devices under a new name: the former one is free, and nobody else's former one."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.inventory import Entry, unique
from podwright.components.model.coherence.references import switches
from podwright.components.model.compute import Server
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Loc, Problem

Renamed = tuple[Loc, str | None]
"""An entry, and the name that it had."""


def renamed(entries: Iterable[Renamed], taken: Collection[str]) -> Iterator[Problem]:
    """What is wrong with the former names of entries; `taken` are the names of all devices."""
    written = [((*loc, "renamed_from"), former) for loc, former in entries if former is not None]
    for loc, former in written:
        if former == loc[-2]:
            yield Problem(loc, f"{former} is its name already", "delete this line, or write the name that it had")
        elif former in taken:
            message = f"{former} is the name of another device, which would be taken for it"
            hint = "delete this line once the rename is done; names that change places go by way of one that is free"
            yield Problem(loc, message, hint)
    yield from unique(written, "the former name", "a device is renamed to one name")


def former_names(args: FabricArgs) -> dict[str, str]:
    """By hostname, the names that switches had."""
    return {str(loc[-1]): switch.renamed_from for loc, switch in switches(args).items() if switch.renamed_from}


def _switches(args: FabricArgs) -> Iterator[Problem]:
    found = switches(args)
    taken = {str(loc[-1]) for loc in found} | {*args.hosts, *args.domains}
    yield from renamed(((loc, switch.renamed_from) for loc, switch in found.items()), taken)


def servers(found: Mapping[str, Server], others: Collection[str], *, installed: bool) -> Iterator[Problem]:
    """Former names of servers, and the names that stay; `others` are the names of all other devices."""
    entries = ((("servers", name), each.renamed_from) for name, each in found.items())
    yield from renamed(entries, {*found, *others})
    own: list[Entry] = [(("servers", name), name) for name, each in found.items() if not each.object_name]
    object_names: list[Entry] = [
        (("servers", name, "object_name"), each.object_name) for name, each in found.items() if each.object_name
    ]
    yield from unique([*own, *object_names], "the name", "a node has a name of its own")
    for name, server in found.items():
        yield from _identity(name, server, installed=installed)


def _identity(name: str, server: Server, *, installed: bool) -> Iterator[Problem]:
    """What has a server's name and cannot be renamed: its Node, and the policy by which a blade boots."""
    model, former = SERVERS.get(server.model), server.renamed_from
    blade = model is not None and (server.domain is not None or model.platform == "FIAttached")
    if former is None or server.object_name is not None or not (installed or blade):
        return
    what = "Node" if installed else "LAN connectivity policy"
    hint = (
        f"write `object_name: {former}` beside it, which stays; or take {former} out in one update and add {name} in "
        f"the next, which installs it anew"
    )
    message = f"{former} is the name of a {what} too, and that cannot change"
    yield Problem(("servers", name, "renamed_from"), message, hint)


def _of_file(cluster: Cluster) -> Iterator[Problem]:
    others = {*(str(loc[-1]) for loc in switches(cluster.network)), *cluster.hosts, *cluster.domains}
    yield from servers(cluster.servers, others, installed=cluster.openshift is not None)


FABRIC = (_switches,)
CLUSTER = (_of_file,)
