"""Take one configuration line: find its row, refuse what the device refuses, change the tree."""

from __future__ import annotations

from podwright.lab.nxos.change import Change, Place
from podwright.lab.nxos.checks import CHECKS
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import INTERFACE
from podwright.lab.nxos.refusal import RefusedError
from podwright.lab.nxos.syntax import Failure, Token
from podwright.lab.nxos.table import Command, Found, table
from podwright.lab.nxos.tree import Node

FREE_TEXT = ("job", "mm-profile")
"""Modes whose lines are kept as typed."""


def found_again(places: list[Place]) -> list[Place]:
    """The same places in a configuration whose blocks were replaced; where a block is gone, the session steps out.

    The root stays the same object.
    """
    found = places[:1]
    for place in places[1:]:
        lines = {block.line for block in place.blocks}
        below = [child for block in found[-1].blocks for child in block.children.values() if child.line in lines]
        if len(below) < len(lines):
            break
        found.append(Place(place.mode, tuple(below)))
    return found


def find(device: Device, place: Place, typed: list[Token], failure: Failure) -> tuple[Found, bool] | None:
    """The row of this mode that takes the line, and whether it is negated. None: `failure` says how far it came."""
    negate = len(typed) > 1 and typed[0].text == "no" and place.mode not in FREE_TEXT
    rest = typed[1:] if negate else typed
    inner = Failure()
    found = table().find(place.mode, rest, inner, lambda c: usable(device, place, c), partial=negate)
    if inner.at >= 0:
        failure.note(inner.at + negate, inner.message)
    return None if found is None else (found, negate)


def usable(device: Device, place: Place, command: Command) -> bool:
    """Whether the row exists on this switch for every block of the place."""
    if not device.usable(command):
        return False
    if place.mode != "if":
        return True
    for block in place.blocks:
        name = block.line.removeprefix("interface ")
        kind = INTERFACE.match(name)
        if command.on and (kind is None or kind["kind"] not in command.on):
            return False
        if not command.on and command.layer and name.startswith("nve"):
            return False
        if command.layer == 3 and not device.routed(name, block):
            return False
    return True


def question(device: Device, place: Place, found: Found, negate: bool) -> str:
    """What the device asks before it takes the line, empty for most."""
    if asks := device.commands.questions.get(found.command.asks):
        return asks(Change(device, place.blocks[0], found.command, found, negate))
    return "" if negate else found.command.asks


def take(device: Device, places: list[Place], found: Found, negate: bool) -> tuple[Place | None, str]:
    """Carry the line out in every block of the last place; returns the place it enters, if any, and what is printed.

    Raises RefusedError; blocks of a range that were changed before the refusal stay changed, as on the device.
    """
    place = places[-1]
    entered: list[Node] = []
    answer = "" if negate else found.command.says
    for block in place.blocks:
        change = Change(device, block, found.command, found, negate)
        _refuse(change)
        entered += _carry_out(change)
        answer += change.answer
    device.touched()
    if found.command.enter is None or negate or not entered:
        return None, answer
    return Place(found.command.enter, tuple(entered)), answer


def _refuse(change: Change) -> None:
    command = change.command
    layer2_on_routed = command.layer == 2 and change.device.routed(change.interface, change.parent)
    if layer2_on_routed and not change.negate:
        raise RefusedError(f"ERROR: {change.interface}: requested config change not allowed on a routed port")
    if command.check is not None:
        problem = CHECKS[command.check](change)
        if problem is not None:
            raise RefusedError(problem)


def _carry_out(change: Change) -> list[Node]:
    command = change.command
    if command.effect is not None:
        return change.device.commands.effects[command.effect](change)
    if command.toggle is not None:
        change.store(f"no {change.line}" if change.negate else change.line)
    elif change.negate:
        change.drop()
    else:
        return [change.store()]
    return []
