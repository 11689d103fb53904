"""Pools of addresses and names: large enough for the profiles that draw from them, and given out once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from typing import Any, Final

from ..resource import Resource, UnknownValueError
from ..rule import Finding, NotApplicable, StackRule, items, known, nothing
from .asked import all_of, asked, each_of, members, sifted
from .inventory import (
    CHASSIS,
    POLICY,
    POOL,
    PROFILE,
    Key,
    Object,
    Objects,
    attached,
    called,
    children,
    key,
    objects,
    of,
    of_type,
    part,
    properties,
    spec,
    target,
)

_POOLS: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/pools/mac/"
_PREFIX: Final = "0025B5"
"""Cisco's prefix for pooled MAC addresses: Intersight proposes it, and no adapter ships with it."""
_BLOCKS: Final = ("MacBlocks", "IpV4Blocks", "IpV6Blocks", "UuidSuffixBlocks", "IqnSuffixBlocks")
_Block = tuple[int, int, str, str]
"""First and last address of a block, its pool and the URN of that."""


def _drawn(resources: Sequence[Resource]) -> Iterator[Key]:
    """What the profiles take addresses from, once for each address."""
    known = objects(resources)
    profiles = (each for each in resources if each.type in (PROFILE, CHASSIS))
    return asked(lambda each: asked(lambda ask: ask(each, known), (_own, _by_policies)), profiles)


def _own(profile: Resource, _: Objects) -> Iterator[Key]:
    return target(spec(profile).get("uuid_pool"))


def _by_policies(profile: Resource, known: Objects) -> Iterator[Key]:
    own = attached(profile, known)
    return asked(lambda kind: _of_policy(own[kind]), own)


def _of_policy(policy: Resource) -> Iterator[Key]:
    owners = all_of((lambda: (spec(policy),), lambda: children(policy, "vnic.EthIf")))
    references = each_of(lambda each: part(each, "references"), owners)
    pools = asked(lambda each: ((each, name) for name in each if name.endswith("Pool")), references)
    return asked(lambda each: target(each[0][each[1]]), pools)


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
    drawn, unknown = known(_drawn(resources))
    taken = Counter(drawn)
    pools = (each for each in resources if each.type == POOL)
    yield from asked(lambda each: _enough(each, taken, unknown), pools, "no pool")


def _enough(pool: Resource, taken: Counter[Key], unknown: UnknownValueError | None) -> Iterator[Finding]:
    size, count = _size(pool), taken[key(spec(pool))]
    if size < count:
        yield Finding(f"{pool.name} has {size} entries, profiles take {count}", pool.urn)
    elif unknown is not None:
        raise unknown.with_traceback(None)


def _first(found: Sequence[Finding], _: Sequence[Resource]) -> Iterator[Finding]:
    """One finding a pool: without a profile, of which not all is known, others take fewer addresses."""
    by_pool: dict[str, Finding] = {}
    for each in found:
        by_pool.setdefault(each.urn, each)
    return iter(by_pool.values())


def _once(resources: Sequence[Resource]) -> Iterator[Finding]:
    blocks, unsure = known(asked(_blocks_of, of_type(resources, "macpool.Pool")))
    fixed, unread = known(asked(_fixed, of_type(resources, "vnic.LanConnectivityPolicy")))
    unknown = unsure or unread
    if not blocks and not fixed and unknown is None:
        raise NotApplicable("no MAC address is given out")
    yield from _blocks(sorted(blocks))
    seen: dict[int, str] = {}
    for number, owner, urn in fixed:
        giver = next((name for start, end, name, _ in sorted(blocks) if start <= number <= end), None)
        if seen.setdefault(number, owner) != owner:
            yield Finding(f"{seen[number]} and {owner} have one MAC address", urn)
        elif giver:
            yield Finding(f"{owner} has an address that {giver} gives out too", urn)
    if unknown is not None:
        raise unknown


def _blocks_of(pool: Resource) -> Iterator[_Block]:
    return asked(lambda block: _block(pool, block), members(properties(pool).get("MacBlocks")))


def _block(pool: Resource, block: Any) -> Iterator[_Block]:
    first = _number(block.get("From"))
    try:
        yield first, first + _length(block) - 1, pool.name, pool.urn
    except UnknownValueError:
        yield first, first - 1, pool.name, pool.urn
        raise


def _fixed(lan: Resource) -> Iterator[tuple[int, str, str]]:
    def address(vnic: Object) -> Any:
        return part(vnic, "properties").get("StaticMacAddress")

    vnics = sifted(address, children(lan, "vnic.EthIf"))
    return each_of(lambda each: (_number(address(each)), f"{lan.name} {called(each)}", lan.urn), vnics)


def _blocks(ranges: Sequence[_Block]) -> Iterator[Finding]:
    """Blocks by first address: apart from each other, and of Cisco's prefix."""
    for at, (start, _, other, urn) in enumerate(ranges):
        before = max(ranges[:at], key=lambda each: each[1], default=None)
        if before is not None and start <= before[1]:
            yield Finding(f"{before[2]} and {other} give out the same MAC addresses", urn)
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
        together=_first,
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
