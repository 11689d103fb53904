"""A live block in the words and the order of the spec, so that drift shows as the line that drifted, and no more."""

from __future__ import annotations

import re
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, Line, parse_lines, render
from podwright.components.providers.nxos.read.spelling import ordered, same, tidy
from podwright.components.providers.protocol.kind import Secret

_SECRET: Final = re.compile(
    r"\b(password|secret|key|key-string|md5|community|authentication(-key)?|auth|priv|encrypted)\s+\S", re.IGNORECASE
)
"""Lines that may carry one; NX-OS shows passwords in reversible forms (types 6 and 7), neighbours' as type 3."""

_NAMED: Final = re.compile(r"\S+ \{\{[^}]*\}\}")
"""A value that is named and not there (secret_lines.py)."""


def guarded(text: str) -> str | Secret:
    """A text that came from the switch, marked secret where it may hold one: it is going into the stack's state."""
    return Secret(text) if _SECRET.search(_NAMED.sub("", text)) else text


def resembling(name: str, text: str, live: Block) -> str:
    """The tidy block `live` as text like `text`, the spec's: its lines in its order where they stand as it says.

    Where the order is the meaning, and where retelling would change it, the device's own order stays.
    """
    if ordered(name):
        return render(live)
    spoken = {head(line) for line in tidy(name, parse_lines(text))}
    live = tuple(line for line in live if not line.implied or head(line) in spoken)
    spelled = _spelled_as(tidy(name, parse_lines(text)), live)
    return render(spelled) if same(name, tidy(name, spelled), live) else render(live)


def _spelled_as(want: Block, live: Block) -> Block:
    left = {line.text: line for line in live}
    known = {line.text for line in want}
    spelled: list[Line] = []
    for line in want:
        stands = left.pop(line.text, None)
        if stands is not None:
            spelled.append(Line(line.text, _spelled_as(line.children, stands.children)))
        elif (
            other := next((x for x in left.values() if x.text not in known and head(x) == head(line)), None)
        ) is not None:
            spelled.append(left.pop(other.text))
    return (*spelled, *left.values())


def head(line: Line) -> str:
    """The words that name a setting, without its value: two lines of one head say the same thing differently."""
    words = line.text.removeprefix("no ").split()
    return " ".join(words[:-1]) or words[0]
