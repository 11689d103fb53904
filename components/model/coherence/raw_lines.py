"""Raw lines of `fabric.extra`: configuration of the mode they stand in, whole words, and nothing that acts.

A switch takes a line that no configuration mode knows as an exec command, by its first letters. Whatever does not begin
with a configuration command of its mode (`nxos_commands.toml`) is therefore refused before it can reach a switch.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from podwright.components.model.explain import suggest
from podwright.components.model.network import FabricArgs
from podwright.components.model.problems import Problem

COMMANDS = Path(__file__).parents[1] / "nxos_commands.toml"
TOP = "config"
"""The mode of a block's first line."""
_SPECIAL = {";": "ends a command", "|": "pipes", ">": "writes into a file", "?": "asks for help"}
"""What a switch's command line makes of a character, wherever it stands."""
_ONCE = "write configuration as a running configuration shows it; what is done once is typed on the switch"


@dataclass(frozen=True)
class Commands:
    """What a mode's lines begin with, and which mode they open; phrases as tuples of words."""

    phrases: Mapping[str, frozenset[tuple[str, ...]]]
    opens: Mapping[str, Mapping[tuple[str, ...], str]]
    verbs: tuple[str, ...]
    """Verbs of exec mode, by which a refusal says what a switch would have done."""

    def known(self, mode: str, words: Sequence[str]) -> bool:
        """Whether a line of these words configures something in this mode."""
        return any(tuple(words[:length]) in self.phrases[mode] for length in range(1, len(words) + 1))

    def opened(self, mode: str, words: Sequence[str]) -> str | None:
        """The mode in which lines below such a line stand; None where none do."""
        ways = self.opens.get(mode, {})
        found = (ways.get(tuple(words[:length])) for length in range(len(words), 0, -1))
        return next((each for each in found if each), None)


@cache
def commands() -> Commands:
    """The table of the data file."""
    table = tomllib.loads(COMMANDS.read_text(encoding="utf-8"))
    phrases = {
        mode: frozenset(tuple(phrase.split()) for listed in sources.values() for phrase in listed)
        for mode, sources in table["modes"].items()
    }
    opens = {mode: {tuple(phrase.split()): to for phrase, to in ways.items()} for mode, ways in table["opens"].items()}
    return Commands(phrases, opens, tuple(table["exec"]["verbs"]))


def _raw_lines(args: FabricArgs) -> Iterator[Problem]:
    for hostname, blocks in args.fabric.extra.items():
        for line, children in blocks.items():
            loc = ("fabric", "extra", hostname, line)
            if flaw := _top(line):
                yield Problem(loc, *flaw, at_key=True)
            else:
                yield from (Problem(loc, *each) for each in _below(line, children))


def _top(line: str) -> tuple[str, str] | None:
    """What is wrong with a block's first line: message and hint."""
    if not line.strip() or line != line.strip():
        return "is no top-level line", "write one whole configuration line without spaces around it"
    return _flaw(line, TOP)


def _below(line: str, children: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the lines of a block, each in the mode of the line it is indented under."""
    modes = [(-1, line, commands().opened(TOP, _words(line)))]
    for child in children.split("\n"):
        if not child.strip():
            continue
        indent = len(child) - len(child.lstrip(" "))
        while modes[-1][0] >= indent:
            modes.pop()
        _, above, mode = modes[-1]
        text = child.strip(" ")
        if mode is None:
            hint = "write the line at the level it belongs to: two spaces more than the line it stands below"
            yield f'"{_shown(text)}" stands below "{_shown(above)}", which opens no mode', hint
            return
        if flaw := _flaw(text, mode):
            yield f'"{_shown(text)}" {flaw[0]}', flaw[1]
        modes.append((indent, text, commands().opened(mode, _words(text))))


def _flaw(line: str, mode: str) -> tuple[str, str] | None:
    if odd := next((char for char in line if not " " <= char <= "~"), None):
        return f"holds the character U+{ord(odd):04X}, which a switch's terminal does not take", "write plain ASCII"
    if special := next((char for char in line if char in _SPECIAL), None):
        return f'holds "{special}", which {_SPECIAL[special]} on a switch', f'write it without "{special}"'
    words = _words(line)
    if commands().known(mode, words):
        return None
    return _unknown(words, mode)


def _unknown(words: Sequence[str], mode: str) -> tuple[str, str]:
    """Why these words configure nothing in this mode, and what to write instead."""
    where = "of a switch" if mode == TOP else f"of the mode {mode}"
    first = words[0] if words else ""
    if first == "do":
        return "runs a command of exec mode: `do` does", _ONCE
    if verb := next((each for each in commands().verbs if first and each.startswith(first)), None):
        return f"is no configuration {where}: it is read as the exec command `{verb}`", _ONCE
    phrases = sorted(commands().phrases[mode])
    meant = [" ".join(each) for each in phrases if _shortens(words, each)]
    if meant:
        return f"is no configuration command {where} in whole words", f"write it out: {' or '.join(meant[:3])}"
    hint = suggest(" ".join(words[:2]), tuple(" ".join(each) for each in phrases)) or suggest(
        first, tuple({each[0]: None for each in phrases})
    )
    return f"begins with no configuration command {where} that is known here", hint or _ONCE


def _shortens(words: Sequence[str], phrase: Sequence[str]) -> bool:
    return len(words) >= len(phrase) and all(whole.startswith(word) for word, whole in zip(words, phrase, strict=False))


def _words(line: str) -> list[str]:
    """Words of a line, the `no` before it left out, numbers as `#`."""
    words = ["#" if word.isdecimal() else word.strip("#") for word in line.split()[:6]]
    return words[1:] if words[:1] == ["no"] else words


def _shown(line: str) -> str:
    text = re.sub(r"[^ -~]", "�", line)
    return text if len(text) <= 60 else f"{text[:57]}..."


FABRIC = (_raw_lines,)
