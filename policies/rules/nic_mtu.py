"""MTU up to the servers' own NICs, which only a stack knows: what they send fits every switch on its way."""

from collections.abc import Iterator, Sequence

from . import path
from .lossless import of_ports
from .resource import Resource
from .rule import Finding, apart, known
from .switches import compared, is_switch, switch


def _gives_nics_mtu(token: str) -> bool:
    return token.endswith(":SriovNetworkNodePolicy")


def switch_or_nics(token: str) -> bool:
    """Whether a type is that of a switch, or of what gives servers' NICs their MTU."""
    return is_switch(token) or _gives_nics_mtu(token)


def along_path(resources: Sequence[Resource]) -> Iterator[Finding]:
    """MTU along the path up to the servers' own NICs, which only a stack knows."""
    yield from apart((compared(path.mtu, resources), _nics(resources)))


def _nics(resources: Sequence[Resource]) -> Iterator[Finding]:
    """One switch with ports that take less is enough; what is not known `path.mtu` raises."""
    sizes, _ = known(apart(_sizes(each) for each in resources if is_switch(each.type)))
    if sizes:
        yield from apart(_nic(each, min(sizes)) for each in resources if _gives_nics_mtu(each.type))


def _sizes(resource: Resource) -> Iterator[int]:
    device = switch(resource)
    if device.lossless is not None:
        yield from of_ports(lambda _, port: iter([port.mtu]), device, device.lossless)


def _nic(resource: Resource, size: int) -> Iterator[Finding]:
    mtu = int((resource.props.get("spec") or {}).get("mtu") or 1500)
    if mtu > size:
        sentence = f"{resource.name} gives server NICs mtu {mtu}; a switch on the path has {size}"
        yield Finding(sentence, resource.urn)
