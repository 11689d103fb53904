"""Output and what a pipe makes of it: NX-OS's own filters, JSON, and the Unix ones that it brings along."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.syntax import INVALID
from podwright.lab.nxos.table import Found


@dataclass
class Output:
    """What a command prints: text, and for some commands the same as structured data."""

    plain: str
    data: dict[str, Any] | None = None

    def text(self) -> str:
        """The text form."""
        return self.plain


def apply(output: Output, found: Found, pipe: str) -> str:
    """Run the output through `a | b`. Raises RefusedError for a filter that does not exist."""
    text, data = output.plain, output.data
    for stage in pipe.split(" | "):
        word, _, argument = stage.strip().partition(" ")
        argument = argument.strip().strip('"')
        if word in ("json", "json-pretty"):
            if data is None or not found.command.json:
                raise RefusedError("Error: command does not support structured output")
            text = json.dumps(data, indent=4 if word == "json-pretty" else None) + "\n"
            continue
        lines = text.splitlines(keepends=True)
        unix = _UNIX.get(word)
        filtered = unix(argument.split(), lines) if unix else _filter(word, argument, text)
        if filtered is None:
            raise RefusedError(INVALID, 0)
        text = filtered
    return text


def _filter(word: str, argument: str, text: str) -> str | None:
    lines = text.splitlines(keepends=True)
    if len(word) >= 2 and "no-more".startswith(word):
        return text
    if len(word) >= 1 and "count".startswith(word) and not argument:
        return f"{len(lines)}\n"
    try:
        wanted = re.compile(argument)
    except re.error:
        return None
    if not argument:
        return None
    if "include".startswith(word):
        return "".join(line for line in lines if wanted.search(line))
    if len(word) >= 2 and "exclude".startswith(word):
        return "".join(line for line in lines if not wanted.search(line))
    if len(word) >= 1 and "begin".startswith(word):
        at = next((i for i, line in enumerate(lines) if wanted.search(line)), len(lines))
        return "".join(lines[at:])
    return _section(wanted, lines) if "section".startswith(word) else None


def _grep(words: list[str], lines: list[str]) -> str | None:
    """Unix grep with the flags that NX-OS offers: -c counts, -i takes either case, -v those that do not match."""
    flags = {flag for word in words if word.startswith("-") for flag in word[1:]}
    patterns = [word.strip("\"'") for word in words if not word.startswith("-")]
    if len(patterns) != 1 or flags - {"c", "i", "v"}:
        return None
    try:
        wanted = re.compile(patterns[0], re.IGNORECASE if "i" in flags else 0)
    except re.error:
        return None
    found = [line for line in lines if bool(wanted.search(line)) != ("v" in flags)]
    return f"{len(found)}\n" if "c" in flags else "".join(found)


def _head(words: list[str], lines: list[str]) -> str | None:
    count = _count(words)
    return None if count is None else "".join(lines[:count])


def _last(words: list[str], lines: list[str]) -> str | None:
    count = _count(words)
    return None if count is None else "".join(lines[len(lines) - min(count, len(lines)) :])


def _count(words: list[str]) -> int | None:
    """Of `head [lines N]` and `last [N]`; ten where no number is given."""
    numbers = [each for each in words if each not in ("lines", "-n")]
    if len(numbers) > 1 or not all(each.isdigit() for each in numbers):
        return None
    return int(numbers[0]) if numbers else 10


_UNIX = {"grep": _grep, "egrep": _grep, "head": _head, "last": _last}


def _section(wanted: re.Pattern[str], lines: list[str]) -> str:
    """Lines that match, with everything indented deeper below them."""
    matching: list[str] = []
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if depth is not None and line.strip() and indent > depth:
            matching.append(line)
            continue
        depth = None
        if wanted.search(line):
            depth = indent
            matching.append(line)
    return "".join(matching)


def rows(table: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """The TABLE_/ROW_ shape of NX-OS structured output: one row stands alone, several in a list."""
    return {f"TABLE_{table}": {f"ROW_{table}": found[0] if len(found) == 1 else found}} if found else {}
