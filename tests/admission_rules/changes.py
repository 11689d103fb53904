"""Changes of an expression in Common Expression Language: each decides something else, or is said to be harmless.

Tokens are exchanged in place. What no longer compiles is none: the API server refuses its policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*')|(?P<number>(?<![\w.])\d+(?![\w.]))|(?P<word>\??[A-Za-z_]\w*)"""
    r"""|(?P<sign>==|!=|<=|>=|&&|\|\||!|<|>)"""
)
_SIGNS: Final = {
    "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",), "<": ("<=", ">"), ">": (">=", "<"),
    "<=": ("<",), ">=": (">",), "!": ("",),
}  # fmt: skip
_WORDS: Final = {
    "exists": ("all",), "all": ("exists",), "startsWith": ("endsWith",), "endsWith": ("startsWith",),
    "contains": ("startsWith",), "true": ("false",), "false": ("true",), "isGreaterThan": ("isLessThan",),
    "limits": ("requests",), "requests": ("limits",),
}  # fmt: skip
_ELEMENTS: Final = (re.compile(r"(?<=\[)'[^']*',\s*"), re.compile(r",\s*'[^']*'(?=[\],])"))
"""The first one of a list of texts, and each behind it."""


def changes(text: str) -> Iterator[tuple[str, str]]:
    """Where and what is changed, with some of what is around it, and the whole expression with it."""
    for found in _TOKEN.finditer(text):
        for other in _instead(found):
            yield _change(text, found.start(), found.end(), other)
    for element in _ELEMENTS:
        for found in element.finditer(text):
            yield _change(text, found.start(), found.end(), "")


def _instead(found: re.Match[str]) -> tuple[str, ...]:
    token = found[0]
    if found["text"]:
        # An empty text is a default or a comparison with nothing.
        return (f"{token[:-1]}x'",)
    if found["number"]:
        return (str(int(token) + 1),)
    return (_SIGNS if found["sign"] else _WORDS).get(token, ())


def _change(text: str, start: int, end: int, other: str) -> tuple[str, str]:
    before, after = text[max(0, start - 30) : start], text[end : end + 20]
    return f"{start}: {before}[{text[start:end]} -> {other}]{after}", text[:start] + other + text[end:]
