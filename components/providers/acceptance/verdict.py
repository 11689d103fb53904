"""From bandwidth and counters to a verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from podwright.components.providers.acceptance.plan import Notifications, Port, Test


@dataclass(frozen=True)
class Counters:
    """What a switch port has counted since it came up: packets, and pause frames of the lossless priority."""

    drops: int = 0
    marked: int = 0
    rx_pause: int = 0
    tx_pause: int = 0
    notified: int = 0
    """Packets that left in the QoS group of congestion notifications."""

    def since(self, earlier: Counters) -> Counters:
        """The difference; a counter that went back (a reload) counts from zero."""
        before, now = asdict(earlier), asdict(self)
        return Counters(**{name: now[name] - before[name] if now[name] >= before[name] else now[name] for name in now})


@dataclass(frozen=True)
class Measured:
    """One test as it ran. `gbps` by sender; `out_of_sequence` packets at the receiving NIC; None: not readable."""

    gbps: Mapping[str, float]
    errors: Sequence[str]
    out_of_sequence: int | None
    ports: Mapping[Port, Counters]


@dataclass(frozen=True)
class Verdict:
    """Whether a test passed, and every reason why not."""

    name: str
    passed: bool
    gbps: float
    threshold: int
    drops: int
    out_of_sequence: int | None
    marked: int
    pauses: int
    reasons: tuple[str, ...]
    occupied: tuple[str, ...] = ()
    """NICs that could not take part because another pod holds them."""
    measured: bool = True
    notified: int | None = None
    """Congestion notifications that reached senders in their own class; None where nobody looked."""

    def as_json(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def unmeasured(test: Test, occupied: tuple[str, ...]) -> Verdict:
    """Neither passed nor failed, and so not proven: too few of its NICs are free."""
    return Verdict(test.name, False, 0.0, test.minimum_gbps, 0, None, 0, 0, (), occupied, measured=False)


def judge(
    test: Test, measured: Measured, occupied: tuple[str, ...] = (), expected: Notifications | None = None
) -> Verdict:
    """Bandwidth over threshold, no drop on any hop, nothing out of sequence, marks answered in the class `expected`.

    Pauses and marks are shown and do not fail a test: they are how a lossless class answers an incast.
    """
    total = sum(measured.gbps.values())
    reasons = list(measured.errors)
    if total < test.minimum_gbps:
        reasons.append(f"{total:.0f} Gb/s arrive at {test.receiver}, {test.minimum_gbps} are asked")
    for (switch, port), counted in sorted(measured.ports.items()):
        if counted.drops:
            reasons.append(f"{switch} {port} dropped {counted.drops} packets")
    if measured.out_of_sequence:
        reasons.append(f"{measured.out_of_sequence} packets arrived out of sequence at {test.receiver}")
    marked = sum(port.marked for port in measured.ports.values())
    notified = _notified(test, measured)
    if expected is not None and marked and not notified:
        reasons.append(_unanswered(test, expected))
    return Verdict(
        name=test.name,
        passed=not reasons,
        gbps=round(total, 1),
        threshold=test.minimum_gbps,
        drops=sum(port.drops for port in measured.ports.values()),
        out_of_sequence=measured.out_of_sequence,
        marked=marked,
        pauses=sum(port.rx_pause + port.tx_pause for port in measured.ports.values()),
        reasons=tuple(reasons),
        occupied=occupied,
        notified=None if expected is None else notified,
    )


def _notified(test: Test, measured: Measured) -> int:
    """Notifications come out of the ports that lead to senders, against the data."""
    towards = {sender.port for sender in test.senders}
    return sum(counted.notified for port, counted in measured.ports.items() if port in towards)


def _unanswered(test: Test, expected: Notifications) -> str:
    ports = ", ".join(" ".join(sender.port) for sender in test.senders)
    return (
        f"{test.receiver} answers marks with nothing in QoS group {expected.group} on {ports}: its CNP_DSCP is not "
        f"{expected.dscp}, or a switch on the path back does not classify that"
    )
