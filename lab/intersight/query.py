"""The subset of Intersight's query language (OData) that public clients use: $filter and $orderby.

$filter: eq ne gt ge lt le in, and or not, parentheses, contains startswith endswith tolower toupper,
`Tags/any(t: t/Key eq 'x')` and all(), paths with dots, null, numbers, booleans, quoted strings, and moments of RFC 3339
without quotes (`CreateTime gt 2026-01-01T00:00:00Z`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from podwright.lab.intersight.errors import ApiError, invalid, not_implemented

Getter = Callable[[Any, str], Any]
"""(object, property) → value; follows references into other objects."""
Predicate = Callable[[Any], bool]
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)")
_TOKEN = re.compile(
    rf"\s*(?:({MOMENT.pattern})|" r"('(?:[^']|'')*')|(-?\d+(?:\.\d+)?(?![\w:-]))|([A-Za-z_$@][\w.$/-]*)|([(),:]))"
)
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: bool(a == b),
    "ne": lambda a, b: bool(a != b),
    "gt": lambda a, b: _ordered(a, b) and a > b,
    "ge": lambda a, b: _ordered(a, b) and a >= b,
    "lt": lambda a, b: _ordered(a, b) and a < b,
    "le": lambda a, b: _ordered(a, b) and a <= b,
}
TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": lambda text, part: part in text,
    "startswith": lambda text, part: text.startswith(part),
    "endswith": lambda text, part: text.endswith(part),
}
MAPPINGS: Mapping[str, Callable[[str], str]] = {"tolower": str.lower, "toupper": str.upper}
WORDS: Mapping[str, Any] = {"null": None, "true": True, "false": False}


def _moment(value: Any) -> float | None:
    """Seconds since 1970 of a moment as the API writes it; None for what is none."""
    try:
        return datetime.fromisoformat(str(value).upper()).timestamp()
    except (ValueError, OverflowError):
        return None


def _ordered(a: Any, b: Any) -> bool:
    numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
    return numbers or (isinstance(a, str) and isinstance(b, str))


def bad_query(why: str) -> ApiError:
    """The query cannot be understood."""
    return invalid("lab_query_invalid", f"The query is not valid: {why}", why)


class _Parser:
    """Recursive descent over the tokens of one filter."""

    def __init__(self, text: str, get: Getter) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._get = get

    def whole(self) -> Predicate:
        found = self._either()
        if self._at < len(self._tokens):
            raise bad_query(f"unexpected {self._tokens[self._at]!r}")
        return found

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, expected: str | None = None) -> str:
        word = self._peek()
        if not word or (expected is not None and word != expected):
            raise bad_query(f"expected {expected or 'more'}, found {word or 'the end'!r}")
        self._at += 1
        return word

    def _either(self) -> Predicate:
        parts = [self._both()]
        while self._peek() == "or":
            self._take()
            parts.append(self._both())
        return lambda item: any(part(item) for part in parts)

    def _both(self) -> Predicate:
        parts = [self._one()]
        while self._peek() == "and":
            self._take()
            parts.append(self._one())
        return lambda item: all(part(item) for part in parts)

    def _one(self) -> Predicate:
        word = self._peek()
        if word == "not":
            self._take()
            inner = self._one()
            return lambda item: not inner(item)
        if word == "(":
            self._take()
            inner = self._either()
            self._take(")")
            return inner
        if word.endswith(("/any", "/all")):
            return self._quantified()
        if word in TESTS:
            return self._test()
        return self._comparison()

    def _quantified(self) -> Predicate:
        path, _, quantifier = self._take().rpartition("/")
        self._take("(")
        variable = self._take()
        self._take(":")
        inner = self._either()
        self._take(")")
        test = any if quantifier == "any" else all

        def holds(item: Any) -> bool:
            return test(inner(_Bound(variable, element)) for element in self._get(item, path) or [])

        return holds

    def _test(self) -> Predicate:
        test = TESTS[self._take()]
        self._take("(")
        left = self._operand()
        self._take(",")
        right = self._operand()
        self._take(")")

        def holds(item: Any) -> bool:
            text, part = left(item), right(item)
            return isinstance(text, str) and isinstance(part, str) and test(text, part)

        return holds

    def _comparison(self) -> Predicate:
        left = self._operand()
        operator = self._take()
        if operator == "in":
            self._take("(")
            choices = [self._operand()]
            while self._peek() == ",":
                self._take()
                choices.append(self._operand())
            self._take(")")
            return lambda item: left(item) in [choice(item) for choice in choices]
        if operator not in COMPARISONS:
            raise bad_query(f"{operator!r} is no operator")
        right, compare = self._operand(), COMPARISONS[operator]
        if MOMENT.fullmatch(self._tokens[self._at - 1]):
            return lambda item: (moment := _moment(left(item))) is not None and compare(moment, right(item))
        return lambda item: compare(left(item), right(item))

    def _operand(self) -> Callable[[Any], Any]:
        word = self._take()
        if word[0] == "'":
            text = word[1:-1].replace("''", "'")
            return lambda _: text
        if MOMENT.fullmatch(word):
            moment = _moment(word)
            return lambda _: moment
        if word in WORDS:
            return lambda _: WORDS[word]
        if word in MAPPINGS:
            self._take("(")
            inner = self._operand()
            self._take(")")
            return lambda item: MAPPINGS[word](str(inner(item)))
        if word[0].isdigit() or word[0] == "-":
            number = float(word)
            return lambda _: number
        return lambda item: self._path(item, word)

    def _path(self, item: Any, path: str) -> Any:
        if isinstance(item, _Bound):
            variable, _, rest = path.partition("/")
            if variable != item.variable:
                raise bad_query(f"{path!r} does not start with {item.variable}/")
            return self._get(item.element, rest.replace("/", ".")) if rest else item.element
        return self._get(item, path.replace("/", "."))


class _Bound:
    """One element of a list under any() or all(), known by its variable."""

    def __init__(self, variable: str, element: Any) -> None:
        self.variable = variable
        self.element = element


def _tokens(text: str) -> list[str]:
    out, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise bad_query(f"cannot read {text[at : at + 20]!r}")
        out.append(next(group for group in match.groups() if group is not None))
        at = match.end()
    return out


def predicate(text: str, get: Getter) -> Predicate:
    """The test that a $filter stands for. Raises ApiError 400 when it cannot be understood."""
    if re.search(r"\bisof\(|\bapply\(", text):
        raise not_implemented("isof() in $filter")
    return _Parser(text, get).whole()


def sort_keys(text: str, get: Getter) -> list[tuple[Callable[[Any], Any], bool]]:
    """(key, descending) per part of $orderby, most significant first."""
    keys = []
    for part in text.split(","):
        words = part.split()
        if not words or len(words) > 2 or (len(words) == 2 and words[1] not in ("asc", "desc")):
            raise bad_query(f"$orderby {part.strip()!r}")
        keys.append((_sort_key(words[0], get), words[-1] == "desc"))
    return keys


def _sort_key(path: str, get: Getter) -> Callable[[Any], Any]:
    def key(item: Any) -> tuple[bool, str, Any]:
        value = get(item, path)
        return (value is not None, type(value).__name__, value if isinstance(value, (str, int, float)) else str(value))

    return key
