"""What one component hands another, and the two contradict each other in: in a file such things stand side by side."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from podwright.components.model.catalogue import GPUS
from podwright.components.model.coherence import certificates, compute, inventory, places, platform, renamed
from podwright.components.model.coherence.addresses import networks
from podwright.components.model.coherence.inventory import management
from podwright.components.model.coherence.platform import reserved
from podwright.components.model.coherence.references import reference
from podwright.components.model.coherence.settings import settings_problems
from podwright.components.model.compute import Domain, Server
from podwright.components.model.effective import NO_ROLES, Roles
from podwright.components.model.explain import suggest
from podwright.components.model.handover import FabricPaths, RailNetworks, RailPool
from podwright.components.model.network import FabricArgs
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, below, counted
from podwright.components.model.teams import Team
from podwright.components.model.workloads import Acceptance, Inference, Training

SHARES = "shares."
"""Begins what a team asks for by the share."""


def beside_problems(args: FabricArgs) -> list[Problem]:
    """Addresses of a fabric that another fabric of the site, one of `beside`, has already."""
    found = []
    for other in args.beside:
        for loc, network in networks(args).items():
            if network.overlaps(other.networks.reach):
                message = f"{network} overlaps {other.networks.reach}, the rails behind {', '.join(other.switches)}"
                found.append(Problem(loc, message, "take a network of its own"))
        taken = {address: name for name, address in other.switches.items()}
        for loc, address in management(args):
            if str(address) in taken:
                message = f"the address {address} is taken by {taken[str(address)]} of another fabric"
                found.append(Problem(loc, message, "give each device an address of its own"))
    return found


def servers_problems(servers: Mapping[str, Server]) -> list[Problem]:
    """Contradictions of each server."""
    return [
        problem
        for name, server in servers.items()
        for check in (*compute.SERVER, *places.SERVER)
        for problem in below(("servers", name), check(server))
    ]


def role_problems(
    servers: Mapping[str, Server], domains: Mapping[str, Domain], roles: Roles = NO_ROLES
) -> list[Problem]:
    """Contradictions of the servers and interconnects that share policies, and of the roles they take settings from."""
    pairs = [
        problem
        for name, domain in domains.items()
        for check in compute.DOMAIN
        for problem in below(("domains", name), check(domain))
    ]
    return [
        *servers_problems(servers),
        *settings_problems(servers, roles),
        *pairs,
        *places.place_problems(servers, domains),
        *certificates.certificate_problems(servers),
        *inventory.chassis([*inventory.pairs(domains), *platform.serials(servers, places=True)]),
        *inventory.once(platform.addresses(None, servers)),
        *renamed.servers(servers, domains, installed=False),
    ]


def members_problems(
    pool: str, servers: Mapping[str, Server], digests: Collection[str], machines: Collection[str]
) -> list[Problem]:
    """A pool's servers are its own; each has a machine, and a digest by which a roll-out knows that something waits."""
    handed = (("digests", "digest", digests), ("machines", "urn", machines))
    found = list(servers_problems(servers))
    for name, server in servers.items():
        if server.pool != pool:
            message = f"is of pool {server.pool}, and this pool is {pool}"
            found.append(Problem(("servers", name, "pool"), message, "hand over the servers of this pool alone"))
        for key, output, given in handed:
            if name not in given:
                hint = f"hand over `{output}` of its ServerProfile or RedfishServer"
                found.append(Problem((key, name), "is missing", hint))
    for key, _, given in handed:
        for name in given:
            found += reference((key, name), name, servers, "server", "servers")
    return found


def team_problems(name: str) -> list[Problem]:
    """A team's name becomes its namespace."""
    return list(reserved(("team",), name))


def rails_problems(pools: Sequence[RailPool], carried: RailNetworks) -> list[Problem]:
    """Rails that a pool's servers have NICs for, and the fabric that was handed over does not carry."""
    known = {(each.group, each.rail) for each in carried.rails}
    linked = {(node, each.rail) for each in carried.rails for node in each.hosts}
    found = []
    for number, pool in enumerate(pools):
        apart = [node for node, nics in pool.addresses.items() if any((node, rail) not in linked for rail in nics)]
        if carried.routed and apart:
            message = f"{', '.join(apart)} of pool {pool.name} have no link of their own on this fabric"
            hint = "hand over `paths.between(nodes).networks` of the fabric that they are cabled to"
            found.append(Problem(("pools", number), message, hint))
        wanted = {(group, nics.rail) for group in pool.groups for nics in pool.nics}
        for group in sorted({group for group, _ in wanted - known}):
            missing = ", ".join(str(rail) for of, rail in sorted(wanted - known) if of == group)
            message = f"pool {pool.name} has rails {missing} in leaf group {group}, which this fabric does not carry"
            hint = "hand over `paths.networks` of the fabric that its servers are cabled to"
            found.append(Problem(("pools", number), message, hint))
    return found


def products_problems(products: Iterable[str]) -> list[Problem]:
    """GPU products that nobody knows."""
    hint = "write the product as nvidia-smi prints it, spaces as dashes: " + ", ".join(GPUS)
    return [
        Problem(("products", number), f"{each} is no GPU of the catalogue", suggest(each, tuple(GPUS)) or hint)
        for number, each in enumerate(products)
        if each not in GPUS
    ]


def measured_problems(section: Acceptance, paths: FabricPaths, pools: Sequence[RailPool]) -> list[Problem]:
    """Servers of rail pools are cabled to the fabric, and a leaf group has as many as one test takes."""
    cabled = {each.server: each.group for each in paths.ports}
    found = []
    for number, pool in enumerate(pools):
        apart = [node for node in pool.nodes if node not in cabled] if pool.nics else []
        if apart:
            message = f"{', '.join(apart)} of pool {pool.name} hang on no leaf of this fabric"
            hint = "hand over `paths` of the fabric that they are cabled to"
            found.append(Problem(("pools", number), message, hint))
    groups = Counter(cabled.values())
    if groups and any(pool.nics for pool in pools):
        found += below(("section",), senders(section, max(groups.values())))
    return found


def senders(section: Acceptance, largest: int) -> Iterator[Problem]:
    """The receiver and its senders are different servers of one leaf group; the largest has `largest`."""
    if section.enabled and section.fan_in > largest - 1:
        message = f"{section.fan_in} senders and a receiver; the largest leaf group has {counted(largest, 'server')}"
        hint = f"write {largest - 1}" if largest >= 3 else "set acceptance.enabled to false"
        yield Problem(("fan_in",), message, hint)


def quota_problems(name: str, team: Team, asked: Mapping[str, int]) -> Iterator[Problem]:
    """What a team runs, GPUs, slices by profile or shares, fits what it may ask for; otherwise its pods never start."""
    for what, count in asked.items():
        allowed = _allowed(team, what)
        if count > allowed:
            key = what if what == "gpus" or what.startswith(SHARES) else f"slices.{what}"
            message = f"{name} runs {count} x {what}, its quota is {allowed}"
            yield Problem(_quota_loc(what, allowed), message, f"raise {key} to {count}")


def _allowed(team: Team, what: str) -> int:
    if what.startswith(SHARES):
        return team.shares.get(what.removeprefix(SHARES), 0)
    return team.gpus if what == "gpus" else team.slices.get(what, 0)


def asked(service: Inference, pool: Pool | None) -> str:
    """What a service counts against in its team's quota: `gpus`, a MIG profile, or `shares.` and what is shared."""
    if pool is not None and pool.sharing is not None:
        return f"{SHARES}{service.slice or 'gpu'}"
    return service.slice or "gpus"


def _served(service: Inference) -> int:
    """GPUs, slices or shares that a service takes, with both versions."""
    return (service.most + (service.canary.replicas if service.canary else 0)) * service.gpus


def _quota_loc(what: str, allowed: int) -> Loc:
    if what == "gpus":
        return ("gpus",)
    if what.startswith(SHARES):
        return ("shares", what.removeprefix(SHARES)) if allowed else ("shares",)
    return ("slices", what) if allowed else ("slices",)


def run_problems(
    job: Training | Inference, servers: Mapping[str, Server], owner: Team | None, pool: Pool | None = None
) -> list[Problem]:
    """One workload by itself: the servers are those of its pool, and its team may ask for what it takes."""
    pools = sorted({server.pool for server in servers.values()})
    found: list[Problem] = []
    if pools and job.pool not in pools:
        found += reference(("section", "pool"), job.pool, pools, "pool", "pools")
    elif len(pools) > 1:
        hint = f"hand over the servers of pool {job.pool} alone"
        found += [
            Problem(("servers", name, "pool"), f"is of pool {server.pool}, and this runs on {job.pool}", hint)
            for name, server in servers.items()
            if server.pool != job.pool
        ]
    if owner is not None:
        takes = {"gpus": job.least * job.gpus} if isinstance(job, Training) else {asked(job, pool): _served(job)}
        found += below(("owner",), quota_problems(job.team, owner, takes))
    return found
