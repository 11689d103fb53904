"""No secret leaves in a message: every value that was resolved is replaced in whatever spelling it shows up.

Device libraries put what they were given into their errors: raw, or escaped for JSON, YAML, HTML, a URL or a shell,
each character on its own and one way inside another; as hex; as base64 (basic authentication joins user and password
first, which shifts the base64 by one or two bytes); or one line of a key.
"""

from __future__ import annotations

import base64
import json
import re
from functools import cache
from html.entities import codepoint2name
from urllib.parse import quote, quote_plus

HIDDEN = "[secret]"
_SHORTEST = 4
"""Shorter values are replaced as whole words only, or every message would turn into noise."""
_SHORTEST_LINE = 8
_LONGEST = 160
"""Of longer values (a key, a pull secret) whole spellings are looked for, of shorter ones those of each character: a
pattern of alternatives for some thousand characters would take seconds to make."""
_FOLD = r"(?:\\\r?\n[ \t]*\\?)?"
"""Where YAML broke a line inside double quotes."""


class Scrubber:
    """Remembers secret values of a process and takes them out of texts."""

    def __init__(self) -> None:
        self._spellings: set[str] = set()
        self._values: set[str] = set()
        self._made: tuple[int, re.Pattern[str] | None] = (0, None)
        """How many values the pattern is for, and the pattern. It is made when a text is to be cleaned: making it for
        each value that a resource of a large site brings takes a third of a preview's work here."""

    def add(self, value: str) -> None:
        """From now on `value` never passes `clean`."""
        if not value or value in self._values:
            return
        self._spellings |= _spellings(value)
        self._values.add(value)

    def clean(self, text: str) -> str:
        """`text` with every known secret replaced by ``[secret]``."""
        count, pattern = self._made
        if count != len(self._values):
            count, pattern = self._made = self._pattern()
        return pattern.sub(HIDDEN, text) if pattern else text

    def _pattern(self) -> tuple[int, re.Pattern[str]]:
        values, spellings = (sorted(each, key=len, reverse=True) for each in (self._values, self._spellings))
        words = [_spelled(value) for value in values if _SHORTEST <= len(value) <= _LONGEST]
        words += [re.escape(each) for each in spellings if len(each) >= _SHORTEST]
        short = [rf"\b{re.escape(each)}\b" for each in spellings if len(each) < _SHORTEST]
        return len(values), re.compile("|".join(words + short))


@cache
def _spelled(value: str) -> str:
    """A pattern of a value in which each character may be escaped in any way, and of its bytes in hex."""
    escaped = _FOLD.join(_character(each) for each in value.strip())
    mark = r"(?:\\x|0x)?"
    digits = mark + rf"[\s:,-]{{0,2}}{mark}".join(f"{byte:02x}" for byte in value.strip().encode())
    return f"{escaped}|(?i:{digits})"


@cache
def _character(char: str) -> str:
    """A pattern of one character, raw or escaped."""
    code, raw = ord(char), char.encode()
    wide = char.encode("utf-16-be").hex()
    units = [wide[place : place + 4] for place in range(0, len(wide), 4)]
    ways = [
        re.escape(char),
        "(?i:" + "".join(f"%{byte:02x}" for byte in raw) + ")",
        f"&#0*{code};",
        f"(?i:&#x0*{code:x};)",
        "(?i:" + "".join(rf"\\+u{unit}" for unit in units) + ")",
        "(?i:" + "".join(rf"\\+x{byte:02x}" for byte in raw) + ")",
        "".join(rf"\\+{byte:03o}" for byte in raw),
    ]
    if code > 0xFFFF:
        ways.append(rf"(?i:\\+U{code:08x})")
    elif 0x7F < code <= 0xFF:
        ways.append(rf"(?i:\\+x{code:02x})")
    if name := "apos" if char == "'" else codepoint2name.get(code):
        ways.append(f"&{name};")
    ways += _QUOTED.get(char, ())
    if not char.isalnum():
        ways.append(rf"\\+{re.escape(char)}")
    return f"(?:{'|'.join(ways)})"


_QUOTED = {
    "'": (r"''", r"'\\+''", r"""'"'"'"""),
    '"': (r'""',),
    "\\": (r"\\{2,8}",),
    " ": (r"\+", r"\s+"),
    "\n": (r"\\+n", r"\r\n", r"\s+"),
    "\t": (r"\\+t",),
}
"""What YAML, CSV, shells and forms make of a character beside escaping it."""


def _spellings(value: str) -> set[str]:
    pieces = {value, value.strip()}
    pieces |= {line.strip() for line in value.splitlines() if len(line.strip()) >= _SHORTEST_LINE}
    found: set[str] = set()
    for piece in pieces:
        found |= {piece, json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1], repr(piece)[1:-1]}
        found |= {repr(piece.encode())[2:-1], quote(piece, safe=""), quote(piece), quote_plus(piece)}
        found |= _base64(piece.encode())
    return {spelling for spelling in found if spelling}


def _base64(raw: bytes) -> set[str]:
    """Base64 of `raw` at the three alignments it can have inside a longer text, without the bytes it
    shares.
    """
    found = set()
    for shift in range(3):
        padded = bytes(shift) + raw
        start = -(-shift * 8 // 6)  # the first digit that holds none of the shifted bytes' bits
        end = len(padded) * 8 // 6  # the last digit that holds only bits of raw
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            digits = encode(padded).decode()[start:end]
            if len(digits) >= _SHORTEST:
                found.add(digits)
    return found
