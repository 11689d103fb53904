"""The import set: what podwright would take over from these switches, and what would change on them.

A fragment of a stack file with `adopt: true` on every switch. What a running configuration does not say (model, rack,
index) is left to the reader as comments; with a stack file at hand, the comments say block by block what would differ.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from podwright.cli.lint.foreign import managed
from podwright.cli.lint.judge import Configuration, Reading
from podwright.components.design.fabric import FabricPlan, SwitchPlan
from podwright.policies.rules.nexus.device import Device
from podwright.policies.rules.nexus.lines import Line, planned
from podwright.policies.rules.nexus.qos import Class
from podwright.policies.rules.nexus.spelling import interfaces

MARK: Final = "# Import set of `podwright lint`"
_SHOWN: Final = 12
"""Lines of one block's difference that are spelled out."""
_HIDDEN: Final = frozenset({"no shutdown", "switchport", "switchport mode access", "mtu 1500", "no description"})
"""Lines that say a default; a running configuration shows them or not (interfaces guide, 10.x: default settings)."""
_PLACES: Final = {
    "leaf": "leaves", "spine": "spines", "frontend-leaf": "frontend: leaves", "storage-leaf": "storage: leaves",
}  # fmt: skip
_SECRET: Final = re.compile(
    r"\b(password|secret|key|key-string|md5|community|authentication(?:-key)?|auth|priv|encrypted)\s+\S.*",
    re.IGNORECASE,
)
"""What may carry a secret; NX-OS shows passwords in reversible forms too."""
Paths = frozenset[tuple[str, ...]]


def fragment(reading: Reading, plan: FabricPlan | None) -> str:
    """The import set as text."""
    lines = [
        f"{MARK}: merge it into `config: podwright:cluster: fabric:` of the stack file.",
        "#",
    ]
    lines += [
        "# Blocks named `changes` would be set to what the stack file says; all others stay as they are.",
        "fabric:",
    ]
    ours = [each for each in reading.configurations if not managed(each.owned)]
    for each in reading.configurations:
        if each not in ours:
            name, sign = each.device.name, each.owned[0].sign
            lines.append(f"  # {name} is left out: {managed(each.owned)} writes it (line {sign.number}: {sign.text}).")
            lines.append("  # Two controllers would undo each other's work; release the switch there first.")
    roles = {each.device.name: _role(each.device, plan) for each in ours}
    for role, place in _PLACES.items():
        members = [each for each in ours if roles[each.device.name] == role]
        if members:
            lines += _section(place, members, plan)
    if plan is None and (carrier := next((each for each in ours if each.device.lossless), None)):
        lines += _lossless(carrier.device)
    return "\n".join(lines) + "\n"


def _section(place: str, members: Sequence[Configuration], plan: FabricPlan | None) -> Iterator[str]:
    outer, _, inner = place.partition(": ")
    yield f"  {outer}:"
    if inner:
        yield f"    {inner}:"
    pad = "    " + "  " * bool(inner)
    for each in members:
        yield f"{pad}{each.device.name}:"
        yield f"{pad}  adopt: true"
        yield from (f"{pad}  {line}" for line in _switch(each, _planned(plan, each.device.name)))


def _planned(plan: FabricPlan | None, name: str) -> SwitchPlan | None:
    return next((each for each in plan.switches if each.hostname == name), None) if plan is not None else None


def _role(device: Device, plan: FabricPlan | None) -> str:
    planned = _planned(plan, device.name)
    if planned is not None:
        return planned.role
    if device.vpc is not None:
        return "frontend-leaf"
    ports = device.lossless.ports if device.lossless else [each for each in device.ports.values() if each.physical]
    return "spine" if ports and all(port.routed for port in ports) else "leaf"


def _switch(each: Configuration, plan: SwitchPlan | None) -> Iterator[str]:
    if plan is not None:
        yield from _differences(each, plan)
        return
    device = each.device
    address = device.port("mgmt0").value("address").partition("/")[0].partition(" ")[0]
    yield f"management: {address}" if address else "# management: not in this configuration"
    bgp = device.bgp
    yield f"asn: {bgp.asn}" if bgp is not None and bgp.asn.isdigit() else "# asn: not in this configuration"
    yield "# model, index, rack: a running configuration does not say them"


def _lossless(device: Device) -> Iterator[str]:
    found = device.lossless
    assert found is not None
    yield "  lossless:"
    yield f"    priority: {found.priority}"
    if found.dscps:
        yield f"    dscp: {26 if 26 in found.dscps else min(found.dscps)}"
    if found.cnp is not None:
        yield f"    cnp_dscp: {found.cnp}"
    network, queuing = device.network, device.queuing()
    mtu = _of(device.qos.for_group(network, found.group) if network is not None else None, "mtu")
    if mtu:
        yield f"    mtu: {mtu}"
    queue = device.qos.for_group(queuing, found.group) if queuing is not None else None
    share = _of(queue, "bandwidth", "remaining", "percent")
    if share:
        yield f"    bandwidth_percent: {share}"
    yield from _ecn(queue)


def _of(each: Class | None, *words: str) -> int | None:
    return each.number(*words) if each is not None else None


def _ecn(queue: Class | None) -> Iterator[str]:
    line = queue.action("random-detect") if queue is not None else None
    if line is None:
        yield "    ecn: null"
        return
    thresholds = dict(zip(line.words[1:], line.words[2:], strict=False))
    names = {"minimum-threshold": "min_kbytes", "maximum-threshold": "max_kbytes", "drop-probability": "probability"}
    if all(thresholds.get(word, "").isdigit() for word in names) and line.words.count("kbytes") == len(names) - 1:
        yield "    ecn:"
        yield from (f"      {name}: {thresholds[word]}" for word, name in names.items())


def _differences(each: Configuration, plan: SwitchPlan) -> Iterator[str]:
    """Block by block: what is the same, what would be added, removed or is another controller's."""
    wanted, there = _blocks(planned(plan.config)), _blocks(each.device.lines)
    owned = [range(part.first, part.last + 1) for part in each.owned]
    numbers = {name: line.number for line in each.device.lines for name in _names(line)}
    same, foreign = 0, []
    for name, paths in wanted.items():
        if any(numbers.get(name, 0) in part for part in owned):
            foreign.append(name)
        elif name in there and not (paths ^ there[name]) - _bare(there[name]):
            same += 1
        else:
            yield from _change(name, paths, there.get(name))
    yield f"# same: {same} of {len(wanted)} blocks"
    for name in foreign:
        yield f"# left to the other controller: {name}"
    others = [name for name in there if name not in wanted]
    yield f"# left alone: {len(others)} blocks that the stack file does not speak of"


def _change(name: str, wanted: Paths, there: Paths | None) -> Iterator[str]:
    yield f"# changes: {name}" + ("" if there is not None else " (is not there)")
    found = there or frozenset()
    lines = [f"#   + {' / '.join(path)}" for path in sorted(wanted - found)]
    lines += [f"#   - {' / '.join(path)}" for path in sorted(found - wanted - _bare(found))]
    yield from (_SECRET.sub(r"\1 (not shown)", line) for line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"#   {len(lines) - _SHOWN} more lines"


def _bare(paths: Paths) -> Paths:
    return frozenset(path for path in paths if path[-1] in _HIDDEN)


def _blocks(lines: Sequence[Line]) -> dict[str, Paths]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for line in lines:
        for name in _names(line):
            found.setdefault(name, set()).update(_paths(line))
    return {name: frozenset(paths) for name, paths in found.items()}


def _names(line: Line) -> list[str]:
    return [f"interface {name}" for name in interfaces(line.command)] or [line.command]


def _paths(line: Line, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for each in line.children:
        here = (*above, each.command)
        yield here
        yield from _paths(each, here)
