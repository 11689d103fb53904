"""How each kind of line holds a secret: what is typed, and whether what a switch shows was made from a given secret.

Nothing is typed in clear. A switch that is given a password in clear makes an SNMP user of a local user and a local
user of an SNMP user; given a hash or a localized key it does not (system management guide, "CLI and SNMP user
synchronization"), and its accounting log holds no password. What is typed is what the switch keeps:

- a local user's password: type 5, SHA-256-crypt (security guide; published running configurations);
- an SNMPv3 user's keys: localized with the switch's own engine id (RFC 3414, A.2.2), for AES-128 all 20 bytes of it,
  as published running configurations show them;
- a BGP password: type 7, which is shown as it was typed, while one in clear comes back as type 3 (the tests of Cisco's
  own cisco_node_utils).

Type 3 and 6, passwords of type 8 and 9, and ``localizedV2key`` are made in ways that nobody published: whether they
were made from a secret is not known.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final

TOKEN: Final = re.compile(r"\{\{secret:([a-z][a-z0-9-]{0,62})#(\d{1,7})\}\}")
"""In a spec, where a secret's value belongs: its name, and the number that is raised when it was rotated."""
_HEX: Final = r"(?:0x)?([0-9A-Fa-f]+)"


class UnfitSecretError(ValueError):
    """A secret's value is none that such a line takes; the message says what it takes and not what it is."""


class Form(ABC):
    """One kind of line: what stands before the value, the value, what stands behind it."""

    below: ClassVar[str] = ""
    """Beginning of the top-level line that it stands under; empty: it is one itself."""
    pattern: ClassVar[re.Pattern[str]]
    what: ClassVar[str]
    """What a secret of it is called."""
    lengths: ClassVar[tuple[int, int]]
    """Fewest and most characters of a secret."""

    def value(self, secrets: Sequence[str], engine: bytes) -> str:
        """What is typed for these secrets. Raises UnfitSecretError."""
        self._check(secrets)
        return self._made(secrets, engine)

    def proves(self, shown: str, secrets: Sequence[str], engine: bytes) -> bool | None:
        """Whether the switch made what it shows from these secrets; None where that cannot be known.

        A value that is not in the form it claims to have was made from none, and from an unfit secret nothing is made:
        False, so that the line reads as another's and the next push names what is wrong with the secret.
        """
        try:
            self._check(secrets)
            return self._proof(shown, secrets, engine)
        except ValueError:
            return False

    def _check(self, secrets: Sequence[str]) -> None:
        least, most = self.lengths
        for each in secrets:
            if not (least <= len(each) <= most and each.isascii() and each.isprintable()):
                raise UnfitSecretError(f"{self.what} has {least} to {most} printable ASCII characters")

    @abstractmethod
    def _made(self, secrets: Sequence[str], engine: bytes, /) -> str: ...

    @abstractmethod
    def _proof(self, shown: str, secrets: Sequence[str], engine: bytes, /) -> bool | None:
        """May raise ValueError for a value that is not in its form."""


class UserPassword(Form):
    """``username NAME password TYPE HASH role ROLE``: type 5 with a salt of its own each time it is typed."""

    pattern = re.compile(r"^(?P<before>username \S+ password )(?P<value>(?:\d )?\S+)(?P<behind>.*)$")
    what = "the password of a user"
    lengths = (1, 127)

    def _made(self, secrets: Sequence[str], _engine: bytes, /) -> str:
        return f"5 {_hashes().sha256_crypt.using(rounds=5000).hash(secrets[0])}"

    def _proof(self, shown: str, secrets: Sequence[str], _engine: bytes, /) -> bool | None:
        kind, _, hashed = shown.partition(" ")
        return None if kind in ("8", "9") else kind == "5" and _hashed_from(hashed, secrets[0])


@lru_cache(maxsize=1024)
def _hashed_from(hashed: str, secret: str) -> bool:
    """By the salt that is shown: some milliseconds for each, and a push reads a switch several times."""
    made_by = next((each for each in (_hashes().sha256_crypt, _hashes().md5_crypt) if each.identify(hashed)), None)
    return made_by is not None and bool(made_by.verify(secret, hashed))


class SnmpKeys(Form):
    """``snmp-server user NAME GROUP auth ALGORITHM KEY priv ALGORITHM KEY localizedkey``: both keys of this switch."""

    pattern = re.compile(r"^(?P<before>snmp-server user \S+ (?:\S+ )?auth )(?P<value>\S.*)(?P<behind>)$")
    what = "a passphrase of SNMPv3"
    lengths = (8, 64)
    _shown = re.compile(rf"^(\S+) {_HEX} priv (\S+) {_HEX} localized(V2)?key(?: engineID \S+)?$")

    def _made(self, secrets: Sequence[str], engine: bytes, /) -> str:
        if not engine:
            raise UnfitSecretError("the switch does not show its engine id (`show snmp engineID`)")
        keys = [localized(each, engine).hex() for each in secrets]
        return f"sha 0x{keys[0]} priv aes-128 0x{keys[1]} localizedkey"

    def _proof(self, shown: str, secrets: Sequence[str], engine: bytes, /) -> bool | None:
        found = self._shown.match(shown)
        if found is None or (found[1], found[3]) != ("sha", "aes-128"):
            return False
        if found[5] or not engine:
            return None
        return [found[2].lower(), found[4].lower()] == [localized(each, engine).hex() for each in secrets]


@lru_cache(maxsize=256)
def localized(passphrase: str, engine: bytes) -> bytes:
    """Key of a passphrase, of one character at least, on the agent with this engine id, by SHA-1 (RFC 3414, A.2.2)."""
    raw = passphrase.encode()
    whole = (raw * (2**20 // len(raw) + 1))[: 2**20]
    key = hashlib.sha1(whole, usedforsecurity=False).digest()
    return hashlib.sha1(key + engine + key, usedforsecurity=False).digest()


class BgpPassword(Form):
    """``password TYPE TEXT`` of a neighbour: type 7, which anybody can read."""

    below = "router bgp "
    pattern = re.compile(r"^(?P<before>password )(?P<value>(?:\d )?\S+)(?P<behind>)$")
    what = "a BGP password"
    lengths = (1, 80)

    def _made(self, secrets: Sequence[str], _engine: bytes, /) -> str:
        return f"7 {_hashes().cisco_type7.hash(secrets[0])}"

    def _proof(self, shown: str, secrets: Sequence[str], _engine: bytes, /) -> bool | None:
        kind, _, text = shown.partition(" ")
        return None if kind != "7" else str(_hashes().cisco_type7.decode(text)) == secrets[0]


def _hashes() -> Any:
    from passlib import hash as hashes  # noqa: PLC0415 - a preview, which types no line, starts sooner

    return hashes


FORMS: Final[tuple[Form, ...]] = (UserPassword(), SnmpKeys(), BgpPassword())


@dataclass(frozen=True)
class SecretLine:
    """A line that holds a secret, taken apart."""

    form: Form
    before: str
    value: str
    behind: str

    @property
    def place(self) -> str:
        """What of its block it sets: a user of whatever group, or the one password of a neighbour."""
        return " ".join(self.before.split()[:3])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its secrets; none of a line as a switch shows it."""
        return tuple(name for name, _ in TOKEN.findall(self.value))

    def line(self, value: str) -> str:
        """The line with another value."""
        return f"{self.before}{value}{self.behind}"


def secret_line(top: str, line: str) -> SecretLine | None:
    """A line below `top`, empty for a top-level line, taken apart; None where it has no place for a secret."""
    for form in FORMS:
        if bool(form.below) == bool(top) and top.startswith(form.below) and (found := form.pattern.match(line)):
            return SecretLine(form, found["before"], found["value"], found["behind"])
    return None
