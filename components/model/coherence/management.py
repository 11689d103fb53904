"""Management controllers: addresses for the servers that need them, users and receivers that exist."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import IPv4Address, ip_address

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import inventory
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Domain, Intersight, Server
from podwright.components.model.management import Addresses, ConsoleSnmp, Directory
from podwright.components.model.pair import Pair
from podwright.components.model.problems import Loc, Problem, counted, dotted

NO_DOMAINS: Mapping[str, Domain] = {}
_MOST = 1024
"""Addresses of a block (Intersight API, ippool.IpV4Block.Size)."""
_BLOCK = 256
"""UUIDs of a block."""
_HERE: Loc = ("intersight", "management")
_POOL: Loc = (*_HERE, "addresses")


def attached(servers: Mapping[str, Server]) -> list[str]:
    """Servers behind Fabric Interconnects, by host name."""
    return [name for name, server in servers.items() if server.domain is not None or _blade(server)]


def _blade(server: Server) -> bool:
    model = SERVERS.get(server.model)
    return model is not None and model.platform == "FIAttached"


def management_problems(
    account: Intersight,
    cluster: str,
    servers: Mapping[str, Server],
    frontend: Pair | None,
    domains: Mapping[str, Domain] = NO_DOMAINS,
) -> list[Problem]:
    """Contradictions of `intersight.management`; `cluster` is what the names of all other objects begin with."""
    management, blades = account.management, attached(servers)
    boxes = sum(each.profile is not None for domain in domains.values() for each in domain.chassis.values())
    found: list[Problem] = []
    if management.addresses is None and blades:
        found.append(_without_addresses(blades))
    if management.addresses is not None:
        found += [*_shape(management.addresses), *_size(management.addresses, len(blades), boxes)]
        found += _inband(management.addresses, frontend)
    found += [*_names(management.users, cluster), *_uuids(account, servers)]
    if management.snmp is not None:
        found += _snmp(management.snmp)
    if management.ldap is not None:
        found += _bind(management.ldap)
    return found


def _without_addresses(blades: list[str]) -> Problem:
    listed = ", ".join(blades[:3]) + (f" and {len(blades) - 3} more" if len(blades) > 3 else "")
    message = f"{listed}: a server behind Fabric Interconnects has no virtual media, KVM or syslog without an address"
    hint = "add management: {addresses: 192.0.2.64-95/24}, with addresses that nothing else uses"
    return Problem(("intersight",), message, hint, at_key=True)


def _shape(pool: Addresses) -> Iterator[Problem]:
    ends = (pool.network.network_address, pool.network.broadcast_address)
    for address in {pool.first: None, pool.last: None}:
        if address not in pool.network or address in ends:
            yield Problem((*_POOL, "range"), f"{address} is no host of {pool.network}", "take addresses of the network")
    gateway = pool.gateway or pool.network[1]
    if pool.gateway is not None and (gateway not in pool.network or gateway in ends):
        yield Problem((*_POOL, "gateway"), f"{gateway} is no host of {pool.network}", "write the network's gateway")
    if pool.last < pool.first:
        yield Problem((*_POOL, "range"), f"{pool.last} stands before {pool.first}", "write the two the other way round")
    elif pool.first <= gateway <= pool.last:
        yield Problem((*_POOL, "range"), f"the pool holds the gateway {gateway}", "begin after it, or end before it")


def _size(pool: Addresses, blades: int, boxes: int) -> Iterator[Problem]:
    size, needed = int(pool.last) - int(pool.first) + 1, blades + boxes
    if 0 < size < needed:
        more = f" and {boxes} chassis" if boxes else ""
        message = f"{size} addresses for {counted(blades, 'server')}{more} behind Fabric Interconnects"
        yield Problem((*_POOL, "range"), message, f"end it with {pool.first + needed - 1} or later")
    if size > _MOST:
        yield Problem((*_POOL, "range"), f"{size} addresses: a pool has at most {_MOST}", "take fewer")


def _inband(pool: Addresses, frontend: Pair | None) -> Iterator[Problem]:
    ids = [vlan.id for vlan in frontend.vlans.values()] if frontend is not None else []
    if pool.vlan is not None and frontend is not None and pool.vlan not in ids:
        message = f"VLAN {pool.vlan} is none of the frontend, whose interconnects would have to bring it"
        known = ", ".join(map(str, sorted(ids)))
        yield Problem((*_POOL, "vlan"), message, f"add it to fabric.frontend.vlans; there are {known}")


def _uuids(account: Intersight, servers: Mapping[str, Server]) -> Iterator[Problem]:
    """A pool of UUIDs has takers, and ends where UUIDs do."""
    if account.uuids is None:
        return
    count = sum(not servers[name].own_uuid for name in attached(servers))
    if not count:
        message = "no server takes a UUID of it: those behind Fabric Interconnects do, without own_uuid"
        yield Problem(("intersight", "uuids"), message, "delete this section", at_key=True)
    if int(account.uuids.first.replace("-", ""), 16) + _BLOCK * -(-count // _BLOCK) > 1 << 64:
        message = f"fewer than the {_BLOCK} UUIDs of a block are left after this one"
        yield Problem(("intersight", "uuids", "first"), message, "begin with 0000-000000000001")


def _names(users: Iterable[str], cluster: str) -> Iterator[Problem]:
    """A user's object has the name that one logs in with; every other object begins with the cluster's."""
    for name in users:
        if name.startswith(f"{cluster}-"):
            message = f"names that begin with {cluster}- are those of the cluster's own objects in Intersight"
            yield Problem((*_HERE, "users", name), message, "call the user something else", at_key=True)


def _snmp(settings: ConsoleSnmp) -> Iterator[Problem]:
    place = (*_HERE, "snmp")
    if "admin" in settings.users:
        message = "Intersight keeps the SNMP user admin for itself"
        yield Problem((*place, "users", "admin"), message, "call the user something else", at_key=True)
    for position, trap in enumerate(settings.traps):
        yield from reference((*place, "traps", position, "user"), trap.user, settings.users, "SNMP user", "snmp.users")


def _bind(directory: Directory) -> Iterator[Problem]:
    place = (*_HERE, "ldap")
    if directory.bind_dn is not None and directory.bind_password is None:
        yield Problem((*place, "bind_dn"), "has no password", "add bind_password with the name of a secret")
    if directory.bind_dn is None and directory.bind_password is not None:
        yield Problem((*place, "bind_password"), "is the password of nobody", "add bind_dn, or delete this line")


def taken_problems(pool: Addresses, addresses: Collection[tuple[Loc, object]]) -> Iterator[Problem]:
    """Addresses of devices that the pool would give to others."""
    for loc, value in addresses:
        address = ip_address(str(value))
        if isinstance(address, IPv4Address) and pool.first <= address <= pool.last:
            message = f"the pool holds {address}, which is that of {dotted(loc)}"
            yield Problem((*_POOL, "range"), message, "leave it out of the range", refers=(loc,))


def _cluster(cluster: Cluster) -> Iterator[Problem]:
    if cluster.intersight is None:
        return
    frontend = cluster.network.fabric.frontend
    yield from management_problems(cluster.intersight, cluster.name, cluster.servers, frontend, cluster.domains)
    if (pool := cluster.intersight.management.addresses) is not None:
        controllers = [(("servers", name, "bmc"), each.bmc) for name, each in cluster.servers.items() if each.bmc]
        yield from taken_problems(pool, [*inventory.management(cluster.network), *controllers])


CLUSTER = (_cluster,)
