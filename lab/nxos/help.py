"""`?` and Tab at the prompt: what may come next, from the rows of the command table.

Layout, `<CR>`, the redirections and the line about another mode: captures in CiscoDevNet/NX-SDK and of a Nexus 9000v.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from podwright.lab import reading
from podwright.lab.nxos import configure
from podwright.lab.nxos.change import Place
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.syntax import INVALID, Keyword, Parameter, following, tokens
from podwright.lab.nxos.table import FOLDER, table

_INTERFACES = {
    "ethernet": "Ethernet IEEE 802.3z", "loopback": "Loopback interface", "mgmt": "Management interface",
    "nve": "Nve interface", "port-channel": "Port Channel interface", "vlan": "Vlan interface",
}  # fmt: skip
_PIPE = {
    ">": "Redirect it to a file",
    ">>": "Redirect it to a file in append mode",
    "|": "Pipe command output to filter",
}
_END = "<CR>"
_VALUES = {"ip": "A.B.C.D", "area": "A.B.C.D", "prefix": "A.B.C.D/LEN", "mac": "E.E.E", "line": "LINE"}
_SIX = {"ip": "A:B::C:D", "prefix": "A:B::C:D/LEN"}


@cache
def _texts() -> dict[str, str]:
    found: dict[str, str] = reading.read((FOLDER / "help.yaml").read_text(encoding="utf-8"))
    return found


def question(device: Device, places: Sequence[Place], typed: str) -> str:
    """What is printed for a `?` behind what was typed. Raises RefusedError where nothing can follow."""
    mode, words = _candidates(device, places, typed)
    if not words:
        before, begun = _split(typed)
        raise RefusedError(INVALID, len(before) if begun else len(typed.rstrip()))
    notice = ""
    if places and mode != places[-1].mode:
        notice = f"*** No matching command found in current mode, matching in ({mode}) mode ***\n"
    width = max(len(word) for word in words)
    return notice + "".join(f"  {word:<{width}}  {words[word]}".rstrip() + "\n" for word in sorted(words)) + "\n"


def completed(device: Device, places: Sequence[Place], typed: str) -> tuple[str, str]:
    """What the line becomes with a Tab, and what is printed where several words begin like that."""
    before, begun = _split(typed)
    _, found = _candidates(device, places, typed)
    words = sorted(word for word in found if word[:1].isalnum() and word.lower() == word)
    if not words:
        return typed, ""
    if len(words) == 1:
        return (f"{before}{words[0]} " if begun else typed), ("" if begun else f"{words[0]}\n")
    common = next(words[0][:end] for end in range(len(words[0]), -1, -1) if _all_begin(words, words[0][:end]))
    return before + max(begun, common, key=len), "   ".join(words) + "\n"


def _all_begin(words: list[str], start: str) -> bool:
    return all(word.startswith(start) for word in words)


def _split(typed: str) -> tuple[str, str]:
    """What is complete, and the word that is being typed."""
    begun = "" if not typed or typed[-1].isspace() else typed.rsplit(maxsplit=1)[-1]
    return typed[: len(typed) - len(begun)], begun


def _candidates(device: Device, places: Sequence[Place], typed: str) -> tuple[str, dict[str, str]]:
    """The mode that knows how to go on, and its words with their help."""
    before, begun = _split(typed)
    for place in reversed(places):
        words = dict(_in_mode(device, place, before))
        if place is places[-1] and not before.strip():
            words |= {word: _texts().get(word, "") for word in ("end", "exit", "no")}
        if found := _beginning(words, begun):
            return place.mode, found
    return "exec", _beginning(dict(_in_exec(device, before)), begun)


def _beginning(words: dict[str, str], begun: str) -> dict[str, str]:
    """Words that begin like what is being typed, and values it may become; all where nothing is."""
    if not begun:
        return words
    matching = {word: text for word, text in words.items() if word.startswith(begun)}
    values = {word: text for word, text in words.items() if word[:1] in "<AELW" and word != _END}
    return matching or values


def _in_mode(device: Device, place: Place, before: str) -> Iterator[tuple[str, str]]:
    typed = tokens(before)
    negate = bool(typed) and typed[0].text == "no" and place.mode not in configure.FREE_TEXT
    for command in table().rows[place.mode]:
        if configure.usable(device, place, command):
            for element in following(command.sequence, typed[negate:], partial=negate):
                yield from _described(element, bool(typed[negate:]))


def _in_exec(device: Device, before: str) -> Iterator[tuple[str, str]]:
    typed = tokens(before)
    for command in table().rows["exec"]:
        if device.usable(command):
            for element in following(command.sequence, typed):
                yield from _described(element, bool(typed))
                if element is None and command.text.startswith("show "):
                    yield from _PIPE.items()


def _described(element: Keyword | Parameter | None, begun: bool) -> Iterator[tuple[str, str]]:
    """How a word or value is shown. `begun`: the line is not empty, so that it may end here."""
    if element is None:
        if begun:
            yield _END, ""
    elif isinstance(element, Keyword):
        yield from ((word, _texts().get(word, "")) for word in element.words)
    elif element.kind in ("interface", "range"):
        yield from _INTERFACES.items()
    elif element.kind in ("int", "list", "asn") and (element.argument or element.kind == "asn"):
        yield f"<{element.argument or '1-4294967295'}>", ""
    elif element.kind == "file":
        yield "bootflash:", ""
    elif element.kind == "name":
        yield "WORD", f"(Max Size {element.argument or 64})"
    else:
        yield (_SIX if element.argument == "6" else _VALUES).get(element.kind, "WORD"), ""
