"""One change on one switch as data: what is wanted, what is still to be sent, what of a reading is somebody else's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, Line, configured_lines
from podwright.components.providers.nxos.read.resemblance import head
from podwright.components.providers.nxos.read.spelling import gathered, is_blank, is_list, same, slot, spread
from podwright.components.providers.nxos.write.ownership import paths
from podwright.components.providers.nxos.write.remediation import Config, Section, remediation

BATCH: Final = 50
"""Lines typed before it is asked again whether the rollback timer needs more time."""


@dataclass(frozen=True)
class Change:
    """What to make of a switch: blocks as `want`, blocks `gone` taken away, every other block untouched."""

    want: Config
    gone: tuple[str, ...] = ()

    def sections(self, live: Config) -> tuple[Section, ...]:
        """What is still to be sent."""
        return remediation(live, self.want, self.gone)

    def owned(self, config: Config) -> dict[str, Block]:
        """The part of a configuration that this change concerns: its blocks, and what stands in their places."""
        places = {slot(name) for name in (*self.want, *self.gone)}
        return {name: block for name, block in config.items() if slot(name) in places}


def batches(sections: Iterable[Section]) -> Iterator[list[str]]:
    """The lines of the sections as they are typed, together up to a batch; one section is never cut."""
    batch: list[str] = []
    for section in sections:
        batch += [section.header, *section.lines, *(("exit",) if section.lines else ())]
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def contested(change: Change, before: Config, now: Config) -> str:
    """The blocks of a change that differ between two readings."""
    ours, theirs = change.owned(before), change.owned(now)
    return ", ".join(sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)))


def others(change: Change, config: Config) -> dict[str, Block]:
    """Everything that the change does not concern; ports on which nothing is configured come and go with breakouts."""
    ours = change.owned(config)
    return {name: block for name, block in config.items() if name not in ours and not is_blank(name, block)}


def strange(change: Change, before: Config, after: Config) -> str:
    """A line of an owned block that is neither wanted nor was there: the device's idea, or somebody's."""
    for name, block in change.want.items():
        lines = configured_lines(after.get(name, ()))
        extra = set(paths(lines)) - set(paths(block)) - set(paths(before.get(name, ())))
        if extra and not same(name, after.get(name, ()), block):
            return " / ".join((name, *min(extra)))
    return ""


def with_foreign(before: Block, now: Block, want: Block) -> Block:
    """What stood there before, plus lines that somebody else added or changed meanwhile: those are not ours to undo."""
    stood, stands, wanted = ({t: line.children for line in b for t in spread(line.text)} for b in (before, now, want))
    by_default = {line.text for line in now if line.implied}
    added = [text for text in stands if text not in stood and text not in wanted and text not in by_default]
    heads = {head(Line(text)) for text in added if not is_list(text)}
    remaining = [text for text in stood if text in stands or head(Line(text)) not in heads]
    below = {text: with_foreign(stood[text], stands.get(text, ()), wanted.get(text, ())) for text in remaining}
    below |= {text: stands[text] for text in added}
    return tuple(Line(text, below.get(text, ())) for text in gathered([*remaining, *added]))
