"""Files in, findings out: every rule that has something to say about these switches."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from podwright.cli.lint import cabling, foreign
from podwright.cli.lint.text import UnreadableError, capture, decoded, source_lines
from podwright.cli.lint.tree import tree
from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.nexus.device import Device, device
from podwright.policies.rules.nexus.lines import Line
from podwright.policies.rules.nexus.roce import evident
from podwright.policies.rules.rule import Flaw, NexusRule, NotApplicable

_WHOLE = (("feature",), ("hostname",), ("switchname",), ("version",), ("vdc",))
"""Lines that every whole configuration begins with."""
_RELEASE = re.compile(r"^version (\d+\.\d+\(\S+)")
_NEXUS_9000 = re.compile(r"^(7\.0\(3\)[IF]|9\.|1\d\.)")
"""Trains of the Nexus 9000; 5.x, 6.x, 7.x(…)N or D and 8.x are other families, with other queues and MTUs."""
_LARGEST = 16 * 1024 * 1024
"""Bytes; a running configuration of the largest chassis is a tenth of it."""


@dataclass
class Configuration:
    """One switch's configuration, read."""

    path: Path
    source: Sequence[str]
    device: Device
    neighbours: Mapping[str, cabling.Cable]
    owned: tuple[foreign.Owned, ...]
    notes: tuple[str, ...] = ()
    """What was not checked, and why."""


@dataclass(frozen=True)
class Finding:
    """A rule broken at a place of a file."""

    rule: NexusRule
    flaw: Flaw
    path: Path
    line: int
    column: int
    length: int
    related: tuple[tuple[Path, int], ...] = ()
    more: tuple[str, ...] = ()
    """What else the same line brings about."""
    owner: str = ""
    """The controller that writes this place, where it is not a person."""


@dataclass
class Reading:
    """Everything that was found in the files given."""

    configurations: list[Configuration] = field(default_factory=list)
    skipped: list[tuple[Path, str]] = field(default_factory=list)
    """Files that were left out, and why."""


def read(paths: Iterable[Path]) -> Reading:
    """Read files; what is no NX-OS configuration is skipped with a sentence."""
    reading = Reading()
    seen: dict[str, Mapping[str, cabling.Cable]] = {}
    for path in paths:
        try:
            text = _text(path)
        except (OSError, UnreadableError) as error:
            reading.skipped.append((path, str(error) if isinstance(error, UnreadableError) else _why(error)))
            continue
        source = source_lines(text)
        taken = capture(text)
        heard = cabling.neighbours([*taken.answers, ("show lldp neighbors", source)])
        sentence = foreign.recognised(source) if text.strip() else "is empty"
        if sentence and heard:
            seen[taken.prompts[0] if taken.prompts else path.name.partition(".")[0]] = heard
        elif sentence:
            reading.skipped.append((path, sentence))
        else:
            lines = tree(taken.lines)
            reading.configurations.append(_configuration(path, source, lines, taken.prompts, heard))
    _unique(reading)
    _join(reading, seen)
    return reading


def _configuration(
    path: Path, source: Sequence[str], lines: Sequence[Line], prompts: Sequence[str], heard: Mapping[str, cabling.Cable]
) -> Configuration:
    made = device(_hostname(lines) or (*prompts, path.name.removesuffix(path.suffix))[0], lines)
    made.part = not any(line.words[:1] in _WHOLE for line in lines)
    release = next((found for line in source if (found := _RELEASE.match(line))), None)
    notes: tuple[str, ...] = ()
    if release is not None and not _NEXUS_9000.match(release[1]):
        notes = (f"release {release[1]}: the rules of the lossless class are for Nexus 9000 from 7.0(3)I on; left out",)
    else:
        made.lossless = evident(made)
    notes += tuple(foreign.declared(source))
    return Configuration(path, source, made, heard, foreign.owned(lines), notes)


def _text(path: Path) -> str:
    if path.stat().st_size > _LARGEST:
        raise UnreadableError(f"is larger than {_LARGEST // 1024 // 1024} MiB: no running configuration is")
    return decoded(path.read_bytes())


def _why(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def _hostname(lines: Sequence[Line]) -> str:
    named = [line for line in lines if line.words[:1] in (("hostname",), ("switchname",)) and len(line.words) > 1]
    return named[-1].words[1].strip('"') if named else ""


def _unique(reading: Reading) -> None:
    """The same switch saved twice is checked once, as the file that comes last has it."""
    last: dict[str, Configuration] = {}
    for each in reading.configurations:
        before = last.get(each.device.name)
        if before is not None:
            reading.skipped.append(
                (before.path, f"holds {each.device.name}, as {each.path.name} does; that one is checked")
            )
        last[each.device.name] = each
    reading.configurations = list(last.values())


def _join(reading: Reading, seen: Mapping[str, Mapping[str, cabling.Cable]]) -> None:
    devices = [each.device for each in reading.configurations]
    heard = {each.device.name: each.neighbours for each in reading.configurations if each.neighbours}
    cabling.join(devices, {**seen, **heard})


def judge(reading: Reading, without: Iterable[str] = ()) -> list[Finding]:
    """What every rule finds, in the order of files and lines; one entry per rule and line."""
    devices = [each.device for each in reading.configurations]
    by_name = {each.device.name: each for each in reading.configurations}
    left_out = set(without)
    found: dict[tuple[str, Path, int, int], Finding] = {}
    for rule in NEXUS:
        for flaw in _flaws(rule, devices) if rule.id not in left_out else ():
            if flaw.line is None and by_name[flaw.device].device.part:
                continue
            finding = _placed(rule, flaw, by_name)
            key = (rule.id, finding.path, finding.line, finding.column)
            if key in found:
                first = found[key]
                found[key] = Finding(**{**vars(first), "more": (*first.more, flaw.message)})
            else:
                found[key] = finding
    return sorted(found.values(), key=lambda each: (str(each.path), each.line, each.column, each.rule.id))


def _flaws(rule: NexusRule, devices: Sequence[Device]) -> Iterator[Flaw]:
    for group in [[each] for each in devices] if rule.alone else [list(devices)]:
        try:
            yield from rule.judge(group)
        except NotApplicable:
            continue


def _placed(rule: NexusRule, flaw: Flaw, known: Mapping[str, Configuration]) -> Finding:
    """The place of a flaw; the switch's first line where it is about something that stands nowhere."""
    own = known[flaw.device]
    line = flaw.line if flaw.line is not None and flaw.line.number else _first(own.device)
    related = tuple((known[name].path, each.number) for name, each in flaw.related if each.number)
    owner = next((part.controller for part in own.owned if part.first <= line.number <= part.last), "")
    return Finding(rule, flaw, own.path, line.number, line.column, len(line.text), related, (), owner)


def _first(found: Device) -> Line:
    """The line that names the switch, else its first one."""
    return found.top("hostname") or found.top("switchname") or next(iter(found.lines), Line("", 1))
