"""What switches answer, as samples. Whatever cannot be understood raises MalformedError; nothing is guessed.

Shapes: `show interface priority-flow-control` and the boxes of `show queuing interface` from public captures of Nexus
9000; JSON names from the Nexus 9000 command reference (show queuing pfc-queue) and public NX-API replies (transceiver,
counters errors, status, BGP); `show bfd neighbors` as ntc-templates parse it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from podwright.components.providers.nxos.read import metrics as m
from podwright.components.providers.nxos.read.metrics import Metric, Sample
from podwright.components.providers.nxos.read.spelling import header

_PFC: Final = re.compile(
    r"^(Ethernet\S+)\s+(?:On|Off|Auto)\s+(On|Off)\s*(?:\(([0-9a-fA-F]+)\))?\s+(\d+)\s+(\d+)\s*$", re.M | re.I
)
_PORT: Final = re.compile(r"^\s*Egress Queuing for (Ethernet\S+)", re.M)
_GROUP: Final = re.compile(r"^\|\s*(?:(\w+) )?QOS GROUP(?: (\d+))?\s*\|", re.M)
_COUNTERS: Final = {
    "Tx Pkts": m.QUEUE_SENT,
    "WRED/AFD & Tail Drop Pkts": m.QUEUE_DROPS,
    "WRED & Tail Drop Pkts": m.QUEUE_DROPS,
    "WD & Tail Drop Pkts": m.QUEUE_WATCHDOG,
    "ECN Marked Pkts": m.QUEUE_MARKED,
    "WRED/AFD ECN Marked Pkts": m.QUEUE_MARKED,
}
_ROW: Final = re.compile(r"^\|\s*([A-Za-z][\w/& ]*?)\s*\|((?:\s*\d+\s*\|)+)\s*$", re.M)
_BFD: Final = re.compile(r"^(\S+)\s+(\S+)\s+\d+/\d+\s+\S+\s+\S+\(\d+\)\s+(\S+)\s+(\S+)\s+(\S+)", re.M)
_LIMITS: Final = {"alrm_hi": "alarm_high", "alrm_lo": "alarm_low", "warn_hi": "warning_high", "warn_lo": "warning_low"}
_MEASURED: Final = (
    ("temp", "temperature", m.TEMPERATURE, m.TEMPERATURE_LIMIT),
    ("rx_pwr", "rx_pwr", m.RX_POWER, m.RX_POWER_LIMIT),
    ("tx_pwr", "tx_pwr", m.TX_POWER, m.TX_POWER_LIMIT),
)


class MalformedError(ValueError):
    """An answer that is not one; the message says what is missing and repeats nothing of it."""


def port(name: str) -> str:
    """A port as the plan spells it: Eth1/1 is Ethernet1/1."""
    return header(f"interface {name}").removeprefix("interface ")


def pfc(text: str) -> Iterator[Sample]:
    """Operational state, bitmap and pause frames."""
    if "RxPPP" not in text:
        raise MalformedError("it holds no table of ports")
    for name, oper, bitmap, received, sent in _PFC.findall(text):
        labels, on = {"port": name}, oper.lower() == "on"
        yield Sample(m.PFC_OPER, on, labels)
        yield Sample(m.PFC_BITMAP, int(bitmap or "0", 16) if on else 0, labels)
        yield Sample(m.PFC_RX, int(received), labels)
        yield Sample(m.PFC_TX, int(sent), labels)


def queues(text: str) -> Iterator[Sample]:
    """Counters of the egress queues, one box a QoS group; those of the supervisor and of SPAN are left out."""
    _, *parts = _PORT.split(text)
    if not parts:
        raise MalformedError("it holds no egress queues")
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        # The ingress half of a port's answer has boxes of the same groups: they are not queues.
        egress, _, _ = body.partition("Ingress Queuing for")
        _, *boxes = _GROUP.split(egress)
        for word, group, box in zip(boxes[::3], boxes[1::3], boxes[2::3], strict=True):
            if word is None and group:
                yield from _box({"port": name, "queue": group}, box)


def _box(labels: Mapping[str, str], box: str) -> Iterator[Sample]:
    for word, values in _ROW.findall(box):
        if (metric := _COUNTERS.get(word)) is not None:
            yield Sample(metric, sum(int(each) for each in values.split("|") if each.strip()), labels)


def watchdog(text: str) -> Iterator[Sample]:
    """Global state, armed ports, and per queue how often it was shut and opened."""
    data = _json(text)
    whole = _text(data, "glb-wd-status").lower() == "enabled"
    yield Sample(m.WATCHDOG_ON, whole)
    for row in _rows(data, "queuing_interface"):
        labels = {"port": port(_text(row, "if_name_str"))}
        yield Sample(m.WATCHDOG_ARMED, whole and _text(row, "wd-status").lower() == "enabled", labels)
        for group in _rows(row, "qosgrp_stats"):
            queue = {**labels, "queue": _text(group, "eq-qosgrp")}
            for entry in _rows(group, "qosgrp_stats_entry"):
                yield from _counted(entry, queue, {"q-shutdown": m.WATCHDOG_STALLS, "q-restored": m.WATCHDOG_RESTORES})


def status(text: str) -> Iterator[Sample]:
    """Which ports are connected."""
    for row in _some(_json(text), "interface"):
        yield Sample(m.PORT_UP, _text(row, "state") == "connected", {"port": port(_text(row, "interface"))})


def errors(text: str) -> Iterator[Sample]:
    """Damaged and discarded frames. A port stands in one row for each of the tables that the text form has."""
    kinds = {"eth_fcs_err": m.FCS_ERRORS, "eth_rcv_err": m.RX_ERRORS, "eth_xmit_err": m.TX_ERRORS,
             "eth_outdisc": m.TX_DISCARDS}  # fmt: skip
    for row in _some(_json(text), "interface"):
        yield from _counted(row, {"port": port(_text(row, "interface"))}, kinds)


def optics(text: str) -> Iterator[Sample]:
    """Measurements of transceivers that have any; limits once a port, they are the module's."""
    for row in _some(_json(text), "interface"):
        labels = {"port": port(_text(row, "interface"))}
        for number, lane in enumerate(_rows(row, "lane"), 1):
            yield from _lane(labels, str(lane.get("lane_number") or number), lane, first=number == 1)


def _lane(labels: Mapping[str, str], number: str, lane: Mapping[str, Any], first: bool) -> Iterator[Sample]:
    for prefix, key, measured, limit in _MEASURED:
        of_module = measured is m.TEMPERATURE
        if (value := _decimal(lane.get(key))) is not None and (first or not of_module):
            yield Sample(measured, value, labels if of_module else {**labels, "lane": number})
        for end, threshold in _LIMITS.items():
            if first and (value := _decimal(lane.get(f"{prefix}_{end}"))) is not None:
                yield Sample(limit, value, {**labels, "threshold": threshold})


def bgp(text: str) -> Iterator[Sample]:
    """IPv4 unicast neighbours of every VRF. A neighbour on an unnumbered link is named by its interface."""
    data = _json(text)
    for vrf in _some(data, "vrf"):
        for row in _rows(vrf, "neighbor"):
            labels = {"vrf": _text(vrf, "vrf-name-out"), "neighbor": port(_text(row, "neighborid"))}
            up = _text(row, "state").lower() == "established"
            yield Sample(m.BGP_UP, up, labels)
            yield from _counted(row, labels, {"prefixreceived": m.BGP_PREFIXES})


def bfd(text: str) -> Iterator[Sample]:
    """BFD sessions."""
    if "NeighAddr" not in text:
        raise MalformedError("it holds no table of sessions")
    for _, far, state, interface, vrf in _BFD.findall(text):
        yield Sample(m.BFD_UP, state.lower() == "up", {"vrf": vrf, "neighbor": far, "port": port(interface)})


ANSWERS: Final[Mapping[str, Callable[[str], Iterator[Sample]]]] = {
    m.STATUS: status, m.PFC: pfc, m.QUEUES: queues, m.WATCHDOG: watchdog, m.ERRORS: errors, m.OPTICS: optics,
    m.BGP: bgp, m.BFD: bfd,
}  # fmt: skip
"""Command to reader."""


def _json(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:
        raise MalformedError("it is no JSON") from None
    if not isinstance(data, dict):
        raise MalformedError("it is no JSON object")
    return data


def _rows(data: Any, table: str) -> Iterator[Mapping[str, Any]]:
    """Rows of a table however deep it lies below other tables; a single row stands without a list."""
    if isinstance(data, list):
        for each in data:
            yield from _rows(each, table)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key != f"ROW_{table}":
                yield from _rows(value, table)
                continue
            for row in value if isinstance(value, list) else [value]:
                if not isinstance(row, dict):
                    raise MalformedError(f"a row of {table} is no object")
                yield row


def _some(data: Any, table: str) -> list[Mapping[str, Any]]:
    found = list(_rows(data, table))
    if not found:
        raise MalformedError(f"it holds no TABLE_{table}")
    return found


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str | int) or value == "":
        raise MalformedError(f"{key} is missing")
    return str(value)


def _counted(row: Mapping[str, Any], labels: Mapping[str, str], kinds: Mapping[str, Metric]) -> Iterator[Sample]:
    """Values that are there; `--` and absent ones are not zero."""
    for key, metric in kinds.items():
        if str(row.get(key, "")).isdecimal():
            yield Sample(metric, int(row[key]), labels)


def _decimal(value: Any) -> float | None:
    """A measurement; None for `N/A` and for nothing."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    # Not NaN and not infinite: no module measures these.
    return number if abs(number) < 1e6 else None
