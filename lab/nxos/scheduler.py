"""The on-box scheduler: jobs of typed commands that run at their time, whether or not a session is open."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable

from podwright.lab.nxos.change import Change
from podwright.lab.nxos.device import Device, ScheduleEntry
from podwright.lab.nxos.session import CutError, Session
from podwright.lab.nxos.tree import Node
from podwright.lab.nxos.zone import local_time

LOG_LINES = 400
"""How much of the log file is kept; the device limits it in kilobytes."""


def schedule(change: Change) -> list[Node]:
    """Enter a schedule; its jobs run as the user who made it."""
    if change.negate:
        change.drop()
        return []
    node = change.existing or change.store()
    node.values.setdefault("user", change.device.typist)
    return [node]


def schedule_time(change: Change) -> list[Node]:
    """Relative times are kept as the moment they mean; a new time replaces the old one and starts anew."""
    if change.negate:
        change.drop()
        return []
    device, line, when = change.device, change.line, change.values.get("when", "")
    if when.startswith("+") or "now" in change.found.match.words:
        shift = _seconds(when.removeprefix("+")) if when else 0
        spelled = time.strftime("%Y:%m:%d:%H:%M", time.gmtime(local_time(device) + shift))
        line = line.replace(when, spelled) if when else line.replace("now", spelled)
    change.store(line)
    device.timetable[change.parent.line] = _entry(change.parent, local_time(device))
    return []


def scheduler_login(change: Change) -> list[Node]:
    """The password with which a user whom only an AAA server knows is checked; shown scrambled."""
    if change.negate:
        change.drop()
        return []
    user = change.values.get("user")
    change.store("scheduler aaa-authentication " + (f"username {user} " if user else "") + "password 7 ********")
    return []


def _seconds(text: str) -> float:
    """Seconds of [[dd:]HH:]MM."""
    days, hours, minutes = ([0, 0, 0] + [int(part) for part in text.split(":")])[-3:]
    return float(((days * 24 + hours) * 60 + minutes) * 60)


def _entry(block: Node, now: float) -> ScheduleEntry:
    """The next run of a schedule seen for the first time: one whose single moment has passed never runs."""
    node = block.get("time")
    if node is None:
        return ScheduleEntry(None)
    words = node.line.split()
    every = {"daily": 86400.0, "weekly": 7 * 86400.0, "monthly": 30 * 86400.0}.get(words[1])
    if every is None:
        parts = [int(part) for part in words[2].split(":")]
        due = float(calendar.timegm((*parts, 0)))
        every = _seconds(words[4]) if len(words) > 4 else None
        if every and due < now:
            due += every * -((due - now) // every)
        return ScheduleEntry(due if due >= now - 60 else None, every)
    hours, minutes = (int(part) for part in words[2].split(":")[-2:])
    midnight = now - now % 86400
    due = midnight + hours * 3600 + minutes * 60
    return ScheduleEntry(due if due >= now else due + 86400, every)


def blocks(device: Device) -> dict[str, Node]:
    """Schedules by the line that opens them."""
    return {node.line: node for node in device.root.begin("scheduler schedule name")}


def run_due(device: Device) -> None:
    """Run what is due now. Under the world's lock; a switch without power runs nothing."""
    if device.faults.down or not device.has_feature("scheduler"):
        device.timetable.clear()
        return
    found, now = blocks(device), local_time(device)
    for gone in set(device.timetable) - set(found):
        del device.timetable[gone]
    for line, block in found.items():
        entry = device.timetable.setdefault(line, _entry(block, now))
        if entry.due is not None and entry.due <= now:
            entry.due = entry.due + entry.every if entry.every else None
            entry.last, entry.count = now, entry.count + 1
            _run(device, block, entry)


def _run(device: Device, block: Node, entry: ScheduleEntry) -> None:
    user = block.values.get("user", "admin")
    for job in [node.values["name"] for node in block.begin("job name")]:
        session = Session(device, user=user, length=0, dont_ask=True, quiet=True)
        commands = device.root.get(f"scheduler job name {job}")
        output, status = "", "Success (0)" if commands and _known(device, user) else "Failed (1)"
        for node in list(commands.children.values()) if commands and _known(device, user) else ():
            output += f"`{node.line}`\n"
            try:
                answer = session.run(node.line)
            except CutError:
                return
            status = "Failed (1)" if "% " in answer or "ERROR" in answer or "failed" in answer else status
            output += answer
        entry.results[job] = status
        device.scheduler_log += [
            f"Job Name       : {job:<35}Job Status: {status}",
            f"Schedule Name  : {block.line.rpartition(' ')[2]:<35}User Name : {user}",
            f"Completion time: {device.clock.stamp()}",
            f"{' Job Output ':-^80}", *output.splitlines(), "=" * 80,
        ]  # fmt: skip
    del device.scheduler_log[:-LOG_LINES]


def _known(device: Device, user: str) -> bool:
    """A user of the box, or one whose password the scheduler was given."""
    given = [node.values.get("user", user) for node in device.root.begin("scheduler aaa-authentication")]
    return device.root.get(f"username {user}") is not None or user in given


EFFECTS: dict[str, Callable[[Change], list[Node]]] = {
    effect.__name__: effect for effect in (schedule, schedule_time, scheduler_login)
}
"""Name in the command table to function."""
