"""Static routes: the network with its length or its mask, then where to."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from .device import Device
from .lines import Line


@dataclass(frozen=True)
class Static:
    """One `ip route` of the default VRF."""

    line: Line
    network: str
    """As the line has it, a mask behind a slash: what is no network stays as it is."""
    behind: tuple[str, ...]
    """Words behind the network."""

    @property
    def hop(self) -> IPv4Address | None:
        """The next hop; None of a route to nowhere or to an interface alone."""
        return next((IPv4Address(word) for word in self.behind if _is_address(word)), None)


def statics(device: Device) -> Iterator[Static]:
    """Every one of a switch."""
    for line in device.lines:
        if line.words[:2] == ("ip", "route"):
            yield _static(line)


def _static(line: Line) -> Static:
    network, behind = "".join(line.words[2:3]), line.words[3:]
    if _is_address(network) and behind and _is_address(behind[0]):
        network, behind = f"{network}/{behind[0]}", behind[1:]
        with suppress(ValueError):
            network = str(IPv4Network(network, strict=False))
    return Static(line, network, behind)


def _is_address(word: str) -> bool:
    try:
        IPv4Address(word)
    except ValueError:
        return False
    return True
