"""Ports of Fabric Interconnects: uplinks and server ports are those that are cabled."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from ..nexus.port import Port
from ..resource import Resource
from ..rule import Finding, StackRule, apart, known
from ..switches import SWITCH
from .asked import all_of, asked, each_of, holds, joined, members, sifted, some
from .interconnects import DOMAIN_GUIDE, both, domains, faced, roles, sides, uplinks
from .inventory import (
    DOMAIN,
    PAIR,
    POLICY,
    PROFILE,
    Object,
    called,
    children,
    domain_name,
    objects,
    of,
    pairs,
    part,
    properties,
    spec,
)

_UPLINK_REFERENCES: Final = ("EthNetworkGroupPolicy", "FlowControlPolicy", "LinkAggregationPolicy")
_OfPair = Callable[[Mapping[str, Resource], Resource, Object], Iterator[str]]
"""A question about an interconnect's policies, that of its ports, and what is known of the pair."""


def _cabled(resources: Sequence[Resource]) -> Iterator[Finding]:
    there, about = objects(resources), pairs(resources)
    profiles = [each for each in resources if each.type == PROFILE]

    def racks() -> bool:
        return holds(lambda each: not str(spec(each).get("model")).startswith("UCSX"), profiles)

    def on_side(domain: Resource, side: str, read: Callable[[], Mapping[str, Resource]]) -> Iterator[str]:
        def policy() -> Resource | None:
            return read().get("fabric.PortPolicy")

        def planned(ask: _OfPair) -> Iterator[str]:
            found = policy()
            pair = about.get(domain_name(domain), {})
            return ask(read(), found, pair) if found is not None else iter(())

        def devices() -> Iterator[str]:
            found = policy()
            return _devices(found) if found is not None and not racks() else iter(())

        def cabled() -> Iterator[str]:
            return _sent(read(), faced(resources, f"{domain_name(domain)}-{side.lower()}"))

        of_ports = (partial(lambda ask: ask(read()), ask) for ask in (_twice, _outside, _no_server))
        numbered = (partial(_numbered, *each) for each in (_UPLINKS, _SERVERS))
        questions: Sequence[_OfPair] = (_model, *numbered)
        of_pair = (partial(planned, ask) for ask in questions)
        return all_of((*of_ports, cabled, lambda: asked(_uplink, uplinks(read())), *of_pair, devices))

    def of_domain(domain: Resource) -> Iterator[Finding]:
        found = sides(domain, there)
        return both(domain, {side: on_side(domain, side, read) for side, read in found.items()})

    yield from asked(of_domain, domains(resources))


def _twice(own: Mapping[str, Resource]) -> Iterator[str]:
    found, unknown = known(roles(own))
    counts = Counter((slot, number) for _, slot, number in found)
    twice = sorted(number for (_, number), count in counts.items() if count > 1)
    if twice:
        yield f"gives port {','.join(map(str, twice))} two roles"
    if unknown is not None:
        raise unknown


def _outside(own: Mapping[str, Resource]) -> Iterator[str]:
    if holds(lambda each: each[1] != 1, roles(own)):
        yield "names a port outside slot 1, which is the only one of an interconnect"


def _no_server(own: Mapping[str, Resource]) -> Iterator[str]:
    if not holds(lambda each: each[0] == "fabric.ServerRole", roles(own)):
        yield "has no server port"


def _sent(own: Mapping[str, Resource], facing: Iterator[tuple[Resource, Port]]) -> Iterator[str]:
    sent = sum(role.startswith("fabric.Uplink") for role, _, _ in roles(own))
    cables, unknown = known(facing)
    if not sent or (cables and len(cables) > sent):
        yield f"has {sent} uplink ports for {len(cables)} cables from the frontend"
    elif unknown is not None:
        raise unknown
    elif cables and len(cables) != sent:
        yield f"has {sent} uplink ports for {len(cables)} cables from the frontend"


def _uplink(uplink: Object) -> Iterator[str]:
    return asked(lambda ask: ask(uplink), (_references, _speed))


def _references(uplink: Object) -> Iterator[str]:
    given = part(uplink, "references")
    lacks = sifted(lambda name: not given.get(name), _UPLINK_REFERENCES)
    return joined(lacks, lambda those: f"{called(uplink)} has no {', '.join(those)}")


def _speed(uplink: Object) -> Iterator[str]:
    speed = part(uplink, "properties").get("AdminSpeed", "Auto")
    if speed != "Auto":
        yield f"{called(uplink)} forces {speed}: its other end negotiates"


def _model(_: Mapping[str, Resource], policy: Resource, about: Object) -> Iterator[str]:
    """The pair itself is of the model that the ports are of."""
    model = properties(policy).get("DeviceModel")
    if about.get("model") and model != about["model"]:
        yield f"has ports of a {model or 'model that is not stated'}, it is a {about['model']}"


def _numbered(
    kind: str, start: str, key: str, own: Mapping[str, Resource], _: Resource, about: Object
) -> Iterator[str]:
    """The ports of a kind are those that are cabled."""
    if not about.get(key):
        return
    numbers = some(each_of(lambda each: each[2], sifted(lambda each: each[0].startswith(start), roles(own))))
    cabled = some(each_of(int, members(about[key])))
    odd = apart((numbers.without(cabled), cabled.without(numbers)))
    yield from joined(odd, lambda those: f"has other {kind} ports than are cabled: {','.join(map(str, sorted(those)))}")


_UPLINKS: Final = ("uplink", "fabric.Uplink", "uplinks")
_SERVERS: Final = ("server", "fabric.ServerRole", "server_ports")
"""What a kind of ports is called, what their roles begin with, and what it is called of a pair."""


def _devices(policy: Resource) -> Iterator[str]:
    ports = each_of(lambda each: part(each, "properties"), children(policy, "fabric.ServerRole"))
    for about in sifted(lambda each: each.get("PreferredDeviceType") == "RackServer", ports):
        yield f"takes only a rack server at port {int(about.get('PortId') or 0)}, and the domain has blades"


UPLINKS: tuple[StackRule, ...] = (
    StackRule(
        id="compute-uplinks-as-cabled",
        title="Uplinks of an interconnect are those that the frontend is cabled to",
        why="A port with another role than its cable stays down, and the other fabric carries twice its load.",
        fix="Name each port once, in slot 1; domains.<name>.uplinks are as many as the frontend's cables.",
        reference=DOMAIN_GUIDE,
        severity="high",
        types=of(DOMAIN, POLICY, PAIR, PROFILE, SWITCH),
        compare=_cabled,
    ),
)
