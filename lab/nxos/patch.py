"""Whole-box rollback: the lines that lead from one configuration to another, and putting a checkpoint back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.nxos.render import children, shown
from lab.nxos.tree import Node

if TYPE_CHECKING:
    from lab.nxos.device import Device


def _undo(line: str) -> str:
    return line.removeprefix("no ") if line.startswith("no ") else f"no {line}"


def patch(device: Device, have: Node, want: Node, depth: int = 0) -> list[str]:
    """Lines that turn `have` into `want`, removals first within a block. Empty when they are the same."""
    lines: list[str] = []
    pad = "  " * depth
    new = {n.line: n for n in want.sorted() if shown(device, want, n)}
    old = {n.line: n for n in have.sorted() if shown(device, have, n)}
    wanted = {key: node.line for key, node in want.children.items()}
    for key, node in have.children.items():
        if node.line not in old or node.line in new or wanted.get(key) == node.line:
            continue
        if node.command is not None and node.command.hollow:
            lines += [pad + node.line, *patch(device, node, Node(node.line, node.command), depth + 1)]
        else:
            lines.append(pad + _undo(node.line))
    for line, node in new.items():
        before = old.get(line)
        if before is None:
            lines += [pad + line, *children(device, node, depth + 1)]
        else:
            inner = patch(device, before, node, depth + 1)
            if inner:
                lines += [pad + line, *inner]
    return lines


def patch_text(lines: list[str]) -> str:
    """A patch as `show diff rollback-patch` prints it."""
    if not lines:
        return "Collecting Running-Config\n#Generating Rollback Patch\nRollback Patch is Empty\n"
    text = ""
    for line in lines:
        text += ("" if line.startswith(" ") else "\n!!\n") + line + "\n"
    return f"Collecting Running-Config\n#Generating Rollback Patch\n{text}"


ROLLBACK_DONE = """Note: Applying config parallelly may fail Rollback verification
Collecting Running-Config
#Generating Rollback Patch
Executing Rollback Patch
Generating Running-config for verification
Generating Patch for verification
Verification is Successful.

Rollback completed successfully.
"""
ROLLBACK_FAILED = """Note: Applying config parallelly may fail Rollback verification
Collecting Running-Config
#Generating Rollback Patch
Executing Rollback Patch
ERROR: Rollback Patch Execution Failed, Please check failure log using "show rollback log exec"
Rollback failed.
"""
