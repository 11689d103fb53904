"""From a vNIC through the interconnects to the frontend: VLANs, frame sizes and what goes without a tag."""

from collections.abc import Iterator, Mapping, Sequence

from ..nexus.spelling import numbers
from ..resource import Resource
from ..rule import Finding, NotApplicable, StackRule, items, nothing
from ..switches import SWITCH, switch
from .interconnects import DOMAIN_GUIDE, domains, faced, once, sides, uplinks, vlans
from .inventory import (
    DOMAIN,
    INSTALL,
    POLICY,
    Key,
    Object,
    children,
    domain_name,
    objects,
    of,
    of_type,
    properties,
    spec,
    target,
)


def _mtu(resources: Sequence[Resource]) -> Iterator[Finding]:
    """vNIC, class of the domain, ports of the frontend: none is narrower than what is sent into it."""
    vnics = list(of_type(resources, "vnic.EthQosPolicy"))
    systems = list(of_type(resources, "fabric.SystemQosPolicy"))
    if not vnics:
        raise NotApplicable("no vNIC has an MTU")
    devices = [f"{domain_name(each)}-{side}" for each in resources if each.type == DOMAIN for side in ("a", "b")]
    ports = [pair for device in devices for pair in faced(resources, device)]
    for vnic in vnics:
        mtu, priority = int(properties(vnic).get("Mtu") or 1500), properties(vnic).get("Priority") or "Best Effort"
        for system in systems:
            sizes = {each.get("Name"): each.get("Mtu") for each in items(properties(system).get("Classes"))}
            least = int(sizes.get(priority) or 1500)
            if mtu > least:
                yield Finding(f"{vnic.name} has MTU {mtu}, class {priority} of {system.name} {least}", vnic.urn)
        narrow = [(one, port) for one, port in ports if port.mtu < mtu]
        for one, port in narrow[:1]:
            yield Finding(f"{vnic.name} has MTU {mtu}, {one.name} {port.name} {port.mtu}", vnic.urn)


def _reach(resources: Sequence[Resource]) -> Iterator[Finding]:
    """The frontend's port, the uplinks, the interconnects and the vNICs carry the same VLANs."""
    known = objects(resources)
    pairs = domains(resources)
    given = {vlan for each in _groups_of_vnics(resources, known) for vlan in _allowed(each)}
    for domain in pairs:
        found = {}
        for side, own in sides(domain, known).items():
            made = vlans(own)
            passed = {vlan for each in uplinks(own) for group in _group(each, known) for vlan in _allowed(group)}
            outside = _sent(resources, f"{domain_name(domain)}-{side.lower()}")
            reach = (
                ("its uplinks do not carry it", made - passed),
                ("its uplinks carry it, the domain does not create it", passed - made),
                ("no vNIC has it", made - given if given else set()),
                ("vNICs have it, the domain does not create it", given - made),
                ("a port of the frontend does not carry it", {vlan for each in outside for vlan in made - each}),
                (
                    "the frontend sends it, the domain does not create it",
                    {vlan for each in outside for vlan in each - made},
                ),
            )
            found[side] = [f"VLAN {','.join(map(str, sorted(odd)))}: {what}" for what, odd in reach if odd]
        yield from once(domain, found)


def _sent(resources: Sequence[Resource], device: str) -> list[frozenset[int]]:
    """VLANs of each frontend port that faces a device and lists them."""
    found = (numbers(port.value("allowed")) for _, port in faced(resources, device))
    return [each for each in found if each]


def _group(owner: Object, known: Mapping[Key, Resource], name: str = "EthNetworkGroupPolicy") -> Iterator[Resource]:
    yield from (known[key] for key in target((owner.get("references") or {}).get(name)) if key in known)


def _groups_of_vnics(resources: Sequence[Resource], known: Mapping[Key, Resource]) -> Iterator[Resource]:
    for each in of_type(resources, "vnic.LanConnectivityPolicy"):
        for vnic in children(each, "vnic.EthIf"):
            yield from _group(vnic, known, "FabricEthNetworkGroupPolicy")


def _allowed(group: Resource) -> set[int]:
    return set(numbers(str((properties(group).get("VlanSettings") or {}).get("AllowedVlans") or "")))


def _untagged(resources: Sequence[Resource]) -> Iterator[Finding]:
    """The VLAN that a server sends without a tag is the machine network's, all the way."""
    known = objects(resources)
    networks = {str(spec(each).get("machine_network")) for each in resources if each.type == INSTALL}
    found = {
        int(name.removeprefix("Vlan"))
        for each in resources if each.type == SWITCH
        for name, address in switch(each).addresses.items()
        if name.startswith("Vlan") and str(address.network) in networks
    }  # fmt: skip
    groups = {each.urn: each for each in _groups_of_vnics(resources, known)}
    if not found or not groups:
        raise NotApplicable("no vNIC behind interconnects, or no gateway of the machine network, is known")
    for group in groups.values():
        native = int((properties(group).get("VlanSettings") or {}).get("NativeVlan") or 0)
        if native not in found:
            yield Finding(
                f"{group.name} has the native VLAN {native or 'unset'}, the machine network is VLAN {min(found)}",
                group.urn,
            )


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
