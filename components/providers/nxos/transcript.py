"""What a switch printed since a line was typed, and where it ends.

It comes in pieces of any size, with colours, and with text in it that looks like a prompt or a question: banners and
descriptions are other people's.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Final

MOST: Final = 64 * 1024 * 1024
"""Characters of one answer: ten times the longest running configuration known; more is an answer without an end."""
_TAIL: Final = 600
"""Characters at the end that can hold the marker and both prompts around it."""
_CONTROL: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[@-Z\\^_=>78])|[\r\x00]"
)
_OPEN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[()])?\Z")
"""The beginning of a control sequence whose end has not come yet."""
_LONGEST_CONTROL: Final = 256
_MODES: Final = r"(?:\([\w.+\- ]+\)){0,2}"
_ANY: Final = rf"(?P<host>[\w.\-]+){_MODES}(?P<end># ?)"
_QUESTION: Final = re.compile(r"(\(y/n\)|\[y/n\]|\[yes/no\]|\(yes/no\))[^\n]*\Z", re.IGNORECASE)


class FloodError(Exception):
    """An answer without an end."""


@dataclass(frozen=True)
class Prompt:
    """How this switch shows that it waits: its name, the mode in brackets, and an end such as ``# ``."""

    host: str = ""
    end: str = ""

    @property
    def pattern(self) -> str:
        """Any host's while this one's is not known."""
        return f"{re.escape(self.host)}{_MODES}{re.escape(self.end)}" if self.host else _ANY


class Transcript:
    """One answer as it comes in. `certain` ones end behind a marker: a comment of random digits that we type when
    something looks like the prompt, and that the switch repeats between two prompts.

    A switch may lose keys that come while it prints, or repeat them at once and not again: then it waits at a prompt,
    and `mark_again` gives it another marker. Only the last one counts, so what the earlier ones bring comes before it.
    """

    def __init__(self, prompt: Prompt, *, certain: bool) -> None:
        self._pattern = prompt.pattern
        self._waits = re.compile(rf"(?:\A|\n)(?P<prompt>{self._pattern})(?P=prompt)*\Z")
        self._markers: list[str] = []
        self._over = self._waits
        if certain:
            self.mark_again()
        self._parts: list[str] = []
        self._length = 0
        self._unfinished = ""
        self._tail = ""

    @property
    def marker(self) -> str:
        """The one to type; empty where none is needed."""
        return self._markers[-1] if self._markers else ""

    def mark_again(self) -> None:
        """Take another marker in place of the one that was typed."""
        self._markers.append(f"!{secrets.token_hex(8)}")
        self._over = re.compile(rf"(?:\A|\n)(?P<prompt>{self._pattern})(?P=prompt)*{self.marker}\n(?P=prompt)\Z")

    def add(self, piece: str) -> None:
        """Take a piece. Raises FloodError when the answer has become too long."""
        piece = self._unfinished + piece
        cut = _OPEN.search(piece)
        at = cut.start() if cut is not None and len(piece) - cut.start() < _LONGEST_CONTROL else len(piece)
        self._unfinished = piece[at:]
        plain = _CONTROL.sub("", piece[:at])
        self._parts.append(plain)
        self._length += len(plain)
        self._tail = (self._tail + plain)[-_TAIL:]
        if self._length > MOST:
            raise FloodError

    @property
    def waits(self) -> bool:
        """Whether it ends in what looks like the prompt."""
        return self._waits.search(self._tail) is not None

    @property
    def asks(self) -> bool:
        """Whether it ends in a question, behind the echo of our own line."""
        if "\n" not in self._tail and all("\n" not in part for part in self._parts):
            return False
        return _QUESTION.search(self._tail) is not None

    @property
    def over(self) -> Prompt | None:
        """The prompt behind the answer, once it is there for certain."""
        found = self._over.search(self._tail)
        if found is None:
            return None
        known = found.groupdict()
        return Prompt(known.get("host") or "", known.get("end") or "")

    @property
    def answer(self) -> str:
        """What stands before the prompt."""
        text = "".join(self._parts)
        if not self.marker:
            return text[: self._cut(text)]
        text = text[: text.rindex(self.marker)]
        text = text[: self._cut(text)]
        # One behind a prompt of its own, or one that was repeated at once.
        while marker := next((each for each in self._markers if text.endswith(each)), ""):
            text = text.removesuffix(marker)
            at = self._cut(text)
            text = text[:at] if at < len(text) else text.removesuffix("\n")
        for marker in self._markers:
            text = text.replace(f"{marker}\n", "")
        return text

    def _cut(self, text: str) -> int:
        found = self._waits.search(text[-_TAIL:])
        return len(text) - len(text[-_TAIL:]) + found.start() if found is not None else len(text)
