"""Traffic: flows share links max-min fairly; what happens where they do not fit depends on the live configuration.

Uncongested flows run at line rate whatever the QoS. Where demand exceeds a switch's exit port, a flow whose class
holds on every hop is paused and marked and keeps its fair share; any other flow loses packets, and go-back-N makes
RDMA collapse. The factors below are the lab's, not a product's; FIDELITY.md says what they rest on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from podwright.lab.world import notifications
from podwright.lab.world.inventory import End, WorldError
from podwright.lab.world.lossless import class_mtu_problems, class_problems, marks, mtu_problems, upstream
from podwright.lab.world.paths import NoPathError, Path, parse_end, path
from podwright.lab.world.ways import Ways

if TYPE_CHECKING:
    from podwright.lab.world.model import World

MARKED, UNMARKED, LATE_CNP, LOSSY, STORMED = 0.97, 0.80, 0.85, 0.20, 0.02
"""Share of the fair rate kept: ECN and pause; pause alone; CNPs queued with bulk; loss; a storm nobody stops."""
FRAME = 82
"""Bytes of headers, FCS, preamble and gap that ride with one RDMA packet's payload on Ethernet."""
PAUSES_MARKED, PAUSES_LATE, PAUSES_UNMARKED = 40, 400, 4000
"""Pause frames per second and congested flow: with ECN, with late notifications, without ECN."""
LOSS = 0.002
"""Share of packets dropped on a lossy class under incast."""


@dataclass(frozen=True)
class Flow:
    """One RDMA stream. Rate in Gb/s offered; `mtu` is the RDMA MTU in bytes; `qps` queue pairs hash separately."""

    source: str
    target: str
    gbps: float = 400.0
    dscp: int = 26
    mtu: int = 4096
    qps: int = 1


@dataclass
class FlowResult:
    """What a flow got. Rate in Gb/s of payload, counts over the whole run."""

    source: str
    target: str
    gbps: float = 0.0
    drops: int = 0
    out_of_sequence: int = 0
    marked: int = 0
    paused: int = 0
    path: list[str] = field(default_factory=list)
    reason: str = ""


@dataclass(eq=False)
class _Stream:
    """One queue pair's share of a flow while it is being calculated."""

    flow: Flow
    path: Path
    demand: float
    rate: float = 0.0
    congested: list[int] = field(default_factory=list)


def parse_flows(rows: Any) -> list[Flow]:
    """Flows of a POST /traffic body. Raises WorldError."""
    flows = []
    for row in rows if isinstance(rows, list) else [rows]:
        if not isinstance(row, dict) or not {"from", "to"} <= set(row):
            raise WorldError('a flow needs "from" and "to"')
        unknown = set(row) - {"from", "to", "gbps", "dscp", "mtu", "qps"}
        if unknown:
            raise WorldError(f"unknown key {sorted(unknown)[0]!r} in a flow")
        rest = {key: value for key, value in row.items() if key not in ("from", "to")}
        flows.append(Flow(str(row["from"]), str(row["to"]), **rest))
    return flows


def run(world: World, flows: list[Flow], seconds: float) -> list[FlowResult]:
    """Send all flows at once for `seconds`. Counters of every port on the way move."""
    with world.lock:
        results = [FlowResult(flow.source, flow.target) for flow in flows]
        streams: list[tuple[int, _Stream]] = []
        ways = Ways(world)
        for index, flow in enumerate(flows):
            streams += [(index, stream) for stream in _admit(world, flow, results[index], seconds, ways)]
        _share(world, [stream for _, stream in streams])
        for index, stream in streams:
            _deliver(world, stream, results[index], seconds)
        return results


def as_data(results: list[FlowResult]) -> list[dict[str, Any]]:
    """Results as plain JSON types; `from` and `to` spelled as in the request."""
    rows = [asdict(result) for result in results]
    return [{"from": row.pop("source"), "to": row.pop("target"), **row} for row in rows]


def _admit(world: World, flow: Flow, result: FlowResult, seconds: float, ways: Ways) -> list[_Stream]:
    """The streams of one flow, or none with the reason in `result` when nothing gets through at all."""
    source, target = parse_end(world, flow.source), parse_end(world, flow.target)
    found = []
    for number in range(max(flow.qps, 1)):
        try:
            way = path(world, source, target, f"{flow.source}>{flow.target}#{number}", ways)
        except NoPathError as problem:
            result.reason = str(problem)
            return []
        found.append(_Stream(flow, way, flow.gbps / max(flow.qps, 1)))
    result.path = found[0].path.text()
    too_big = [p for s in found for p in mtu_problems(world, s.path, flow.mtu)]
    too_big += [p for s in found for p in class_mtu_problems(world, s.path, flow.dscp, flow.mtu)]
    if too_big:
        result.reason = "; ".join(dict.fromkeys(too_big))
        result.drops = int(_packets(flow.gbps, flow.mtu, seconds))
        _count(world, (found[0].path.hops[0].switch, found[0].path.hops[0].entry), "drops", result.drops)
        return []
    return found


def _packets(gbps: float, mtu: int, seconds: float) -> float:
    return gbps * 1e9 / 8 * seconds / mtu


def _capacity(world: World, link: tuple[End, End]) -> float:
    """Gb/s of a directed link: the cable's, or less when a port is slower. Inside a chassis there is no cable."""
    cable = world.cable_at(*link[0])
    speeds = [float(cable.gbps)] if cable else []
    for device, port in link:
        if device in world.servers:
            speeds.append(float(world.servers[device].nics[port].gbps))
        else:
            speeds.append(float(world.views[device].port(port).speed))
    return min(speeds)


def _share(world: World, streams: list[_Stream]) -> None:
    """Max-min fair rates by progressive filling; notes the hops whose exit port is asked for more than it has."""
    members: dict[tuple[End, End], list[_Stream]] = {}
    for stream in streams:
        for link in stream.path.links():
            members.setdefault(link, []).append(stream)
    free = {link: _capacity(world, link) for link in members}
    full = dict(free)
    waiting = set(streams)
    while waiting:
        level = min(free[li] / n for li, m in members.items() if (n := sum(s in waiting for s in m)))
        step = min([level, *(s.demand - s.rate for s in waiting)])
        for stream in waiting:
            stream.rate += step
            for link in stream.path.links():
                free[link] -= step
        drained = {link for link, left in free.items() if left < 1e-9}
        waiting = {s for s in waiting if s.demand - s.rate > 1e-9 and drained.isdisjoint(s.path.links())}
    for stream in streams:
        for index, link in enumerate(stream.path.links()[1:]):
            asked = sum(s.demand for s in members[link])
            if asked > full[link] * 1.001:
                stream.congested.append(index)


def _deliver(world: World, stream: _Stream, result: FlowResult, seconds: float) -> None:
    """Turn one stream's fair rate into what arrives, and count it on every port."""
    flow, way = stream.flow, stream.path
    reasons: list[str] = []
    factor = 1.0
    outcome = {"drops": 0, "marked": 0, "paused": 0}
    if stream.congested:
        problems = class_problems(world, way, flow.dscp)
        lost = _packets(stream.rate, flow.mtu, seconds) * LOSS
        factor = _congested(world, stream, problems, outcome, seconds, int(lost) + 1)
        reasons += problems or _unmarked(world, stream)
    factor = min(factor, _ailing(world, way, reasons, outcome, int(_packets(stream.rate, flow.mtu, seconds))))
    rate = stream.rate * factor
    result.gbps = round(result.gbps + rate * flow.mtu / (flow.mtu + FRAME), 3)
    result.drops += outcome["drops"]
    result.out_of_sequence += outcome["drops"]
    result.marked += outcome["marked"]
    result.paused += outcome["paused"]
    result.reason = "; ".join(dict.fromkeys(r for r in [*result.reason.split("; "), *reasons] if r))
    _account(world, way, rate, seconds, outcome)


def _unmarked(world: World, stream: _Stream) -> list[str]:
    """Reasons for a lossless flow to run below its share: no ECN where it queues, or slow notifications."""
    found = []
    for index in stream.congested:
        hop = stream.path.hops[index]
        if not marks(world, hop, stream.flow.dscp):
            found.append(f"{hop.switch} {hop.exit}: the queue marks no ECN, pause alone holds the senders back")
    if not found and not notifications.fast(world, stream.path, stream.flow.dscp):
        found.append("congestion notifications share the queue of bulk traffic on the way back")
    return found


def _congested(
    world: World, stream: _Stream, problems: list[str], outcome: dict[str, int], seconds: float, lost: int
) -> float:
    """The factor on the fair rate, with drops, marks and pauses put on the ports where they happen."""
    hops = stream.path.hops
    point = stream.congested[-1]
    hop = hops[point]
    if problems:
        outcome["drops"] = lost
        _count(world, (hop.switch, hop.exit), "drops", lost)
        return LOSSY
    marked, fast = marks(world, hop, stream.flow.dscp), notifications.fast(world, stream.path, stream.flow.dscp)
    rate = PAUSES_UNMARKED if not marked else (PAUSES_MARKED if fast else PAUSES_LATE)
    outcome["paused"] = int(rate * seconds) + 1
    for index in range(point + 1):
        _count(world, (hops[index].switch, hops[index].entry), "tx_pause", outcome["paused"])
        _count(world, upstream(stream.path, index), "rx_pause", outcome["paused"])
    if not marked:
        return UNMARKED
    outcome["marked"] = int(_packets(stream.rate, stream.flow.mtu, seconds) * 0.01) + 1
    _count(world, (hop.switch, hop.exit), "ecn_marked", outcome["marked"])
    notifications.send(world, stream.path, outcome["marked"])
    return MARKED if fast else LATE_CNP


def _ailing(world: World, way: Path, reasons: list[str], outcome: dict[str, int], packets: int) -> float:
    """Faulty optics lose packets at any load; a NIC stuck in pause stops its own traffic, and more without watchdog."""
    factor = 1.0
    for sender, receiver in way.links():
        loss = max(world.bad_optics.get(sender, 0.0), world.bad_optics.get(receiver, 0.0))
        if loss:
            lost = int(packets * loss) + 1
            outcome["drops"] += lost
            _count(world, receiver, "crc", lost)
            reasons.append(f"{':'.join(receiver)}: frames arrive damaged")
            factor = min(factor, LOSSY)
    for server, nic in world.storms:
        far = world.neighbor(server, nic)
        if far is None or far[0] not in world.views:
            continue
        port = world.views[far[0]].port(far[1])
        ours = way.target == (server, nic)
        if ours and port.watchdog_on:
            _count(world, far, "watchdog", 1)
            outcome["drops"] += packets
        if ours or (not port.watchdog_on and far[0] in {h.switch for h in way.hops}):
            reasons.append(f"{server}:{nic} sends pause without end into {far[0]} {far[1]}")
            factor = 0.0 if ours else STORMED
    return factor


def _account(world: World, way: Path, rate: float, seconds: float, outcome: dict[str, int]) -> None:
    octets = int(rate * 1e9 / 8 * seconds)
    for sender, receiver in way.links():
        _count(world, sender, "tx_bytes", octets)
        _count(world, receiver, "rx_bytes", octets)
    _count(world, way.target, "out_of_sequence", outcome["drops"])


def _count(world: World, end: End, counter: str, amount: int) -> None:
    world.counters[end][counter] += amount
