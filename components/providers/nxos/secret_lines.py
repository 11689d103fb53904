"""Secrets between a spec and a switch: names on this side, what the switch keeps on the other.

A session types what stands behind a name, and what it reads bears the name again where it was made from that secret. So
everything above the session (plans, states, comparisons, messages) knows names alone, and nothing to hide.

A value that was not made from the wanted secret reads as ``{{unknown#…}}``: somebody else's. While a secret is being
rotated the value that stood under the former generation keeps that one's name, so that it is ours to replace and,
where the push fails, to put back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

from podwright.components.providers.nxos.read.blocks import Block, Line
from podwright.components.providers.nxos.secret_forms import TOKEN, SecretLine, SnmpKeys, UnfitSecretError, secret_line
from podwright.components.providers.protocol.kind import ProviderError

UNKNOWN: Final = "{{unknown#"
_ENGINE: Final = re.compile(r"engine\s?ID\s*:\s*(?:\[Hex\]\s*)?([0-9A-Fa-f]{10,64})\b", re.IGNORECASE)
"""`show snmp engineID` (system management command reference)."""
_KEYWORDS: Final = frozenset({"sha", "md5", "priv", "aes-128", "localizedkey", "localizedV2key", "engineID"})
"""Words of a value that are no key or hash."""
_TOP: Final = re.compile(r"^(?:no )?(username|snmp-server user) ")

Place = tuple[str, ...]
"""Top-level line, the lines below it on the way, and what the line itself sets."""


class Shows(Protocol):
    """A session, as far as it is asked."""

    async def show(self, command: str) -> str:
        """The answer to an exec command."""
        ...


def _nowhere(name: str) -> str:
    raise ProviderError(f"the secret {name!r} was not to be looked up here")


class SecretLines:
    """The lines with secrets that a spec wants on one switch, and that an earlier one put there."""

    def __init__(
        self,
        want: Mapping[str, Block] | None = None,
        old: Mapping[str, Block] | None = None,
        lookup: Callable[[str], str] = _nowhere,
        resolved: Callable[[str], None] = lambda _value: None,
    ) -> None:
        """`lookup` gives the value of a secret of `want`, and is asked for no other; `resolved` is told what became of
        it."""
        self._want, self._old = (dict(_places(each or {})) for each in (want, old))
        self._wanted = {line.value for line in self._want.values()}
        self._lookup, self._resolved = lookup, resolved
        self._known: dict[str, str] = {}
        self._engine: bytes | None = None
        self._stood: dict[str, list[str]] = {}
        """By value with names, those that stood on the switch in its place: what is typed to put it back."""
        self._made: dict[str, str] = {}
        """By value with names, what was made of it."""
        self._typed: set[str] = set()
        """Values with names of which that was typed."""

    async def prepare(self, session: Shows) -> None:
        """Ask for what keys are made with, once, where any are wanted."""
        if self._engine is None and any(isinstance(each.form, SnmpKeys) for each in self._want.values()):
            found = _ENGINE.search(await session.show("show snmp engineID"))
            self._engine = bytes.fromhex(found[1]) if found and len(found[1]) % 2 == 0 else b""

    def make(self) -> None:
        """Make all that may have to be typed, before any line is: a switch is not left half written for want of it.

        Raises ProviderError where a secret is missing, or is none that its line takes.
        """
        for line in self._want.values():
            self._value(line)

    def masked(self, config: Mapping[str, Block]) -> dict[str, Block]:
        """A configuration as it was read, with names in place of values."""
        if not self._want and not self._old:
            return dict(config)
        return {self._named((), name): self._below((name,), block) for name, block in config.items()}

    def _below(self, above: Place, block: Block) -> Block:
        if not above[0].startswith("router bgp "):
            return block
        return tuple(Line(self._named(above, line.text), self._below((*above, line.text), line.children), line.implied)
                     for line in block)  # fmt: skip

    def _named(self, above: Place, text: str) -> str:
        line = secret_line(above[0] if above else "", text)
        if line is None:
            return text
        place = (*above, line.place)
        want, old = self._want.get(place), self._old.get(place)
        return line.line(self._name(place, line.value, want, old)) if want or old else text

    def _name(self, place: Place, shown: str, want: SecretLine | None, old: SecretLine | None) -> str:
        former = old.value if old is not None else ""
        if want is None:
            return self._remembered(former, shown)
        proof = want.form.proves(shown, self._secrets(want), self._engine or b"")
        if proof:
            return want.value
        if former and former != want.value:
            if want.value not in self._typed or shown in self._stood.get(former, ()):
                return self._remembered(former, shown)
        elif proof is None and former:
            return want.value
        if proof is None and want.value in self._typed:
            return want.value
        return self._remembered(f"{UNKNOWN}{hashlib.sha256(repr(place).encode()).hexdigest()[:8]}}}}}", shown)

    def _remembered(self, name: str, shown: str) -> str:
        stood = self._stood.setdefault(name, [])
        if shown not in stood:
            stood.append(shown)
            self._hide(shown)
        return name

    def _hide(self, value: str) -> None:
        for word in value.split():
            if len(word) > 1 and word not in _KEYWORDS:
                self._resolved(word)

    def typed(self, line: str) -> str:
        """A line as it is typed. Raises ProviderError like `make`."""
        if "{{" not in line:
            return line
        found = secret_line("" if _TOP.match(line) else "router bgp ", line.removeprefix("no ").strip())
        if found is None:
            return line
        if line.startswith("no "):
            return f"no {found.before.strip()}"
        value = self._value(found)
        if value == self._made.get(found.value):
            self._typed.add(found.value)
        return found.line(value)

    def _value(self, line: SecretLine) -> str:
        if line.value not in self._wanted and (stood := self._stood.get(line.value)):
            return stood[0]
        if line.value not in self._made:
            try:
                made = line.form.value(self._secrets(line), self._engine or b"")
            except UnfitSecretError as unfit:
                raise ProviderError(
                    f"the secret {' or '.join(map(repr, line.names))} cannot be used: {unfit}"
                ) from None
            self._hide(made)
            self._made[line.value] = made
        return self._made[line.value]

    def _secrets(self, line: SecretLine) -> tuple[str, ...]:
        for name in line.names:
            if name not in self._known:
                self._known[name] = self._lookup(name)
        return tuple(self._known[name] for name in line.names)


def _places(config: Mapping[str, Block]) -> Iterator[tuple[Place, SecretLine]]:
    for name, block in config.items():
        if (line := secret_line("", name)) is not None and line.names:
            yield (line.place,), line
        yield from _places_below((name,), block)


def _places_below(above: Place, block: Block) -> Iterator[tuple[Place, SecretLine]]:
    for each in block:
        if (line := secret_line(above[0], each.text)) is not None and line.names:
            yield (*above, line.place), line
        yield from _places_below((*above, each.text), each.children)


def misplaced(top: str, line: str) -> str:
    """What is wrong with the names of secrets in a line below `top`, empty for a top-level line; empty: nothing."""
    if "{{" not in line:
        return ""
    found = secret_line(top, line)
    left = TOKEN.sub("", line)
    if "{{" in left or "}}" in left:
        return "names a secret in another way than {{secret:NAME#1}}"
    return "" if found is not None and found.names else "has no place for a secret"


def without_unknown(found: Mapping[str, str]) -> dict[str, str]:
    """What stood on a switch before us, without values that nobody can type again: those are in no state."""
    return {
        name: "\n".join(line for line in text.split("\n") if UNKNOWN not in line)
        for name, text in found.items()
        if UNKNOWN not in name
    }
