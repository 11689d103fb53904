"""What rows of configuration lines are made with: one function for each way in which a line is felt."""

from __future__ import annotations

from podwright.components.changes.row import ChangeClass, LineRow, Scope

_LIVE, _DISRUPTIVE, _TWO_ENDED = ChangeClass.LIVE, ChangeClass.DISRUPTIVE, ChangeClass.TWO_ENDED


def live(section: str, line: str | None, reason: str, source: str = "") -> LineRow:
    """What nothing that runs notices."""
    return LineRow("config", _LIVE, reason, source, section=section, line=line)


def down(section: str, line: str | None, reason: str, source: str = "", *, scope: Scope = "port") -> LineRow:
    """What takes a port or more down when it changes or goes."""
    return LineRow(
        "config",
        _DISRUPTIVE,
        reason,
        source,
        add=_LIVE,
        scope=scope,
        verb="take ports down",
        lasts="seconds",
        section=section,
        line=line,
    )


def both_ends(
    section: str,
    line: str | None,
    reason: str,
    source: str = "",
    *,
    scope: Scope = "port",
    add: ChangeClass = _LIVE,
    remove: ChangeClass = _DISRUPTIVE,
) -> LineRow:
    """What must be the same, or match, at two ends: live where it is new, the end of its port where it only goes."""
    return LineRow(
        "config",
        _TWO_ENDED,
        reason,
        source,
        add=add,
        remove=remove,
        scope=scope,
        verb="change one end of what two share",
        lasts="until the other end follows",
        section=section,
        line=line,
    )


def everywhere(section: str, line: str | None, reason: str, source: str = "") -> LineRow:
    """What every switch and host of the fabric must have alike."""
    return LineRow(
        "config",
        _TWO_ENDED,
        reason,
        source,
        add=_LIVE,
        scope="switch",
        verb="differ from the rest of the fabric",
        lasts="until all have changed",
        section=section,
        line=line,
    )
