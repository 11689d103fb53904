"""Addresses of the controllers of servers behind Fabric Interconnects: an access policy, and a pool that has them."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface
from typing import Any, Final

from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items
from ..switches import SWITCH, switch
from .inventory import INSTALL, POLICY, POOL, PROFILE, ROLE, Object, attached, objects, of, of_type, properties, spec
from .profiles import server_profiles

_ACCESS: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/policies/imc_access/"
_POOL: Final = "https://netascode.cisco.com/docs/data_models/compute/intersight/organizations/pools/ip/"
_WAYS: Final = (("InbandIpPool", "ConfigureInband"), ("OutOfBandIpPool", "ConfigureOutOfBand"))


def _have(resources: Sequence[Resource]) -> Iterator[Finding]:
    known = objects(resources)
    blades = [each for each in server_profiles(resources) if spec(each).get("target_platform") == "FIAttached"]
    if not blades:
        raise NotApplicable("no server behind Fabric Interconnects")
    policies: dict[str, Resource] = {}
    for each in blades:
        policy = attached(each, known).get("access.Policy")
        if policy is None:
            yield Finding(f"{each.name} has no access.Policy: its controller has no address", each.urn)
        else:
            policies[policy.urn] = policy
    for policy in policies.values():
        yield from (Finding(f"{policy.name} {each}", policy.urn) for each in _policy(policy))


def _policy(policy: Resource) -> Iterator[str]:
    references, values = spec(policy).get("references") or {}, properties(policy)
    ways = values.get("ConfigurationType") or {}
    if not any(references.get(pool) and ways.get(way) for pool, way in _WAYS):
        yield "names no address pool for the way it configures"
    for pool, way in _WAYS:
        if ways.get(way) and not references.get(pool):
            yield f"sets {way} and names no {pool}"
    if not (values.get("AddressType") or {}).get("EnableIpV4"):
        yield "gives controllers no IPv4 address, and their pool has no other"
    if ways.get("ConfigureInband") and not int(values.get("InbandVlan") or 0):
        yield "sets ConfigureInband and names no InbandVlan"


def _usable(resources: Sequence[Resource]) -> Iterator[Finding]:
    pools = list(of_type(resources, "ippool.Pool"))
    if not pools:
        raise NotApplicable("no address pool")
    taken = _taken(resources)
    planned = [
        found for each in resources if each.type == ROLE if (found := (each.props.get("about") or {}).get("addresses"))
    ]
    for pool in pools:
        if planned and _ends(pool) not in [(each["first"], each["last"], each["gateway"]) for each in planned]:
            yield Finding(
                f"{pool.name} does not give out the addresses, or name the gateway, that are defined", pool.urn
            )
        config = properties(pool).get("IpV4Config") or {}
        for block in items(properties(pool).get("IpV4Blocks")):
            own = block.get("IpV4Config") or config
            yield from (Finding(f"{pool.name} {each}", pool.urn) for each in _block(block, own, taken))


def _ends(pool: Resource) -> tuple[str, str, str]:
    """First and last address, and the gateway; empty where one is not stated."""
    blocks = [each for each in items(properties(pool).get("IpV4Blocks")) if each.get("From")]
    if not blocks:
        return "", "", ""
    first = IPv4Address(str(blocks[0]["From"]))
    last = first + int(blocks[0].get("Size") or 1) - 1
    return str(first), str(last), str((properties(pool).get("IpV4Config") or {}).get("Gateway") or "")


def _taken(resources: Sequence[Resource]) -> dict[IPv4Address, str]:
    """Addresses that others have: controllers and hosts of the installation, switches."""
    found: dict[IPv4Address, str] = {}
    for each in resources:
        hosts = items(spec(each).get("hosts")) if each.type == INSTALL else ()
        for host in hosts:
            for key in ("bmc", "address"):
                _add(found, host.get(key), f"{host.get('name')}'s {key}")
        if each.type == SWITCH:
            _add(found, switch(each).management, switch(each).name)
    return found


def _add(found: dict[IPv4Address, str], address: Any, owner: str) -> None:
    if address:
        found[IPv4Address(str(address).partition("/")[0])] = owner


def _block(block: Object, config: Object, taken: dict[IPv4Address, str]) -> Iterator[str]:
    try:
        first = IPv4Address(block["From"])
        network = IPv4Interface(f"{first}/{config['Netmask']}").network
        gateway = IPv4Address(config["Gateway"])
    except (KeyError, ValueError):
        yield "has a block without first address, netmask or gateway"
        return
    last = first + int(block.get("Size") or 1) - 1
    if last not in network or gateway not in network:
        yield f"has the block {first} to {last} and the gateway {gateway}, which are not in one subnet {network}"
    given = {gateway: "the gateway", **taken, **{IPv4Address(config[key]): "a name server"
             for key in ("PrimaryDns", "SecondaryDns") if config.get(key)}}  # fmt: skip
    for address, owner in sorted(given.items()):
        if first <= address <= last:
            yield f"gives out {address}, which is {owner}"


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
