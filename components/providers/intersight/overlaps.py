"""MAC addresses that two pools of an account would give out: found before a pool is made, not when two servers meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podwright.components.providers.intersight.account import Account, quoted
from podwright.components.providers.protocol.kind import ProviderError

MACS = "macpool.Pool"


async def refuse_overlaps(api: Account, spec: Mapping[str, Any], blocks: Any) -> None:
    """Raise ProviderError where a block holds addresses of another pool that this key sees, whatever its organization.

    `blocks`: MacBlocks as they are to be sent; whole where their From and Size or To are texts and numbers.
    """
    if spec["object_type"] != MACS or not isinstance(blocks, list):
        return
    own = list(_ranges(blocks))
    for other in await api.query(MACS, f"Name ne {quoted(spec['name'])}"):
        for first, last in _ranges(other.get("MacBlocks") or []):
            for begin, end in own:
                if begin <= last and first <= end:
                    raise ProviderError(
                        f"{MACS} {spec['name']!r}: {_text(max(begin, first))} to {_text(min(end, last))} are addresses "
                        f"of the pool {other.get('Name')!r} too; write another intersight: {{mac_block: <first "
                        "address>}} into the stack file"
                    )


def _ranges(blocks: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """First and last address of each block."""
    for block in blocks:
        begin, last, size = block.get("From"), block.get("To"), block.get("Size")
        if isinstance(begin, str) and begin:
            first = _number(begin)
            yield first, first + int(size) - 1 if size else _number(str(last or begin))


def _number(address: str) -> int:
    return int(address.replace(":", ""), 16)


def _text(address: int) -> str:
    digits = f"{address:012X}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))
