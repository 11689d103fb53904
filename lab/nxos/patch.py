"""Whole-box rollback: the lines that lead from one configuration to another, and putting a checkpoint back."""

from __future__ import annotations

from podwright.lab.nxos.device import Device
from podwright.lab.nxos.render import children, displayed
from podwright.lab.nxos.tree import Node


def _undo(line: str) -> str:
    return line.removeprefix("no ") if line.startswith("no ") else f"no {line}"


def patch(device: Device, have: Node, want: Node) -> list[str]:
    """Lines that turn `have` into `want`. Empty when they are the same.

    What goes, goes from the bottom up, so that nothing in use is deleted before its user.
    """
    going, coming = _removals(device, have, want, 0), additions(device, have, want)
    return going + coming if device.form("patch") == "removals-first" else coming + going


def _seen(device: Device, block: Node) -> dict[str, Node]:
    """What is shown of a block, by line; a block of free text counts as one line with all of its text."""
    return {_whole(node): node for node in block.sorted() if displayed(device, block, node)}


def _whole(node: Node) -> str:
    free = node.command is not None and node.command.closes
    return "\n".join([node.line, *(child.line for child in node.children.values())]) if free else node.line


def _removals(device: Device, have: Node, want: Node, depth: int) -> list[str]:
    lines: list[str] = []
    pad, new = "  " * depth, _seen(device, want)
    wanted = {key: node.line for key, node in want.children.items()}
    keys = {id(node): key for key, node in have.children.items()}
    for whole, node in reversed(_seen(device, have).items()):
        line = node.line
        stays = new.get(whole) or (Node(line, node.command) if node.command and node.command.hollow else None)
        if stays is not None:
            inner = _removals(device, node, stays, depth + 1)
            lines += [pad + line, *inner] if inner else []
        elif wanted.get(keys[id(node)]) != line or whole != line:
            lines.append(pad + _undo(line))
    return lines


def additions(device: Device, have: Node, want: Node, depth: int = 0) -> list[str]:
    """Lines of `want` that `have` lacks, each below its block."""
    lines: list[str] = []
    pad, old = "  " * depth, _seen(device, have)
    for line, node in _seen(device, want).items():
        before = old.get(line)
        if before is None:
            lines += [pad + node.line, *children(device, node, depth + 1)]
        elif "\n" not in line:
            inner = additions(device, before, node, depth + 1)
            lines += [pad + line, *inner] if inner else []
    return lines


def patch_text(lines: list[str]) -> str:
    """A patch as `show diff rollback-patch` prints it."""
    if not lines:
        return "Collecting Running-Config\n#Generating Rollback Patch\nRollback Patch is Empty\n"
    text = ""
    for line in lines:
        text += ("" if line.startswith(" ") else "\n!!\n") + line + "\n"
    return f"Collecting Running-Config\n#Generating Rollback Patch\n{text}"
