"""Protocol buffers' text format as far as a model's config.pbtxt goes: messages, lists, repeated fields, comments.

https://protobuf.dev/reference/protobuf/textformat-spec/
"""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(
    r'\s*(?:#[^\n]*\n\s*)*("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[A-Za-z_][\w.]*|-?[0-9][\w.+-]*|[{}\[\]:,;<>])'
)
Message = dict[str, list[Any]]


def parse(text: str) -> Message:
    """Every field with the list of its values. Raises ValueError with what it stops at."""
    stripped = re.sub(r"^\s*#[^\n]*$", "", text, flags=re.MULTILINE).strip()
    words: list[str] = []
    place = 0
    while place < len(stripped):
        found = _TOKEN.match(stripped, place)
        if found is None:
            if not stripped[place:].strip():
                break
            raise ValueError(f"Expected identifier, got: {stripped[place:].split()[0]}")
        words.append(found[1])
        place = found.end()
    message, rest = _message(words)
    if rest:
        raise ValueError(f"Expected identifier, got: {rest[0]}")
    return message


def _message(words: list[str]) -> tuple[Message, list[str]]:
    made: Message = {}
    while words and words[0] not in "}>":
        name, words = words[0], words[1:]
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"Expected identifier, got: {name}")
        if words[:1] == [":"]:
            words = words[1:]
        if words[:1] == ["["]:
            found, words = _list(words[1:])
            made.setdefault(name, []).extend(found)
        else:
            value, words = _value(words)
            made.setdefault(name, []).append(value)
        if words[:1] in ([","], [";"]):
            words = words[1:]
    return made, words


def _list(words: list[str]) -> tuple[list[Any], list[str]]:
    found: list[Any] = []
    while words and words[0] != "]":
        value, words = _value(words)
        found.append(value)
        if words[:1] == [","]:
            words = words[1:]
    return found, _closed(words, "]")


def _closed(words: list[str], mark: str) -> list[str]:
    if not words or words[0] not in mark:
        raise ValueError(f"Expected {mark[0]}, got {words[0] if words else 'end of file'}")
    return words[1:]


def _value(words: list[str]) -> tuple[Any, list[str]]:
    if not words:
        raise ValueError("Expected value, got end of file")
    word, words = words[0], words[1:]
    if word in "{<":
        inner, words = _message(words)
        return inner, _closed(words, "}" if word == "{" else ">")
    if word[0] in "\"'":
        return word[1:-1], words
    return (int(word) if re.fullmatch(r"-?\d+", word) else word), words
