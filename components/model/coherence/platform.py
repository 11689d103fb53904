"""The installation's addresses, node pools and what their servers are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from podwright.components.model.catalogue import GPUS, SERVERS, Gpu
from podwright.components.model.catalogue.mig import layout, layouts
from podwright.components.model.coherence import renamed
from podwright.components.model.coherence.compute import gpu_count, memory_gib
from podwright.components.model.coherence.inventory import Entry, chassis, once, unique
from podwright.components.model.coherence.mig_gpus import mig_gpus
from podwright.components.model.coherence.places import is_place
from podwright.components.model.compute import Server
from podwright.components.model.divided import Divided, divided
from podwright.components.model.explain import suggest
from podwright.components.model.platform import OpenShift, Pool
from podwright.components.model.problems import Loc, Problem, counted
from podwright.components.model.site import Site

CONTROL_PLANE = "control-plane"
"""The pool that every cluster has; no entry of `pools` defines it."""
STANDARD_POOLS = ("master", "worker", "arbiter")
"""Pools that the machine config operator makes itself (openshift/machine-config-operator, `IsCustomPool`)."""
RESERVED = ("default", "openshift", "kubernetes", "kueue-system")
RESERVED_PREFIXES = ("openshift-", "kube-", "nvidia-", "podwright-")


@dataclass(frozen=True)
class Installation:
    """What an installation is checked with."""

    openshift: OpenShift
    servers: Mapping[str, Server]
    site: Site


@dataclass(frozen=True)
class NodePool:
    """A pool and its servers, by name."""

    name: str
    pool: Pool
    servers: Mapping[str, Server]


def members(servers: Mapping[str, Server], pool: str) -> dict[str, Server]:
    """Servers of a pool by name."""
    return {name: server for name, server in servers.items() if server.pool == pool}


def parts(pool: Pool, server: Server) -> Divided:
    """What the GPUs of a pool's server are divided into."""
    return divided(pool, GPUS.get(server.gpus or ""), gpu_count(server))


def slices(pool: Pool, servers: Mapping[str, Server]) -> dict[str, int]:
    """MIG slices by profile that the servers of a pool offer in all."""
    total: dict[str, int] = {}
    for server in servers.values():
        for profile, count in parts(pool, server).slices.items():
            total[profile] = total.get(profile, 0) + count
    return total


def whole(pool: Pool, servers: Mapping[str, Server]) -> int:
    """GPUs of a pool's servers that MIG leaves whole."""
    return sum(parts(pool, server).whole for server in servers.values())


def laid_out(pool: Pool, servers: Mapping[str, Server]) -> bool:
    """Whether every GPU of a pool takes the pool's layout; otherwise its slices are not checked."""
    if pool.mig_gpus:
        return not list(mig_gpus(pool, servers))
    products = (GPUS.get(server.gpus) for server in servers.values() if server.gpus)
    return pool.mig is None or all(gpu is not None and layout(gpu, pool.mig) is not None for gpu in products)


def _machine_network(given: Installation) -> Iterator[Problem]:
    network = given.openshift.machine_network
    edges = (network.network_address, network.broadcast_address)
    for loc, address in addresses(given.openshift, given.servers):
        if loc[-1] == "bmc" or not isinstance(address, IPv4Address):
            continue
        if address not in network:
            yield Problem(loc, f"{address} is outside the machine network {network}", "take an address inside it")
        elif address in edges and network.prefixlen < 31:
            yield Problem(loc, f"{address} is the first or last of {network}", "take a host address")


def addresses(openshift: OpenShift | None, servers: Mapping[str, Server]) -> list[Entry]:
    """Addresses of the installation and its servers by their path."""
    own = ("gateway", "api_vip", "ingress_vip") if openshift else ()
    entries: list[Entry] = [(("openshift", key), getattr(openshift, key)) for key in own]
    for name, server in servers.items():
        entries.append((("servers", name, "address"), server.address))
        if server.bmc is not None:
            entries.append((("servers", name, "bmc"), server.bmc))
    return entries


def serials(servers: Mapping[str, Server], *, places: bool = False) -> list[Entry]:
    """Serial numbers of servers by their path, and with `places` the slots that blades are known by: where chassis are
    checked, a slot that two have is found there."""
    found = {name: each.serial for name, each in servers.items() if places or not is_place(each.serial)}
    return [(("servers", name, "serial"), serial) for name, serial in found.items()]


def _addresses(given: Installation) -> Iterator[Problem]:
    yield from once(addresses(given.openshift, given.servers))


def _serials(given: Installation) -> Iterator[Problem]:
    yield from chassis(serials(given.servers))


def _renamed(given: Installation) -> Iterator[Problem]:
    yield from renamed.servers(given.servers, (), installed=True)


def _macs(given: Installation) -> Iterator[Problem]:
    entries: list[Entry] = [
        (("servers", name, *key), mac)
        for name, server in given.servers.items()
        for key, mac in (
            (("boot_mac",), server.boot_mac),
            (("bond_mac",), server.bond_mac),
            *((("storage_macs", place), mac) for place, mac in enumerate(server.storage_macs or ())),
        )
        if mac is not None
    ]
    yield from unique(entries, "the MAC address", "every interface has one of its own")
    for loc, mac in entries:
        if set(str(mac)) <= {"0", ":"}:
            yield Problem(loc, "is the address of no interface", "read it from the server")


def _namespaces(given: Installation) -> Iterator[Problem]:
    for name in given.openshift.teams:
        yield from reserved(("openshift", "teams", name), name)


def reserved(loc: Loc, name: str) -> Iterator[Problem]:
    """A team's name becomes its namespace, which must not be one of the system's."""
    if name in RESERVED or name.startswith(RESERVED_PREFIXES):
        hint = "a team's name becomes its namespace: take another"
        yield Problem(loc, f"{name} is a namespace of the system's", hint, at_key=True)


def _name(given: NodePool) -> Iterator[Problem]:
    if given.name == CONTROL_PLANE:
        yield Problem((), "this pool exists without being defined", "delete this entry", at_key=True)
    elif given.name in STANDARD_POOLS:
        message = f"{given.name} is a pool that OpenShift makes itself"
        yield Problem((), message, "name the pool after what runs there: training, inference", at_key=True)


def _sizes(given: NodePool) -> Iterator[Problem]:
    pool, servers = given.pool, given.servers
    if pool.max_unavailable > 1 and pool.max_unavailable > len(servers):
        message = f"the pool has {counted(len(servers), 'server')}"
        yield Problem(("max_unavailable",), message, f"write 1 to {max(1, len(servers))}")
    for host, server in servers.items():
        memory = memory_gib(server)
        if memory is not None and pool.hugepages_gib >= memory:
            message = f"{host} has {memory} GiB of memory in all"
            yield Problem(("hugepages_gib",), message, "leave room for everything else")
            break


def _rails(given: NodePool) -> Iterator[Problem]:
    for host, server in given.servers.items() if given.pool.rails else ():
        model = SERVERS.get(server.model)
        if model is None:
            continue
        if not model.rails:
            message = f"pool {given.name} has rails, {model.name} has no rail NICs"
            yield Problem(("servers", host, "pool"), message, "take another pool, or another model")
        elif server.group is None:
            message = f"pool {given.name} has rails; the leaf group its rails are cabled to is missing"
            yield Problem(("servers", host), message, "add `group:` with the group of its leaves")


def _ports(given: NodePool) -> Iterator[Problem]:
    """A policy selects a rail's NICs on every node of the pool: one address is one rail's there."""
    rails: dict[str, tuple[int, str]] = {}
    for host, server in given.servers.items() if given.pool.rails else ():
        model = SERVERS.get(server.model)
        if model is None or server.group is None:
            continue
        for rail, address in ({nic.rail: nic.pci for nic in model.rails} | server.nics).items():
            first, other = rails.setdefault(address, (rail, host))
            if first != rail and other != host:
                message = f"{address} is rail {first} of {other}: in pool {given.name} one address is one rail's"
                own = str(rail) in map(str, server.nics)
                place = ("servers", host, "nics", str(rail)) if own else ("servers", host)
                yield Problem(place, message, "give servers that are built otherwise a pool of their own")


def _mig(given: NodePool) -> Iterator[Problem]:
    """A layout holds for every GPU of the pool, so every GPU of the pool must know it."""
    pool, servers = given.pool, given.servers
    yield from mig_gpus(pool, servers)
    if pool.mig is None:
        return
    products: dict[str, Gpu] = {each.gpus: GPUS[each.gpus] for each in servers.values() if each.gpus in GPUS}
    if servers and not products:
        yield Problem(("mig",), f"no server of pool {given.name} has a GPU", "write null, or give its servers `gpus`")
    for product, gpu in products.items():
        if not gpu.mig:
            yield Problem(("mig",), f"{product} has no MIG", "write null: its GPUs stay whole")
        elif layout(gpu, pool.mig) is None:
            known = layouts(gpu)
            hint = suggest(pool.mig, known) or f"layouts of {product}: {', '.join(known)}"
            yield Problem(("mig",), f"{product} has no layout {pool.mig}", hint)


def _initiators(given: NodePool) -> Iterator[Problem]:
    """Trident attaches by NVMe over TCP and no other (https://docs.netapp.com/us-en/trident/trident-use/ontap-san.html)."""
    wanted = given.pool.block_storage
    if wanted is None:
        return
    loc = ("block_storage", "protocols")
    if wanted.array == "netapp-ontap" and "nvme-rdma" in wanted.protocols:
        yield Problem(loc, "NetApp's driver has no NVMe over RDMA", "write nvme-tcp")
    if len(set(wanted.protocols)) < len(wanted.protocols):
        yield Problem(loc, "a protocol is named twice", "name each once")


OPENSHIFT = (_machine_network, _macs, _namespaces)
OPENSHIFT_ALONE = (_addresses, _serials, _renamed)
"""For an installation by itself; in a file the switches' own are compared with these."""
POOL = (_name, _sizes, _rails, _ports, _mig, _initiators)
