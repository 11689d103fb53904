"""A configuration: a tree of lines, each the value of a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from podwright.lab.nxos.table import Command


@dataclass(eq=False)
class Node:
    """One configured line with what stands below it. `values` are the parameters of its match. Equal by identity."""

    line: str
    command: Command | None = None
    values: dict[str, str] = field(default_factory=dict)
    children: dict[str, Node] = field(default_factory=dict)

    def copy(self) -> Node:
        """A tree of its own."""
        return Node(self.line, self.command, dict(self.values), {k: n.copy() for k, n in self.children.items()})

    def get(self, setting: str) -> Node | None:
        """The child that holds this setting."""
        return self.children.get(setting)

    def value(self, setting: str, name: str, otherwise: str = "") -> str:
        """One parameter of one setting, or `otherwise` when it is not configured."""
        child = self.children.get(setting)
        return child.values.get(name, otherwise) if child else otherwise

    def state(self, setting: str, default: bool) -> bool:
        """A toggle as configured, or its default."""
        child = self.children.get(setting)
        return default if child is None else not child.line.startswith("no ")

    def begin(self, words: str) -> Iterator[Node]:
        """Children whose setting starts with these words."""
        for setting, child in self.children.items():
            if setting == words or setting.startswith(words + " "):
                yield child

    def sorted(self) -> list[Node]:
        """Children in the order in which the device shows them."""
        if self.command is not None and self.command.keep:
            return list(self.children.values())
        return sorted(self.children.values(), key=_rank)

    def prune(self, gone: set[str]) -> None:
        """Drop every line, at any depth, that belongs to one of these features."""
        for setting, child in list(self.children.items()):
            if child.command is not None and child.command.feature in gone:
                del self.children[setting]
            else:
                child.prune(gone)


_INTERFACE_ORDER = ("Vlan", "port-channel", "nve", "Ethernet", "mgmt", "loopback")


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts Ethernet1/2 before Ethernet1/10."""
    return tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in re.findall(r"\d+|\D+", text))


def interface_rank(name: str) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """The order of interfaces in the running configuration: SVIs, port-channels, nve1, ports, mgmt0, loopbacks."""
    kind = re.match(r"[A-Za-z-]+", name)
    return _INTERFACE_ORDER.index(kind.group()) if kind else 0, natural(name)


def _rank(node: Node) -> tuple[object, ...]:
    order = node.command.order if node.command else 0
    if node.command is not None and node.command.enter == "if":
        return order, *interface_rank(node.line.removeprefix("interface "))
    return order, 0, natural(node.line)
