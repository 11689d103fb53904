"""Section `breakout`: front-panel ports that a switch's links use in parts, one line for each."""

from collections.abc import Iterable

from podwright.components.design import hardware
from podwright.components.design.fabric.model import Config, Link


def lines(model: str, name: str, links: Iterable[Link]) -> Config:
    """The breakouts that follow from the parts in use of a switch and their speed; a line names one port.

    Ports that break out with one in use are named too, so that the configuration says all that the switch will show.
    """
    words: dict[str, str] = {}
    for link in links:
        for device, port in ((link.device, link.port), (link.peer, link.peer_port)):
            if device == name and port.count("/") == 2 and (made := hardware.split(model, port, link.gbps)):
                words |= dict.fromkeys(made[1], made[0])
    numbers = {int(port.removeprefix("Ethernet1/")): word for port, word in words.items()}
    return {f"interface breakout module 1 port {number} map {word}": "" for number, word in sorted(numbers.items())}
