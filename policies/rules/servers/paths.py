"""From a vNIC through the interconnects to the frontend: VLANs, frame sizes and what goes without a tag."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ..nexus.port import Port
from ..nexus.spelling import numbers
from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, known, nothing, once
from ..switches import SWITCH, switch
from .asked import Some, all_of, asked, each_of, indexed, joined, members, sifted, some
from .interconnects import DOMAIN_GUIDE, both, domains, faced, sides, uplinks, vlans
from .inventory import (
    DOMAIN,
    INSTALL,
    POLICY,
    Object,
    Objects,
    children,
    domain_name,
    objects,
    of,
    of_type,
    part,
    properties,
    spec,
    target,
)


def _mtu(resources: Sequence[Resource]) -> Iterator[Finding]:
    """vNIC, class of the domain, ports of the frontend: none is narrower than what is sent into it."""
    sides = asked(_interconnects, (each for each in resources if each.type == DOMAIN))
    ports, unread = known(asked(lambda device: faced(resources, device), sides))
    vnics = of_type(resources, "vnic.EthQosPolicy")
    parts = asked(lambda each: (partial(_in_class, each, resources), partial(_narrower, each, ports)), vnics,
                  "no vNIC has an MTU")  # fmt: skip
    yield from all_of(parts)
    if unread is not None:
        raise unread


def _interconnects(domain: Resource) -> Iterator[str]:
    yield from (f"{domain_name(domain)}-{side}" for side in ("a", "b"))


def _size(vnic: Resource) -> int:
    return int(properties(vnic).get("Mtu") or 1500)


def _in_class(vnic: Resource, resources: Sequence[Resource]) -> Iterator[Finding]:
    mtu, priority = _size(vnic), properties(vnic).get("Priority") or "Best Effort"

    def narrower(system: Resource) -> Iterator[Finding]:
        sizes = indexed(members(properties(system).get("Classes")), lambda each: each.get("Name"))
        least = int(sizes.get(priority, {}).get("Mtu") or 1500)
        if mtu > least:
            yield Finding(f"{vnic.name} has MTU {mtu}, class {priority} of {system.name} {least}", vnic.urn)

    return asked(narrower, of_type(resources, "fabric.SystemQosPolicy"))


def _narrower(vnic: Resource, ports: Sequence[tuple[Resource, Port]]) -> Iterator[Finding]:
    mtu = _size(vnic)
    for one, port in sifted(lambda each: each[1].mtu < mtu, ports):
        yield Finding(f"{vnic.name} has MTU {mtu}, {one.name} {port.name} {port.mtu}", vnic.urn)
        return


def _reach(resources: Sequence[Resource]) -> Iterator[Finding]:
    """The frontend's port, the uplinks, the interconnects and the vNICs carry the same VLANs."""
    known_objects = objects(resources)
    given = some(asked(_allowed, _groups_of_vnics(resources, known_objects)))

    def reaches(domain: Resource) -> Iterator[Finding]:
        found = {}
        for side, read in sides(domain, known_objects).items():
            sent = partial(_sent, resources, domain, side)
            found[side] = _carried(read, known_objects, given, sent)
        return both(domain, found)

    yield from asked(reaches, domains(resources))


def _carried(
    read: Callable[[], Mapping[str, Resource]],
    known_objects: Objects,
    given: Some[int],
    sent: Callable[[], Iterator[Some[int]]],
) -> Iterator[str]:
    """What is odd about the VLANs of one interconnect."""

    def allowed() -> Iterator[int]:
        return asked(_allowed, asked(lambda each: _group(each, known_objects), uplinks(read())))

    made, passed = some(all_of((lambda: vlans(read()),))), some(all_of((allowed,)))
    no_vnic = given.things or given.unknown
    reach: tuple[tuple[str, Callable[[], Iterator[int]]], ...] = (
        ("its uplinks do not carry it", lambda: made.without(passed)),
        ("its uplinks carry it, the domain does not create it", lambda: passed.without(made)),
        ("no vNIC has it", lambda: made.without(given) if no_vnic else iter(())),
        ("vNICs have it, the domain does not create it", lambda: given.without(made)),
        ("a port of the frontend does not carry it", lambda: asked(made.without, sent())),
        (
            "the frontend sends it, the domain does not create it",
            lambda: asked(lambda each: each.without(made), sent()),
        ),
    )
    return asked(lambda each: _odd(each[0], each[1]()), reach)


def _odd(what: str, vlan_ids: Iterator[int]) -> Iterator[str]:
    return joined(vlan_ids, lambda those: f"VLAN {','.join(map(str, sorted({*those})))}: {what}")


def _sent(resources: Sequence[Resource], domain: Resource, side: str) -> Iterator[Some[int]]:
    """VLANs of each frontend port that faces an interconnect and lists them."""
    facing = faced(resources, f"{domain_name(domain)}-{side.lower()}")
    found = each_of(lambda each: numbers(each[1].value("allowed")), facing)
    return each_of(lambda each: Some(frozenset(each), None), sifted(bool, found))


def _group(owner: Object, known_objects: Objects, name: str = "EthNetworkGroupPolicy") -> Iterator[Resource]:
    named = target(part(owner, "references").get(name))
    return each_of(known_objects.__getitem__, sifted(known_objects.__contains__, named))


def _groups_of_vnics(resources: Sequence[Resource], known_objects: Objects) -> Iterator[Resource]:
    vnics = asked(lambda each: children(each, "vnic.EthIf"), of_type(resources, "vnic.LanConnectivityPolicy"))
    return asked(lambda vnic: _group(vnic, known_objects, "FabricEthNetworkGroupPolicy"), vnics)


def _allowed(group: Resource) -> Iterator[int]:
    yield from numbers(str(part(properties(group), "VlanSettings").get("AllowedVlans") or ""))


def _untagged(resources: Sequence[Resource]) -> Iterator[Finding]:
    """The VLAN that a server sends without a tag is the machine network's, all the way."""
    installs = (each for each in resources if each.type == INSTALL)
    networks = some(each_of(lambda each: str(spec(each).get("machine_network")), installs))
    found = some(asked(lambda each: _gateways(each, networks), (each for each in resources if each.type == SWITCH)))
    groups, unread = known(once(_groups_of_vnics(resources, objects(resources))))
    if (not found.things and found.unknown is None) or (not groups and unread is None):
        raise NotApplicable("no vNIC behind interconnects, or no gateway of the machine network, is known")
    yield from asked(lambda each: _native(each, found), groups)
    if unread is not None:
        raise unread


def _gateways(resource: Resource, networks: Some[str]) -> Iterator[int]:
    one = switch(resource)

    def of_machines(name: str) -> bool:
        address = one.port(name).address
        return address is not None and networks.has(str(address.network))

    svis = sifted(of_machines, (name for name in one.ports if name.startswith("Vlan")))
    return each_of(lambda name: int(name.removeprefix("Vlan")), svis)


def _native(group: Resource, found: Some[int]) -> Iterator[Finding]:
    native = int(part(properties(group), "VlanSettings").get("NativeVlan") or 0)
    if not found.has(native):
        text = f"{group.name} has the native VLAN {native or 'unset'}, the machine network is VLAN"
        yield Finding(f"{text} {min(found.things)}", group.urn)


PATHS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-mtu-on-path",
        title="No hop from a vNIC to the frontend is narrower than the vNIC",
        why="A frame larger than a hop is dropped without a word: connections open, and hang at the first large read.",
        fix="Set the class of the domain and the frontend's ports to 9216, the vNIC's MTU to 9000.",
        reference=DOMAIN_GUIDE,
        severity="high",
        excused_by=nothing,
        types=of(DOMAIN, POLICY, SWITCH),
        compare=_mtu,
    ),
    StackRule(
        id="compute-vlans-reach-servers",
        title="A VLAN exists from the frontend's port to the vNIC",
        why="An end-host interconnect drops a VLAN that one of these places lacks, and nothing reports it.",
        fix="Give the same VLANs to the frontend's ports, the uplinks, the domain and the vNICs.",
        reference=DOMAIN_GUIDE,
        severity="high",
        types=of(DOMAIN, POLICY, SWITCH),
        compare=_reach,
    ),
    StackRule(
        id="compute-untagged-is-machine-network",
        title="What a server sends without a tag is in the machine network",
        why="The installer has no VLAN configured: in any other VLAN it finds no gateway, and no server joins.",
        fix="Set NativeVlan of the vNICs' group to the VLAN of the machine network.",
        reference=DOMAIN_GUIDE,
        severity="high",
        excused_by=of(INSTALL, SWITCH),
        types=of(INSTALL, POLICY, SWITCH),
        compare=_untagged,
    ),
)
