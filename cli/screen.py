"""The status screen: facts in, one page of text out. Nothing is asked here."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from podwright.cli.certificates import Certificates, certificates
from podwright.cli.clocks import clocks
from podwright.cli.etcd_backup import Backup, backup
from podwright.cli.firmware import Judged, judged
from podwright.cli.infrastructure import Placement, placement
from podwright.cli.isolation import apart
from podwright.cli.nics import Nics, nics
from podwright.cli.offers import Offer, offers
from podwright.cli.operators import operators
from podwright.cli.pending import pending
from podwright.cli.queues import rows, stopped
from podwright.cli.routes import unserved
from podwright.cli.slow import Lossy, Slow
from podwright.cli.stack import Stack
from podwright.components import model
from podwright.components.design import lossless
from podwright.components.design.acceptance import unproven
from podwright.components.design.fabric import FabricPlan
from podwright.components.providers.status import control_plane, installation, upkeep
from podwright.components.providers.status.live import Live
from podwright.components.providers.status.switches import SwitchSeen
from podwright.components.providers.status.verdict import AS_PLANNED, Verdict

SHOWN = 4
"""Entries of a list of troubles that are spelled out; the rest is counted."""
Row = tuple[str, ...]


@dataclass
class Facts:
    """Everything the screen tells."""

    stack: str
    cluster: model.Cluster
    plan: FabricPlan
    known: Stack
    live: Live
    verdicts: Sequence[Verdict] = ()
    lossy: Sequence[Lossy] = ()
    slow: Sequence[Slow] = ()
    prefix: str = ""
    """What stands in front of a command so that it runs in the environment this one ran in."""
    offers: Sequence[Offer] = field(init=False, default=())
    nics: Sequence[Nics] = field(init=False, default=())
    backup: Backup | None = field(init=False, default=None)
    placement: Placement | None = field(init=False, default=None)
    installation: Sequence[str] = field(init=False, default=())
    """What of the installation is otherwise than defined, as the cluster shows it; nodes that nobody defined."""

    firmware: Judged = field(init=False)
    """The firmware that the file plans beside what runs."""
    certificates: Certificates = field(init=False)
    """The file's certificates beside the clock and what controllers show."""
    pending: Sequence[str] = field(init=False)
    """What the file defines and no update has made yet."""

    def __post_init__(self) -> None:
        self.firmware = judged(self.cluster, self.live)
        self.certificates = certificates(self.cluster, self.live)
        self.pending = pending(self.known.defined, self.cluster)
        if self.live.snapshot is None:
            return
        self.offers = offers(self.cluster, self.live.snapshot)
        self.nics = tuple(nics(self.cluster, self.live.snapshot))
        self.backup = backup(self.cluster, self.live.snapshot, datetime.now(UTC))
        self.placement = placement(self.cluster, self.live.snapshot)
        if (wanted := self.cluster.openshift) is not None:
            addresses = {name: str(server.address) for name, server in self.cluster.nodes.items()}
            off = installation.off_plan(self.live.snapshot, wanted.version, wanted.ssh_key, addresses)
            met = self.known.machines
            uuids = {node: met[name] for name, node in self.cluster.node_names.items() if name in met}
            others = installation.on_other_machines(self.live.snapshot, uuids)
            plane = control_plane.troubles(self.live.snapshot)
            reached = (*unserved(self.cluster, self.live.snapshot), *apart(self.cluster, self.live.snapshot))
            lost = (*upkeep.troubles(self.live.snapshot), *stopped(self.cluster, self.live.snapshot))
            self.installation = (*plane, *lost, *off, *others, *clocks(self.live.snapshot), *reached)

    @property
    def unwell(self) -> list[Verdict]:
        """Pods that do not run and should."""
        return [each for each in self.verdicts if each.state not in AS_PLANNED]

    @property
    def drifted(self) -> list[SwitchSeen]:
        """Switches that hold something else than planned, or will after a reload."""
        return [each for each in self.live.switches.values() if each.differs or each.unsaved]

    @property
    def well(self) -> bool:
        """Everything answers, is as planned, runs and is fast."""
        silent = any(each.problem for each in self.live.switches.values())
        silent = silent or any(each.power != "On" for each in self.live.servers.values())
        silent = silent or bool(self.firmware.other) or self.certificates.wrong or bool(self.pending)
        unready = any(each.troubles for each in self.offers) or bool(self.installation) or bool(self.live.objects)
        unready = unready or (self.backup is not None and self.backup.late)
        unready = unready or (self.placement is not None and bool(self.placement.off))
        unready = unready or any(each.out_of_class or each.pending for each in self.nics)
        return not (silent or unready or self.live.problem or self.unwell or self.drifted or self.lossy)


def show(console: Console, facts: Facts, seconds: float) -> None:
    """Print the page."""
    running = installation.release(facts.live.snapshot) if facts.live.snapshot else ""
    version = f"OpenShift {running}, " if running else ""
    head = f"[bold]{escape(facts.cluster.name)}[/]  {version}"
    word = "[green]all as planned[/]" if facts.well else "[red]not as planned, see below[/]"
    console.print(f"{head}{word}  [dim](read from the devices in {seconds:.1f} s)[/]")
    _section(console, "stack file", (("[red]✗[/]", escape(each)) for each in _first(facts.pending)))
    _section(console, "switches", _switches(facts))
    _section(console, "servers", _servers(facts))
    if facts.live.problem:
        _section(console, "cluster", [("[red]✗[/]", escape(facts.live.problem))])
    elif facts.live.snapshot is not None:
        off = (*facts.installation, *_first(facts.live.objects))
        _section(console, "cluster", [*_crossed(off), *_checked(facts)])
        _section(console, "nodes", _nodes(facts.offers))
        _section(console, "NICs", _nics(facts))
        _section(console, "operators", operators(facts.cluster, facts.live.snapshot))
        _section(console, "queues", rows(facts.cluster, facts.live.snapshot))
        _section(console, "pods", _pods(facts))
    _section(console, "slow", _slow(facts))
    if facts.cluster.acceptance is not None:
        _section(console, "RoCE acceptance", _acceptance(facts.known))
    _section(console, "try next", [("", line) for line in _next(facts)])


def _section(console: Console, title: str, rows: Iterable[Row]) -> None:
    listed = list(rows)
    if not listed:
        return
    console.print(f"[bold cyan]{title}[/]")
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for _ in range(max(len(row) for row in listed)):
        table.add_column(overflow="fold")
    for row in listed:
        table.add_row(f"  {row[0]}", *row[1:])
    console.print(table)


def _switches(facts: Facts) -> Iterator[Row]:
    for planned in facts.plan.switches:
        seen = facts.live.switches[planned.hostname]
        if seen.problem:
            yield (planned.hostname, planned.role, f"[red]✗ {escape(seen.problem)}[/]")
            continue
        ports = [port for port, end in planned.links.items() if end.role in {"host", "fabric"}]
        state = f"[red]{len(seen.differs)} sections off the plan[/]" if seen.differs else "[green]as planned[/]"
        lossless = "carries no lossless class"
        if planned.lossless:
            pausing = sum(port in seen.pausing for port in ports)
            tint = "green" if pausing == len(ports) else "red"
            lossless = (
                f"PFC operational on [{tint}]{pausing} of {len(ports)}[/] ports, "
                f"DSCP {planned.lossless['dscp']} → priority {planned.lossless['priority']}"
            )
        yield (planned.hostname, planned.role, f"NX-OS {seen.release}", state, lossless)
    for seen in facts.drifted:
        for each in _first(seen.differs):
            yield ("", "", "", "", f"[red]{seen.name}[/] wants {escape(each)}")
        for each in _first(seen.unsaved):
            yield ("", "", "", "", f"[red]{seen.name}[/] has not saved {escape(each)}: a reload changes it")


def _servers(facts: Facts) -> Iterator[Row]:
    seen = facts.live.servers.values()
    on = sum(each.power == "On" for each in seen)
    if seen:
        yield ("BMC", f"{on} of {len(seen)} servers that Redfish reaches are on")
    if managed := len(facts.cluster.servers) - len(seen):
        yield ("Intersight", f"{managed} servers are reached by Intersight only and not asked here")
    if line := facts.firmware.line:
        tint = "red" if facts.firmware.other else "yellow" if facts.firmware.unknown else "green"
        yield ("firmware", f"[{tint}]{escape(line)}[/]")
        if why := facts.live.firmware.problem:
            yield ("", f"[yellow]Intersight was not asked for firmware: {escape(why)}[/]")
    if line := facts.certificates.line:
        doubt = facts.certificates.soon or facts.certificates.unknown
        tint = "red" if facts.certificates.wrong else "yellow" if doubt else "green"
        yield ("certificates", f"[{tint}]{escape(line)}[/]")
    for each in seen:
        if each.power != "On":
            yield (each.name, f"[red]✗ {escape(each.problem or each.power)}[/]")
    for name, unsupported in sorted(facts.known.unsupported.items()):
        for reason in dict.fromkeys(unsupported.values()):
            settings = ", ".join(sorted(each for each, why in unsupported.items() if why == reason))
            yield (name, f"[yellow]! not set: {escape(f'{settings}: {reason}')}[/]")


def _checked(facts: Facts) -> Iterator[Row]:
    """What is looked after by schedule or placement, as it is."""
    checked = [] if facts.backup is None else [(facts.backup.text, facts.backup.late)]
    checked += [] if facts.placement is None else [(facts.placement.text, bool(facts.placement.off))]
    size = control_plane.store(facts.live.snapshot) if facts.live.snapshot else ""
    for text, wrong in (*checked, *([(size, False)] if size else [])):
        yield ("[red]✗[/]" if wrong else "[green]✓[/]", escape(text))
    yield from _crossed(_first(facts.placement.off if facts.placement else ()))


def _crossed(texts: Iterable[str]) -> Iterator[Row]:
    return (("[red]✗[/]", escape(each)) for each in texts)


def _nodes(found: Iterable[Offer]) -> Iterator[Row]:
    for each in found:
        tint = "green" if each.ready == each.wanted else "red"
        yield (each.pool, f"[{tint}]{each.ready} of {each.wanted}[/] Ready", each.purpose, each.text)
        for trouble in _first(each.troubles):
            yield ("", "", "", f"[red]✗ {escape(trouble)}[/]")


def _nics(facts: Facts) -> Iterator[Row]:
    host = lossless.host(facts.cluster.fabric.lossless)
    for each in facts.nics:
        settled = each.total - len(each.out_of_class)
        tint = "green" if settled == each.total else "red"
        asked = f"trust {host.trust}, PFC {host.pfc}, notifications DSCP {host.cnp_dscp}"
        yield (each.pool, f"[{tint}]{settled} of {each.total}[/] rail NICs set by their operator: {asked}")
        for phrase in _first(each.out_of_class):
            yield ("", f"[red]✗ {escape(phrase)}[/]")
        for node in _first(each.pending):
            yield ("", f"[red]✗ {escape(node)} waits for its NICs' settings[/]")


def _pods(facts: Facts) -> Iterator[Row]:
    alike: dict[tuple[str, str, str | None, str], list[str]] = {}
    for each in facts.verdicts:
        name = _family(each.name) if each.state in AS_PLANNED and each.node else each.name
        alike.setdefault((f"{each.namespace}/{name}", each.state, each.node, each.reason), []).append(each.name)
    for (name, state, node, reason), members in alike.items():
        tint = "green" if state in AS_PLANNED else "red"
        many = f" × {len(members)}" if len(members) > 1 else ""
        title = name if many else f"{name.partition('/')[0]}/{members[0]}"
        yield (f"{title}{many}", f"[{tint}]{state}[/]", f"{node or '-'}", escape(reason))


def _family(name: str) -> str:
    """A generated pod name without its random end."""
    return name.rpartition("-")[0] or name


def _slow(facts: Facts) -> Iterator[Row]:
    for each in facts.slow:
        reasons = _first(each.reasons)
        yield (f"{each.namespace}/{each.name}", each.node, f"[red]{escape(reasons[0])}[/]")
        for reason in reasons[1:]:
            yield ("", "", f"[red]{escape(reason)}[/]")
    if facts.lossy and not facts.slow:
        for place in _first([place.why for place in facts.lossy]):
            yield ("(no pod on it yet)", "", f"[red]{escape(place)}[/]")


def _acceptance(known: Stack) -> Iterator[Row]:
    lines = known.acceptance.splitlines()
    passed = sum(line.startswith("ok") for line in lines)
    failed = [line for line in lines if line.startswith(("FAIL", "     ")) and "without:" not in line]
    left = unproven(known.acceptance)
    if lines:
        tests = passed + len(left) + sum(line.startswith("FAIL") for line in lines)
        tint = "red" if failed else "yellow" if left else "green"
        yield (f"[{tint}]{passed} of {tests} paths proven[/] in the `up` of {known.ran[:16].replace('T', ' ')}",)
        for line in failed[:SHOWN] or [line for line in lines if line.startswith("ok")][:2]:
            yield (escape(line.removeprefix("ok").strip()),)
        yield from (
            (each,) for each in _first([f"[yellow]not proven[/] {name}: {escape(left[name])}" for name in left])
        )
    else:
        yield ("no run is known",)


def _next(facts: Facts) -> Iterator[str]:
    name, run = facts.stack, facts.prefix
    pack = f"--stack {name} --policy-pack policies"
    if facts.pending:
        yield f"{run}pulumi preview {pack}  [dim]# shows what the file's changes do[/]"
    if facts.drifted or facts.unwell or facts.installation or facts.live.objects:
        yield f"{run}pulumi up --refresh --run-program {pack}  [dim]# repairs it[/]"
    if due := (*facts.certificates.ended, *facts.certificates.soon):
        yield f"write the next certificate of {', '.join(due)} into Pulumi.{name}.yaml and raise its generation"
    if facts.lossy or facts.drifted:
        yield f"{run}podwright accept {name}  [dim]# measures which paths suffer, under incast[/]"
    elif not facts.unwell:
        servers = [server for server, _ in facts.plan.host_ports] or list(facts.cluster.servers)
        yield f"{run}podwright accept {name}  [dim]# measures every rail again, under incast[/]"
        if servers:
            yield f"{run}podwright explain server Pulumi.{name}.yaml {servers[0]}  [dim]# where its rails end[/]"
        yield f'write pfc: "off" below fabric.lossless in Pulumi.{name}.yaml, then: {run}pulumi preview {pack}'


def _first(entries: Sequence[str]) -> list[str]:
    return [*entries[:SHOWN], *([f"and {len(entries) - SHOWN} more"] if len(entries) > SHOWN else [])]
