"""What a change disturbs beyond the lines it types, known from the spec alone: said in the preview. Pure.

The class of each line and the sentence about it stand in the table of changes; here it gets ports and GPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from podwright.components.changes.impact import Impact, impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.providers.nxos.read.blocks import listed, parse_lines, port_ranges, render
from podwright.components.providers.nxos.read.spelling import header, same, tidy
from podwright.components.providers.nxos.write.breakout import cages, of_cage, word

_TOKEN: Final = "podwright:nxos:Switch"
_UNNAMED: Final = "{name}: {lines}: {reason}: {touched}"
"""Where a row has no sentence of its own."""
_FEW: Final = 4
_RAIL: Final = re.compile(r"^rail(\d+)$")


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Impact, ...]:
    """Rows of the table between two specs of one switch; blocks that mean the same in other words are no change."""
    if old["config"] == new["config"]:  # most switches of a plan, whose texts need not be read
        return impacts(_TOKEN, old, new)
    before, after = (canonical(spec["config"]) for spec in (old, new))
    return impacts(_TOKEN, {**old, "config": before}, {**new, "config": _in_words_of(before, after)})


def notices(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """One sentence for each disturbance that lies between two specs of one switch."""
    name = new["hostname"]
    sentences: dict[str, list[Impact]] = {}
    for impact in changed(old, new):
        row = impact.row
        if row.scope != "cage" and (impact.change_class >= ChangeClass.DISRUPTIVE or row.at_reload):
            template = row.warning or _UNNAMED.replace("{reason}", row.reason)
            sentences.setdefault(template, []).append(impact)
    for template, found in sentences.items():
        sections = dict.fromkeys(line.split(" / ")[0] for impact in found for line in impact.properties)
        links = {port: end for impact in found for port, end in impact.links.items()}
        yield template.format(name=name, lines=_some(list(sections), "; "), touched=touched(links))
    yield from _breakouts(name, canonical(old["config"]), canonical(new["config"]), old.get("links", {}))


def canonical(config: Mapping[str, str]) -> dict[str, str]:
    """Blocks in the spelling of a running configuration."""
    return {header(line): render(tidy(header(line), parse_lines(text))) for line, text in config.items()}


def _in_words_of(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    return {
        line: before[line] if line in before and same(line, parse_lines(before[line]), parse_lines(text)) else text
        for line, text in after.items()
    }


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
    gpus = "; ".join(f"GPU {numbers} of {_servers(names)}" for numbers, names in servers.items())
    others = sorted({end["device"] for end in links.values()} - set(rails))
    behind = [text for text in (gpus, f"the links to {', '.join(others)}" if others else "") if text]
    return f"{port_ranges(links)} ({'; '.join(behind)})" if links else "no cabled port"


def _servers(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _FEW else f"{len(names)} servers, {names[0]} to {names[-1]}"


def _some(lines: list[str], between: str) -> str:
    rest = len(lines) - _FEW
    return between.join(lines[:_FEW]) + (f" and {rest} more" if rest > 0 else "")
