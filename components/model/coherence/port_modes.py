"""Ports of Fabric Interconnects that are Fibre Channel or broken out: which ones the model lets be so."""

from collections.abc import Iterator

from podwright.components.model.catalogue.interconnects import FIBRE_CHANNEL, INTERCONNECTS, Modes
from podwright.components.model.compute import Domain
from podwright.components.model.explain import suggest
from podwright.components.model.problems import Loc, Problem


def _modes(domain: Domain) -> Iterator[Problem]:
    """A mode is one of the model's, on ports that take it and do nothing else."""
    taken = {port: "an uplink" for port in domain.uplinks} | {port: "a server port" for port in domain.server_ports}
    for number, each in enumerate(domain.port_modes):
        loc: Loc = ("port_modes", number)
        known = INTERCONNECTS[domain.model].modes
        group = next((one for one in known if each.mode in one.names), None)
        if group is None:
            names = tuple(name for one in known for name in one.names)
            hint = suggest(each.mode, names) or f"its modes are {', '.join(names)}"
            yield Problem((*loc, "mode"), f"{domain.model} has no {each.mode}", hint)
            continue
        for position, port in enumerate(each.ports):
            if not group.first <= port <= group.last:
                message = f"port {port} of {domain.model} takes no {each.mode}"
                yield Problem((*loc, "ports", position), message, f"it is for ports {group.first} to {group.last}")
            elif port in taken:
                message = f"port {port} is {taken[port]}, and {each.mode} takes it from that"
                yield Problem((*loc, "ports", position), message, "name each port once")
            taken.setdefault(port, f"{each.mode} already")
        yield from _from_the_first(each.mode, sorted(set(each.ports)), group, (*loc, "ports"))


def _from_the_first(mode: str, ports: list[int], group: Modes, loc: Loc) -> Iterator[Problem]:
    """Unified ports are divided once: Fibre Channel has those up to a border, Ethernet the others."""
    if mode != FIBRE_CHANNEL or any(not group.first <= port <= group.last for port in ports):
        return
    if ports != list(range(group.first, group.first + len(ports))) or len(ports) % group.step:
        steps = f", {group.step} at a time" if group.step > 1 else ""
        full = -(-(ports[-1] - group.first + 1) // group.step) * group.step
        message = f"Fibre Channel has ports {group.first} and those that follow{steps}"
        yield Problem(loc, message, f"write [{group.first}-{min(group.last, group.first + full - 1)}]")


DOMAIN = (_modes,)
