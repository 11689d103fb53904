"""Addresses of the controllers of servers behind Fabric Interconnects: an access policy, and a pool that has them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, StackRule, items, known, once, perhaps
from ..switches import SWITCH, switch
from .asked import all_of, asked, each_of, holds, members, sifted
from .inventory import (
    INSTALL,
    POLICY,
    POOL,
    PROFILE,
    ROLE,
    Object,
    Objects,
    attached,
    called,
    objects,
    of,
    of_type,
    part,
    properties,
    spec,
)
from .profiles import server_profiles

_ACCESS: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/imc_access/"
_POOL: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/pools/ip/"
_WHOSE: Final = {"Gateway": "the gateway", "PrimaryDns": "a name server", "SecondaryDns": "a name server"}
_WAYS: Final = (("InbandIpPool", "ConfigureInband"), ("OutOfBandIpPool", "ConfigureOutOfBand"))


def _have(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    blades = sifted(lambda each: spec(each).get("target_platform") == "FIAttached", server_profiles(resources))
    yield from once(asked(lambda each: _has(each, known), blades, "no server behind Fabric Interconnects"))


def _has(blade: Resource, known: Objects) -> Iterator[Finding]:
    policy = attached(blade, known).get("access.Policy")
    if policy is None:
        yield Finding(f"{blade.name} has no access.Policy: its controller has no address", blade.urn)
        return
    questions = (_named_pool, _pools, _version, _vlan)
    yield from (Finding(f"{policy.name} {each}", policy.urn) for each in asked(lambda ask: ask(policy), questions))


def _named_pool(policy: Resource) -> Iterator[str]:
    references = part(spec(policy), "references")
    if not holds(lambda each: references.get(each[0]) and _ways(policy).get(each[1]), _WAYS):
        yield "names no address pool for the way it configures"


def _pools(policy: Resource) -> Iterator[str]:
    ways, references = _ways(policy), part(spec(policy), "references")
    without = sifted(lambda each: ways.get(each[1]) and not references.get(each[0]), _WAYS)
    yield from (f"sets {way} and names no {pool}" for pool, way in without)


def _ways(policy: Resource) -> Object:
    found: Object = part(properties(policy), "ConfigurationType")
    return found


def _version(policy: Resource) -> Iterator[str]:
    if not part(properties(policy), "AddressType").get("EnableIpV4"):
        yield "gives controllers no IPv4 address, and their pool has no other"


def _vlan(policy: Resource) -> Iterator[str]:
    if _ways(policy).get("ConfigureInband") and not int(properties(policy).get("InbandVlan") or 0):
        yield "sets ConfigureInband and names no InbandVlan"


def _usable(resources: Sequence[Resource]) -> Iterator[Finding]:
    pools = of_type(resources, "ippool.Pool")
    yield from asked(lambda each: _usable_pool(each, resources), pools, "no address pool")


def _usable_pool(pool: Resource, resources: Sequence[Resource]) -> Iterator[Finding]:
    def config(block: Object) -> Object:
        found: Object = block.get("IpV4Config") or part(properties(pool), "IpV4Config")
        return found

    def blocks() -> Iterator[str]:
        there = members(properties(pool).get("IpV4Blocks"))
        questions = asked(lambda each: (partial(ask, _Block(each, partial(config, each)), resources)
                                        for ask in (_in_subnet, _given_out)), there)  # fmt: skip
        return all_of(questions)

    sentences = all_of((lambda: _defined(pool, resources), blocks))
    yield from (Finding(f"{pool.name} {each}", pool.urn) for each in sentences)


def _defined(pool: Resource, resources: Sequence[Resource]) -> Iterator[str]:
    roles = (each for each in resources if each.type == ROLE)
    planned = list(sifted(bool, each_of(lambda each: part(each.props, "about").get("addresses"), roles)))

    def other(addresses: Object) -> bool:
        return holds(lambda key: _ENDS[key](pool) != addresses[key], _ENDS)

    if planned and not holds(lambda each: not other(each), planned):
        yield "does not give out the addresses, or name the gateway, that are defined"


def _first_block(pool: Resource) -> Object:
    return next((each for each in items(properties(pool).get("IpV4Blocks")) if each.get("From")), {})


def _first(pool: Resource) -> str:
    return str(_first_block(pool).get("From") or "")


def _last(pool: Resource) -> str:
    first = _first(pool)
    return str(IPv4Address(first) + int(_first_block(pool).get("Size") or 1) - 1) if first else ""


def _gateway(pool: Resource) -> str:
    return str(part(properties(pool), "IpV4Config").get("Gateway") or "") if _first(pool) else ""


_ENDS: Final[Mapping[str, Callable[[Resource], str]]] = {"first": _first, "last": _last, "gateway": _gateway}
"""What a pool gives out as it is planned, and how each is read; empty where one is not stated."""


def _taken(resources: Sequence[Resource]) -> Iterator[tuple[IPv4Address, str]]:
    """Addresses that others have: controllers and hosts of the installation, switches."""
    return asked(_own, (each for each in resources if each.type in (INSTALL, SWITCH)))


def _own(resource: Resource) -> Iterator[tuple[IPv4Address, str]]:
    if resource.type == SWITCH:
        yield from _as_address(switch(resource).management, switch(resource).name)
        return
    hosts = members(spec(resource).get("hosts"))
    keys = asked(lambda host: ((host, key) for key in ("bmc", "address")), hosts)
    yield from asked(lambda each: _as_address(each[0].get(each[1]), f"{called(each[0])}'s {each[1]}"), keys)


def _as_address(address: Any, owner: str) -> Iterator[tuple[IPv4Address, str]]:
    if address:
        yield IPv4Address(str(address).partition("/")[0]), owner


@dataclass(frozen=True)
class _Block:
    """A block of a pool, with the netmask, gateway and name servers that go with it."""

    block: Object
    read: Callable[[], Object]

    @property
    def config(self) -> Object:
        """What goes with it."""
        return self.read()

    @property
    def first(self) -> IPv4Address:
        """Its first address."""
        return IPv4Address(self.block["From"])

    @property
    def last(self) -> IPv4Address:
        """Its last address."""
        return self.first + int(self.block.get("Size") or 1) - 1

    @property
    def gateway(self) -> IPv4Address:
        """The gateway of its addresses."""
        return IPv4Address(self.config["Gateway"])

    @property
    def network(self) -> IPv4Network:
        """The subnet of its first address."""
        return IPv4Interface(f"{self.first}/{self.config['Netmask']}").network

    def complete(self) -> bool:
        """Whether it has all that an address of it needs."""
        try:
            return bool(self.network and self.gateway)
        except (KeyError, ValueError):
            return False

    def stated(self, *keys: str) -> Iterator[tuple[IPv4Address, str]]:
        """Addresses of whom, where they are stated."""
        there = sifted(self.config.get, keys)
        return each_of(lambda key: (IPv4Address(self.config[key]), _WHOSE[key]), there)


def _in_subnet(block: _Block, _: Sequence[Resource]) -> Iterator[str]:
    if not block.complete():
        yield "has a block without first address, netmask or gateway"
    elif block.last not in block.network or block.gateway not in block.network:
        which = f"{block.first} to {block.last} and the gateway {block.gateway}"
        yield f"has the block {which}, which are not in one subnet {block.network}"


def _given_out(block: _Block, resources: Sequence[Resource]) -> Iterator[str]:
    if not perhaps(_Block.complete, block):
        return
    first, last = block.first, block.last
    own = (
        partial(block.stated, "Gateway"),
        partial(_taken, resources),
        partial(block.stated, "PrimaryDns", "SecondaryDns"),
    )
    taken, unknown = known(all_of(own))
    for address, owner in sorted(dict(taken).items()):
        if first <= address <= last:
            yield f"gives out {address}, which is {owner}"
    if unknown is not None:
        raise unknown


ACCESS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-blades-have-access",
        title="A server behind Fabric Interconnects has an access policy with an address pool",
        why="Its controller has no address otherwise: no virtual media, no console, no log, and so no installation.",
        fix="Attach an access.Policy with InbandIpPool and InbandVlan, or with OutOfBandIpPool.",
        reference=_ACCESS,
        severity="critical",
        excused_by=of(POLICY),
        types=of(PROFILE, POLICY, POOL),
        compare=_have,
    ),
    StackRule(
        id="compute-address-pool-usable",
        title="An address pool has a gateway of its subnet, and addresses that nobody has",
        why="A controller with an address of another device answers now and then; one without gateway answers nobody.",
        fix="Take the addresses that are defined: a block inside the subnet of its gateway, apart from other devices.",
        reference=_POOL,
        severity="high",
        excused_by=of(ROLE),
        types=of(POOL, ROLE, INSTALL, SWITCH),
        compare=_usable,
    ),
)
