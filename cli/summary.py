"""One screen per stack: what a file leads to, from the design alone."""

from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.table import Table

from podwright.components.design import fabric, hardware, lossless
from podwright.components.design.fabric import FabricPlan
from podwright.components.model import Cluster, Operators, Pool, Queues, Server, advisory, nominal, queued
from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.model.feeds import carried, feeds


def show(console: Console, title: str, cluster: Cluster, more: Iterable[tuple[str, str]] = ()) -> None:
    """Print a stack's summary, and further lines of it with their labels."""
    plan = fabric.plan(cluster.network)
    table = Table(title=f"{title}: {cluster.name}", title_justify="left", show_header=False, box=None, padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for label, text in (*rows(cluster, plan), *more):
        table.add_row(label, text)
    console.print(table)
    console.print()


def rows(cluster: Cluster, plan: FabricPlan) -> Iterator[tuple[str, str]]:
    """Label and text of every line of the summary."""
    yield "switches", _counted(f"{switch.role} {switch.model}" for switch in plan.switches)
    yield "links", f"{_counted(link.role for link in plan.links)}; {_oversubscription(cluster, plan)}"
    machines = cluster.network.hosts
    yield "servers" if cluster.servers else "hosts", _counted(each.model for each in machines.values()) or "none"
    gpus = Counter[str]()
    for server in machines.values():
        gpus[server.gpus or ""] += hardware.gpu_count(server)
    yield "GPUs", ", ".join(f"{count} x {name}" for name, count in gpus.items() if name) or "none"
    yield from _rails(plan)
    yield "lossless", _lossless(cluster)
    for name in ("control-plane", *cluster.pools) if cluster.openshift else ():
        yield f"pool {name}", _pool(cluster, name)
    for name, team in cluster.teams.items():
        quota = [f"{team.gpus} GPUs"] * bool(team.gpus) + [f"{count} x {each}" for each, count in team.slices.items()]
        whose = f"; rails of tenant {team.tenant}" if team.tenant else ""
        yield f"team {name}", f"quota {', '.join(quota) or 'none'}{whose}"
    yield from _workloads(cluster)
    if cluster.storage.volumes:
        yield "storage", f"{len(cluster.storage.classes)} classes, {len(cluster.storage.volumes)} volumes"
    if cluster.openshift is not None:
        yield "OpenShift", f"{cluster.openshift.version}, API {cluster.openshift.api_vip}"
    if cluster.operators is not None:
        yield from _operators(cluster.operators)
    for number, sentence in enumerate(advisory.findings(cluster)):
        yield "" if number else "open findings", sentence


def _operators(operators: Operators) -> Iterator[tuple[str, str]]:
    """The release set, and members that nobody declared for its OpenShift release."""
    taken = RELEASE_SETS[operators.release]
    yield "operators", f"release set {operators.release}, for OpenShift {taken.openshift}"
    for waiver in taken.waivers:
        (member,) = (each for each in taken.packages if each.package == waiver.package)
        yield "", f"{member.csv} declares OpenShift {member.versions}; waived: {waiver.reason} ({waiver.date})"


def _counted(names: Iterator[str]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in Counter(names).items())


def _oversubscription(cluster: Cluster, plan: FabricPlan) -> str:
    """Host bandwidth over uplink bandwidth of the fullest leaf."""
    worst = 0.0
    for leaf in cluster.fabric.leaves:
        down = sum(link.gbps for link in plan.links if link.device == leaf and link.role == "host")
        up = sum(link.gbps for link in plan.links if link.device == leaf and link.role == "fabric")
        worst = max(worst, down / up if up else 0.0)
    return f"oversubscription {worst:.2f}:1"


def _rails(plan: FabricPlan) -> Iterator[tuple[str, str]]:
    leaves: dict[tuple[int, str], list[int]] = {}
    for rail in plan.rails.values():
        leaves.setdefault((rail.group, rail.leaf), []).append(rail.rail)
    groups: dict[int, list[str]] = {}
    for (group, leaf), numbers in leaves.items():
        groups.setdefault(group, []).append(f"{_span(sorted(numbers))} → {leaf}")
    for group, texts in groups.items():
        yield f"rails, group {group}", ", ".join(texts)


def _span(numbers: list[int]) -> str:
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(str(number) for number in numbers)


def _lossless(cluster: Cluster) -> str:
    defined, host = cluster.fabric.lossless, lossless.host(cluster.fabric.lossless)
    ecn = f"ECN {defined.ecn.min_kbytes}-{defined.ecn.max_kbytes} kB" if defined.ecn else "no ECN"
    return (
        f"DSCP {defined.dscp} → priority {defined.priority}, PFC {defined.pfc}, watchdog {defined.watchdog}, {ecn}, "
        f"MTU {defined.mtu}; hosts: traffic class {host.traffic_class}, MTU {host.host_mtu}, RDMA MTU {host.rdma_mtu}"
    )


def _pool(cluster: Cluster, name: str) -> str:
    servers = [server for server in cluster.servers.values() if server.pool == name]
    text = f"{len(servers)} server{'' if len(servers) == 1 else 's'}"
    pool = cluster.pools.get(name)
    if pool is None:
        racks = sorted({server.rack for server in servers})
        return f"{text} in racks {', '.join(racks)}"
    text += f", {pool.purpose}"
    gpus = sum(hardware.gpu_count(server) for server in servers)
    slices = Counter[str]()
    for server in servers:
        slices.update(hardware.mig_parts(server, pool).slices)
    whole = sum(hardware.mig_parts(server, pool).whole for server in servers)
    if slices:
        cut = ", ".join(f"{count} x {each}" for each, count in slices.items())
        text += f", {gpus} GPUs cut into {cut}" + (f", {whole} of them whole" if whole else "")
        return text + _shares(pool, sum(slices.values()) + whole)
    return f"{text}, {gpus} GPUs{_shares(pool, gpus)}" + (", one RDMA device per rail" if pool.rails else "")


def _shares(pool: Pool, devices: int) -> str:
    """How GPUs or slices are shared, and whether anything keeps those that share one apart."""
    if pool.sharing is None:
        return ""
    count = pool.sharing.replicas
    kept = "memory limited to its part" if pool.sharing.mode == "mps" else "memory and faults not kept apart"
    return f", each shared by {count} ({pool.sharing.mode}: {kept}): {devices * count} shares"


def _queues(cluster: Cluster) -> Iterator[tuple[str, str]]:
    section = queued(cluster)
    if section is not None:
        lend = "; teams borrow what others leave idle" * section.borrow + ", by weight" * section.fair_sharing
        for pool in section.names:
            own = {name: each[pool] for name, each in nominal(cluster).items() if each.get(pool)}
            shares = ", ".join(f"{name} {gpus}{_limits(section, name, pool)}" for name, gpus in own.items())
            yield f"queues {pool}", f"GPUs: {shares or 'no team has GPUs'}{lend}{_sliced(section, pool)}"


def _sliced(section: Queues, pool: str) -> str:
    """MIG slices of each team in the queues of a pool."""
    own = {team: each.slices[pool] for team, each in section.teams.items() if pool in each.slices}
    words = (f"{team} {count} x {profile}" for team, cut in own.items() for profile, count in cut.items())
    return f"; slices: {', '.join(words)}" if own else ""


def _limits(section: Queues, team: str, pool: str) -> str:
    """What a team borrows and lends at most, and its weight."""
    if team not in section.teams:
        return ""
    own = section.teams[team]
    given = {"borrows": own.borrow.get(pool), "lends": own.lend.get(pool), "weight": own.weight}
    parts = [f"{what} {count}" for what, count in given.items() if count is not None]
    return f" ({', '.join(parts)})" if parts else ""


def _lost_nodes(cluster: Cluster) -> Iterator[tuple[str, str]]:
    section = cluster.openshift.lost_nodes if cluster.openshift else None
    if section is None:
        return
    most = f"{section.max_lost} node{'s' * (section.max_lost > 1)} at once"
    for pool in section.pools:
        yield f"lost nodes {pool}", f"reset and given up when not Ready for {section.after_seconds} s, {most} at most"


def _data_science(cluster: Cluster) -> Iterator[tuple[str, str]]:
    section = cluster.openshift.data_science if cluster.openshift else None
    if section is not None:
        where = f", workbenches on {', '.join(section.pools)}" if section.pools else ""
        yield "data science", f"{', '.join(section.components)} for {', '.join(section.teams)}{where}"


def _workloads(cluster: Cluster) -> Iterator[tuple[str, str]]:
    yield from _queues(cluster)
    yield from _data_science(cluster)
    yield from _lost_nodes(cluster)
    for name, job in cluster.workloads.training.items():
        least = "" if job.min_nodes is None else f"{job.min_nodes} to "
        yield f"training {name}", f"{least}{job.nodes} x {job.gpus} GPUs on pool {job.pool} for team {job.team}"
    for name, service in cluster.workloads.inference.items():
        pool = cluster.pools.get(service.pool)
        what = f"share of {service.slice or 'a GPU'}" if pool and pool.sharing else service.slice or "whole GPUs"
        where = f", at {service.url}" if service.url else ""
        yield (
            f"inference {name}",
            f"{service.replicas} replicas x {service.gpus} x {what} on pool {service.pool} for team {service.team}"
            f"{where}",
        )
        if new := service.canary:
            what = f"{new.replicas} replicas, for {new.percent} of 100 requests by its Route"
            yield f"canary {name}", f"a second version of inference {name}: {what}"


def _carried(cluster: Cluster, defined: Server) -> str:
    """What a server on two feeds does when one of them is lost."""
    if len(feeds(cluster.site.racks[defined.rack])) == 1:
        return ""
    known = carried(cluster.network, defined)
    if known is None:
        return f"; whether half of its supplies carries it is not known, write site.supplies.{defined.model}"
    return "; either carries it" if known else "; it needs both"


def _firmware(cluster: Cluster, family: str | None) -> str:
    """The version a server is to run, and what permits it."""
    if family is None:
        return "of its own BMC, not checked"
    firmware = cluster.intersight.firmware if cluster.intersight else None
    approval = firmware.approval(family) if firmware else None
    if approval is None:
        return f"what it runs, not checked; define intersight.firmware.versions.{family}"
    return f"{approval.version}, approved {approval.approved} until {approval.until} ({approval.source})"


def server(cluster: Cluster, name: str) -> Iterator[str]:
    """Lines about one server or host: model, what manages it, GPUs, rails."""
    defined = cluster.network.hosts[name]
    model = hardware.server_model(defined.model)
    if isinstance(defined, Server):
        fed = " and ".join(feeds(cluster.site.racks[defined.rack]))
        yield f"{name}: {defined.model} ({defined.serial}), rack {defined.rack}, pool {defined.pool}"
        yield f"  power from {fed}{_carried(cluster, defined)}"
        how = defined.bmc or "reached by Intersight only"
        yield f"  {hardware.platform(defined)}, configured through {model.manager}; BMC {how}"
        yield f"  {model.managed}"
        yield f"  firmware: {_firmware(cluster, model.family)}"
        fitted = f"{hardware.cores(defined)} cores, {hardware.memory_gib(defined)} GiB"
        yield f"  {fitted}, machine network {defined.address}"
    else:
        yield f"{name}: {defined.model}, rack {defined.rack}, installed by somebody else"
    if defined.gpus:
        yield f"  {hardware.gpu_count(defined)} x {defined.gpus}"
    plan = fabric.plan(cluster.network)
    for nic in hardware.rails(defined):
        port = plan.host_ports[name, nic.rail]
        yield f"  rail {nic.rail}: {nic.pci} (NUMA {nic.numa}) → {port.leaf} {port.port}, {port.address}"
