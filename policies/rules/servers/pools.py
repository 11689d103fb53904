"""Pools of addresses and names: large enough for the profiles that draw from them, and given out once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from itertools import pairwise
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items, nothing
from .inventory import (
    CHASSIS,
    POLICY,
    POOL,
    PROFILE,
    Key,
    attached,
    children,
    objects,
    of,
    of_type,
    properties,
    spec,
    target,
)

_POOLS: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/pools/mac/"
_PREFIX: Final = "0025B5"
"""Cisco's prefix for pooled MAC addresses: Intersight proposes it, and no adapter ships with it."""
_BLOCKS: Final = ("MacBlocks", "IpV4Blocks", "IpV6Blocks", "UuidSuffixBlocks", "IqnSuffixBlocks")


def _drawn(resources: Sequence[Resource]) -> Counter[Key]:
    """How many addresses the profiles take from each pool."""
    known, found = objects(resources), Counter[Key]()
    for profile in (each for each in resources if each.type in (PROFILE, CHASSIS)):
        found.update(target(spec(profile).get("uuid_pool")))
        for policy in attached(profile, known).values():
            for owner in (spec(policy), *children(policy, "vnic.EthIf")):
                for name, references in (owner.get("references") or {}).items():
                    found.update(key for key in target(references) if name.endswith("Pool"))
    return found


def _size(pool: Resource) -> int:
    return sum(_length(block) for name in _BLOCKS for block in items(properties(pool).get(name)))


def _length(block: Any) -> int:
    if block.get("Size"):
        return int(block["Size"])
    try:
        return int(IPv4Address(block["To"])) - int(IPv4Address(block["From"])) + 1
    except (KeyError, ValueError):
        first, last = (_number(block.get(end)) for end in ("From", "To"))
        return last - first + 1 if first and last else 0


def _number(mac: Any) -> int:
    """A MAC address, or the suffix of a UUID, as a number."""
    digits = str(mac or "").replace(":", "").replace("-", "")
    return int(digits, 16) if digits and not set(digits.lower()) - set("0123456789abcdef") else 0


def _large_enough(resources: Sequence[Resource]) -> Iterator[Finding]:
    pools = {(str(spec(each)["object_type"]), str(spec(each)["name"])): each for each in resources if each.type == POOL}
    drawn = _drawn(resources)
    if not pools:
        raise NotApplicable("no pool")
    for key, pool in pools.items():
        if _size(pool) < drawn[key]:
            yield Finding(f"{pool.name} has {_size(pool)} entries, profiles take {drawn[key]}", pool.urn)


def _once(resources: Sequence[Resource]) -> Iterator[Finding]:
    pools = list(of_type(resources, "macpool.Pool"))
    ranges = sorted(
        (_number(block.get("From")), _number(block.get("From")) + _length(block) - 1, pool.name, pool.urn)
        for pool in pools
        for block in items(properties(pool).get("MacBlocks"))
    )
    fixed = [
        (_number((vnic.get("properties") or {}).get("StaticMacAddress")), f"{each.name} {vnic.get('name')}", each.urn)
        for each in of_type(resources, "vnic.LanConnectivityPolicy")
        for vnic in children(each, "vnic.EthIf")
        if (vnic.get("properties") or {}).get("StaticMacAddress")
    ]
    if not ranges and not fixed:
        raise NotApplicable("no MAC address is given out")
    yield from _blocks(ranges)
    seen: dict[int, str] = {}
    for number, owner, urn in fixed:
        giver = next((name for start, end, name, _ in ranges if start <= number <= end), None)
        if seen.setdefault(number, owner) != owner:
            yield Finding(f"{seen[number]} and {owner} have one MAC address", urn)
        elif giver:
            yield Finding(f"{owner} has an address that {giver} gives out too", urn)


def _blocks(ranges: Sequence[tuple[int, int, str, str]]) -> Iterator[Finding]:
    """Blocks by first and last address, owner and URN: apart from each other, and of Cisco's prefix."""
    for (_, end, name, _), (start, _, other, urn) in pairwise(ranges):
        if start <= end:
            yield Finding(f"{name} and {other} give out the same MAC addresses", urn)
    for start, _, name, urn in ranges:
        if not start:
            yield Finding(f"{name} has a block without a first address", urn)
        elif not f"{start:012X}".startswith(_PREFIX):
            yield Finding(f"{name} gives out addresses outside 00:25:B5, which other adapters may have", urn)


POOLS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-pools-large-enough",
        title="A pool has an entry for each profile that draws from it",
        why="The profile that comes last finds the pool empty when it is deployed, in the middle of a roll-out.",
        fix="Enlarge the pool's blocks to the vNICs and profiles that name it, with some for replacements.",
        reference=_POOLS,
        severity="high",
        excused_by=nothing,
        types=of(POOL, POLICY, PROFILE, CHASSIS),
        compare=_large_enough,
    ),
    StackRule(
        id="compute-mac-addresses-once",
        title="A MAC address is given out once in a stack, from Cisco's prefix",
        why="Two vNICs of one address take each other's packets: both hosts lose half of their connections.",
        fix="Give each pool a block of its own below 00:25:B5, and keep boot_mac values out of the blocks.",
        reference=_POOLS,
        severity="critical",
        excused_by=nothing,
        types=of(POOL, POLICY),
        compare=_once,
        per_cluster=False,
    ),
)
