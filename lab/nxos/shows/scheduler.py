"""The scheduler's jobs, schedules and log."""

from __future__ import annotations

from podwright.lab.nxos.device import Device, ScheduleEntry
from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.render import running
from podwright.lab.nxos.scheduler import blocks
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.table import Found
from podwright.lab.nxos.tree import Node

RULE = "-" * 47 + "\n"


def show_scheduler_config(session: Session, found: Found) -> Output:
    """All of it as configured."""
    return Output(running(session.device, found.match.line, keep=lambda n: n.line.startswith("scheduler ")))


def show_scheduler_job(session: Session, found: Found) -> Output:
    """Jobs with their commands."""
    wanted, text = found.match.values.get("name"), ""
    for block in session.device.root.begin("scheduler job name"):
        name = block.values["name"]
        if wanted in (None, name):
            text += f"Job Name: {name}\n{'-' * 31}\n"
            text += "".join(f"{line.line}\n" for line in block.children.values()) + "=" * 78 + "\n"
    return Output(text)


def _kind(device: Device, block: Node, entry: ScheduleEntry) -> str:
    node = block.get("time")
    if node is None:
        return "Not scheduled"
    words = node.line.split()
    if words[1] != "start":
        return f"Run every {words[1].removesuffix('ly').replace('dai', 'day')} at {words[2]}"
    when = device.clock.stamp(entry.due)
    if entry.every:
        return f"Run every {int(entry.every)} seconds, next on {when}"
    return f"Run once on {when}" if entry.due is not None else "Run once (expired)"


def show_scheduler_schedule(session: Session, found: Found) -> Output:
    """Schedules: when they run, how often they ran, how their jobs ended."""
    device, text = session.device, ""
    for line, block in blocks(device).items():
        name = line.rpartition(" ")[2]
        entry = device.timetable.get(line, ScheduleEntry(None))
        if found.match.values.get("name", name) != name:
            continue
        last = "Yet to be executed" if entry.last is None else device.clock.stamp(entry.last)
        text += (
            f"Schedule Name       : {name}\n{'-' * 31}\nUser Name           : {block.values.get('user', 'admin')}\n"
            f"Schedule Type       : {_kind(device, block, entry)}\nLast Execution Time : {last}\n"
            f"Last Completion Time: {last}\nExecution count     : {entry.count}\n{RULE}"
            f"     Job Name            Last Execution Status\n{RULE}"
        )
        for job in block.begin("job name"):
            text += f"{job.values['name']:<31} {entry.results.get(job.values['name'], '-NA-'):>14}\n"
        text += "=" * 78 + "\n"
    return Output(text)


def show_scheduler_log(session: Session, _: Found) -> Output:
    """What jobs printed."""
    return Output("".join(f"{line}\n" for line in session.device.scheduler_log))


def clear_scheduler_log(session: Session, _: Found) -> Output:
    """Empty the log."""
    session.device.scheduler_log.clear()
    return Output("")


SHOWS = {
    f.__name__: f
    for f in (
        show_scheduler_config, show_scheduler_job, show_scheduler_schedule, show_scheduler_log, clear_scheduler_log,
    )
}  # fmt: skip
