"""What a change disturbs beyond the lines it types, known from the spec alone: said in the preview. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from podwright.components.providers.nxos.read.blocks import Line, listed, parse_lines, port_ranges
from podwright.components.providers.nxos.read.spelling import header, same, tidy
from podwright.components.providers.nxos.write.breakout import cages, of_cage, word

_NETWORK_QOS: Final = "policy-map type network-qos "
_QUEUING: Final = "policy-map type queuing "
"""ECN thresholds, queue shares and limits. QoS guide, 10.5(x), queuing and scheduling: "Changes are disruptive. The
traffic passing through ports of the specified port type experience a brief period of traffic loss. All ports of the
specified type are affected." """
_RELOADS: Final = (
    # System management guide, `show system config reload-pending`; interfaces and security guides, 10.x.
    "hardware access-list tcam region ",
    "hardware profile ",
    "system routing template-",
    "boot nxos ",
)
"""Lines that change the running configuration at once and the hardware only at the next reload."""
_FEW: Final = 4
_RAIL: Final = re.compile(r"^rail(\d+)$")


def notices(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """One sentence for each disturbance that lies between two specs of one switch."""
    name, before, after = new["hostname"], _blocks(old["config"]), _blocks(new["config"])
    changed = [
        line
        for line in {**before, **after}
        if line not in before or line not in after or not same(line, before[line], after[line])
    ]
    if any(line.startswith(_NETWORK_QOS) for line in changed) or _differs("network-qos", before, after):
        yield (
            f"{name}: the network-qos policy changes; the switch programs its no-drop classes anew on every port, and "
            f"what is in flight may be dropped: {touched(new.get('links', {}))}"
        )
    if any(line.startswith(_QUEUING) for line in changed) or _differs("queuing", before, after):
        yield (
            f"{name}: the queuing policy changes (ECN thresholds, queue shares); the switch drops traffic for a "
            f"moment on every port of the type: {touched(new.get('links', {}))}"
        )
    if reloads := [line for line in changed if line.startswith(_RELOADS)]:
        yield (
            f"{name}: {'; '.join(reloads)} takes effect only after a reload, which podwright does not do by itself; "
            f"the reload takes down {touched(new.get('links', {}))}"
        )
    yield from _breakouts(name, before, after, old.get("links", {}))


def _breakouts(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any], links: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Ports that change their shape under a cable: all that is configured on them goes, and the links with it."""
    now, then = cages(before), cages(after)
    shapes: dict[str, dict[str, Mapping[str, Mapping[str, str]]]] = {}
    for port in {**now, **then}:
        here = {each: end for each, end in links.items() if of_cage(f"interface {each}", port)}
        if now.get(port) != then.get(port) and here:
            shape = f"broken out into {word(then[port])}" if port in then else "made whole again"
            shapes.setdefault(shape, {})[port] = here
    for shape, ports in shapes.items():
        lost = {each: end for here in ports.values() for each, end in here.items()}
        yield (
            f"{name}: {port_ranges(ports)} {'are' if len(ports) > 1 else 'is'} {shape}; what is configured there is "
            f"removed, and the links are down: {touched(lost)}"
        )


def touched(links: Mapping[str, Mapping[str, str]]) -> str:
    """The cabled ports of a switch and the GPUs behind them: rail n of a server is the NIC of its GPU n."""
    rails: dict[str, list[int]] = {}
    for end in links.values():
        if end["role"] == "host" and (found := _RAIL.match(end["port"])):
            rails.setdefault(end["device"], []).append(int(found[1]))
    servers: dict[str, list[str]] = {}
    for server, numbers in sorted(rails.items()):
        servers.setdefault(listed(numbers), []).append(server)
    gpus = "; ".join(f"GPU {numbers} of {_some(names)}" for numbers, names in servers.items())
    others = sorted({end["device"] for end in links.values()} - set(rails))
    behind = [text for text in (gpus, f"the links to {', '.join(others)}" if others else "") if text]
    return f"{port_ranges(links)} ({'; '.join(behind)})" if links else "no cabled port"


def _some(servers: list[str]) -> str:
    return ", ".join(servers) if len(servers) <= _FEW else f"{len(servers)} servers, {servers[0]} to {servers[-1]}"


def _blocks(config: Mapping[str, str]) -> dict[str, Any]:
    return {header(line): tidy(header(line), parse_lines(text)) for line, text in config.items()}


def _differs(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether policies of this kind are attached elsewhere, to the system or to a port."""
    return any(
        _attached(kind, before.get(line, ())) != _attached(kind, after.get(line, ())) for line in {**before, **after}
    )


def _attached(kind: str, block: Iterable[Line]) -> list[str]:
    return sorted(line.text for line in block if line.text.startswith(f"service-policy type {kind} "))
