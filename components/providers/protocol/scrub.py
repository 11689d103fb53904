"""No secret leaves in a message: every value that was resolved is replaced in whatever spelling it shows up.

Device libraries put what they were given into their errors: raw, JSON-escaped, percent-escaped, base64 (basic
authentication joins user and password first, which shifts the base64 by one or two bytes), or one line of a
key.
"""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote, quote_plus

HIDDEN = "[secret]"
_SHORTEST = 4
"""Shorter values are replaced as whole words only, or every message would turn into noise."""
_SHORTEST_LINE = 8


class Scrubber:
    """Remembers secret values of a process and takes them out of texts."""

    def __init__(self) -> None:
        self._spellings: set[str] = set()
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def add(self, value: str) -> None:
        """From now on `value` never passes `clean`."""
        if not value or value in self._values:
            return
        self._values.add(value)
        self._spellings |= _spellings(value)
        words = [re.escape(s) for s in sorted(self._spellings, key=len, reverse=True) if len(s) >= _SHORTEST]
        short = [rf"\b{re.escape(s)}\b" for s in self._spellings if len(s) < _SHORTEST]
        self._pattern = re.compile("|".join(words + short))

    def clean(self, text: str) -> str:
        """`text` with every known secret replaced by ``[secret]``."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text


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
