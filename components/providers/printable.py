"""Text of other machines as it may stand on a terminal."""

from __future__ import annotations

LONGEST = 500
"""Characters of one field that are kept: LLDP's fields have at most 511 bytes, and no name is longer than a line."""


def printable(text: str) -> str:
    """`text` on one line without control characters: those of a neighbour's name would reach whoever reads it."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: LONGEST + 1])
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
