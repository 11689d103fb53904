"""`show running-config all`: the configuration with every default of its blocks spelled out."""

from __future__ import annotations

import dataclasses
from functools import cache

from podwright.lab.nxos.change import Place
from podwright.lab.nxos.configure import usable
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.syntax import Failure, match, tokens
from podwright.lab.nxos.table import Command, table
from podwright.lab.nxos.tree import Node


def spelled_out(device: Device) -> Node:
    """A copy of the running configuration in which nothing is left out any more."""
    root = device.root.copy()
    _fill(device, root, "config")
    return root


def _fill(device: Device, block: Node, mode: str) -> None:
    for command in table().rows[mode]:
        known = command.default is not None or command.toggle is not None
        if known and usable(device, Place(mode, (block,)), command) and _fits(device, block, command):
            block.children.setdefault(_setting(command), Node(_line(device, block, command), command))
    for child in block.children.values():
        if child.command is not None and child.command.enter and not child.command.closes:
            _fill(device, child, child.command.enter)
    for child in block.children.values():
        child.command = _plain(child.command) if child.command else None


def _fits(device: Device, block: Node, command: Command) -> bool:
    """False for a layer 2 line on a routed port."""
    return command.layer != 2 or not device.routed(block.line.removeprefix("interface "), block)


def _line(device: Device, block: Node, command: Command) -> str:
    if command.default is not None:
        return command.default
    return command.text if device.toggle_default(command, block) else f"no {_setting(command)}"


@cache
def _setting(command: Command) -> str:
    """Name of the setting that the default line is a value of."""
    text = command.default
    if text is None:
        return command.text.partition(" ~")[0]
    found = match(command.sequence, tokens(text), Failure())
    if found is None:
        raise ValueError(f"{text!r} is not a line of its own row")
    return command.setting(found)


@cache
def _plain(command: Command) -> Command:
    """The same row without a default, so that rendering leaves nothing out."""
    return dataclasses.replace(command, default=None, toggle=None, hollow=False)
