"""Addresses and numbers that two pools of an account would give out: found before a pool is made, not when two servers
meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.listing import quoted
from podwright.components.providers.protocol.kind import ProviderError


def _mac(number: int) -> str:
    digits = f"{number:012X}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _uuid(number: int) -> str:
    digits = f"{number:032X}"
    return "-".join(digits[begin:end] for begin, end in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))


def _hexadecimal(text: str) -> int:
    return int(text.replace(":", "").replace("-", ""), 16)


@dataclass(frozen=True)
class _Blocks:
    """How a kind of pool holds what it gives out."""

    property: str
    number: Callable[[str], int]
    text: Callable[[int], str]
    instead: str
    """What to write into the stack file."""


_KINDS: Mapping[str, _Blocks] = {
    "macpool.Pool": _Blocks("MacBlocks", _hexadecimal, _mac, "intersight: {mac_block: <first address>}"),
    "ippool.Pool": _Blocks(
        "IpV4Blocks",
        lambda text: int(IPv4Address(text)),
        lambda number: str(IPv4Address(number)),
        "intersight: {management: {addresses: <first>-<last>/<prefix>}}",
    ),
    "uuidpool.Pool": _Blocks("UuidSuffixBlocks", _hexadecimal, _uuid, "Prefix, or another block, for the pool"),
}


def blocks_of(object_type: str, properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a pool gives out, of its properties; empty for what is no such pool."""
    kind = _KINDS.get(object_type)
    names = (kind.property, "Prefix") if kind else ()
    return {name: properties[name] for name in names if name in properties}


async def refuse_overlaps(api: Account, spec: Mapping[str, Any], properties: Mapping[str, Any]) -> None:
    """Raise ProviderError where the pool holds what another one that this key sees holds, whatever its organization.

    `properties`: the pool's as they are to be sent.
    """
    kind = _KINDS[spec["object_type"]]
    own = list(_ranges(kind, properties))
    for other in await api.query(spec["object_type"], f"Name ne {quoted(spec['name'])}"):
        for first, last in _ranges(kind, other):
            for begin, end in own:
                if begin <= last and first <= end:
                    both = f"{kind.text(max(begin, first))} to {kind.text(min(end, last))}"
                    raise ProviderError(
                        f"{spec['object_type']} {spec['name']!r}: {both} are given out by the pool "
                        f"{other.get('Name')!r} too; write another {kind.instead} into the stack file"
                    )


def _ranges(kind: _Blocks, pool: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """First and last of each block."""
    before = _hexadecimal(str(pool.get("Prefix") or "0")) << 64 if kind.text is _uuid else 0
    blocks = pool.get(kind.property)
    for block in blocks if isinstance(blocks, list) else ():
        begin, last, size = block.get("From"), block.get("To"), block.get("Size")
        if isinstance(begin, str) and begin:
            first = before + kind.number(begin)
            yield first, first + int(size) - 1 if size else before + kind.number(str(last or begin))
