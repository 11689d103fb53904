"""Hashes of passwords and localized keys, as a switch makes them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from passlib.hash import md5_crypt, sha256_crypt

_ALGORITHMS: dict[str, Callable[..., Any]] = {"md5": hashlib.md5, "sha": hashlib.sha1}


@lru_cache(maxsize=256)
def hashed(password: str) -> str:
    """A hash of type 5, with a salt as short as published running configurations have."""
    return str(sha256_crypt.using(rounds=5000, salt_size=6).hash(password))


@lru_cache(maxsize=1024)
def verified(made: str, password: str) -> bool:
    """Whether a hash was made from a password."""
    kind = next((each for each in (sha256_crypt, md5_crypt) if each.identify(made)), None)
    return kind is not None and bool(kind.verify(password, made))


@lru_cache(maxsize=256)
def localized(algorithm: str, passphrase: str, engine: str) -> str:
    """Key of a passphrase on the agent with this engine id (RFC 3414, A.2)."""
    made, raw = _ALGORITHMS[algorithm], passphrase.encode()
    key = made((raw * (2**20 // len(raw) + 1))[: 2**20], usedforsecurity=False).digest()
    return "0x" + str(made(key + bytes.fromhex(engine) + key, usedforsecurity=False).hexdigest())


def second_version(key: str) -> str:
    """Stands for what a switch makes of a localized key of the first version: 18 bytes, and no way back."""
    return hashlib.sha256(key.lower().removeprefix("0x").encode()).hexdigest()[:36].upper()
