"""One line about to be taken, and where a session stands."""

from __future__ import annotations

from dataclasses import dataclass

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.table import Command, Found
from podwright.lab.nxos.tree import Node


@dataclass
class Change:
    """One line about to be taken in one block: what checks judge and effects carry out."""

    device: Device
    parent: Node
    command: Command
    found: Found
    negate: bool
    answer: str = ""
    """What the device prints although it takes the line."""

    @property
    def values(self) -> dict[str, str]:
        """Parameters of the line, as the device spells them."""
        return self.found.match.values

    @property
    def setting(self) -> str:
        """Name of the setting."""
        return self.command.setting(self.found.match)

    @property
    def line(self) -> str:
        """The line as the device spells it."""
        return self.found.match.line

    @property
    def existing(self) -> Node | None:
        """What the setting holds now."""
        return self.parent.get(self.setting)

    @property
    def interface(self) -> str:
        """Name of the interface whose block this is, empty elsewhere."""
        return self.parent.line.removeprefix("interface ") if self.parent.line.startswith("interface ") else ""

    def store(self, line: str | None = None) -> Node:
        """Write the line; what stands below a block stays."""
        children = self.existing.children if self.existing and self.command.enter else {}
        node = Node(line or self.line, self.command, dict(self.values), children)
        self.parent.children[self.setting] = node
        return node

    def drop(self) -> None:
        """Remove the setting and all below it."""
        self.parent.children.pop(self.setting, None)


@dataclass(frozen=True)
class Place:
    """Where a session stands: a mode and the blocks it configures (several in a range)."""

    mode: str
    blocks: tuple[Node, ...]
