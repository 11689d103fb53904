"""How much a change may disturb: the stack's limit, approvals with an end, and what a refusal says.

An instance has the input `changes`: ``{"limit": class, "approve": [{"what": class, "on": [devices], "until": time}]}``.
Nothing of it is part of a resource, so it changes nothing by itself. Left out: up to disruptive, nothing approved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from podwright.components.changes.impact import Impact
from podwright.components.changes.row import ChangeClass
from podwright.components.providers.protocol.kind import Failure, Values

WRITTEN: Final = "written"
"""Input of a resource that was found changed by somebody else: its spec as it was last written. A change back to that
one is no change of ours."""
DEFAULT: Final = ChangeClass.DISRUPTIVE
CLASSES: Final = {kind.word: kind for kind in ChangeClass}
_LIMITS: Final = tuple(word for word, kind in CLASSES.items() if ChangeClass.LIVE <= kind < ChangeClass.REFUSED)
_FEW: Final = 3
_SECRET: Final = re.compile(r"\b(password|secret|key|md5|community)\s.*")


def last_written(inputs: Values) -> Values:
    """Inputs as they were last written, whatever a refresh found since."""
    return {**inputs, "spec": inputs[WRITTEN]} if isinstance(inputs.get(WRITTEN), Mapping) else inputs


def with_written(given: Values, live: Values) -> dict[str, Any]:
    """Inputs that were read, with the spec that was last written where the two differ."""
    spec = last_written(given).get("spec")
    return {**live, WRITTEN: spec} if spec and live.get("spec") != spec else dict(live)


def refusals(found: Sequence[Impact], config: Values, now: datetime) -> list[Failure]:
    """One failure for each row that is above the limit and not approved at this moment."""
    given = config.get("changes")
    settings: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    limit = CLASSES.get(str(settings.get("limit", "")), DEFAULT)
    approvals = [each for each in settings.get("approve") or () if isinstance(each, Mapping)]
    return [
        Failure(("spec", impact.row.name) if impact.row.name else ("spec",), _refusal(impact, limit, approvals, now))
        for impact in found
        if impact.change_class > limit and not any(_covers(each, impact, now) for each in approvals)
    ]


def approved_now(config: Values, change_class: ChangeClass, device: str, now: datetime) -> bool:
    """Whether the instance approves this class on that device at this moment: for what only the device can tell."""
    given = config.get("changes")
    approvals = given.get("approve") or () if isinstance(given, Mapping) else ()
    return any(_names(each, change_class, device) and _lasts(each, now) for each in approvals)


def _covers(approval: Values, impact: Impact, now: datetime) -> bool:
    return (
        impact.change_class < ChangeClass.REFUSED
        and _names(approval, impact.change_class, impact.device)
        and _lasts(approval, now)
    )


def _lasts(approval: Values, now: datetime) -> bool:
    return now < datetime.fromisoformat(str(approval["until"]))


def _names(approval: Values, change_class: ChangeClass, device: str) -> bool:
    devices = approval.get("on") or ()
    return CLASSES.get(str(approval.get("what"))) == change_class and (not devices or device in devices)


def _refusal(impact: Impact, limit: ChangeClass, approvals: Sequence[Values], now: datetime) -> str:
    where = [impact.device, _some(impact.properties)] if impact.properties else [impact.device, "is deleted"]
    what = f"{': '.join(where)}: {impact.change_class.word}: {impact.row.reason}"
    if impact.change_class is ChangeClass.REFUSED:
        return what
    ended = [str(each["until"]) for each in approvals if _names(each, impact.change_class, impact.device)]
    why = f"its approval ended at {max(ended)} (it is {now.isoformat(timespec='seconds')})" if ended else ""
    why = why or f"that is above this stack's limit, {limit.word}"
    return (
        f"{what}; {why}. To let it pass, write into the stack file: changes: {{approve: [{{what: "
        f'{impact.change_class.word}, on: [{impact.device}], until: "<time>"}}]}} (docs/how-to/disruptive-changes.md)'
    )


def _some(properties: Sequence[str]) -> str:
    more = len(properties) - _FEW
    shown = "; ".join(_SECRET.sub(r"\1 …", each) for each in properties[:_FEW])
    return f"{shown} and {more} more" if more > 0 else shown


def limit_failures(config: Values) -> list[Failure]:
    """Everything wrong with the input `changes`."""
    given = config.get("changes")
    if given is None:
        return []
    if not isinstance(given, Mapping) or set(given) - {"limit", "approve"}:
        return [Failure(("changes",), "must be a map with limit and approve")]
    failures = []
    if given.get("limit", DEFAULT.word) not in _LIMITS:
        failures.append(Failure(("changes", "limit"), f"must be one of {', '.join(_LIMITS)}"))
    for number, approval in enumerate(given.get("approve") or ()):
        if sentence := _wrong(approval):
            failures.append(Failure(("changes", "approve", number), sentence))
    return failures


def _wrong(approval: Any) -> str:
    if not isinstance(approval, Mapping) or approval.get("what") not in _LIMITS:
        return f"must say what it approves: one of {', '.join(_LIMITS)}"
    try:
        until = datetime.fromisoformat(str(approval.get("until")))
    except ValueError:
        return 'must say until when, as "2026-11-23T06:00:00Z"'
    return "" if until.tzinfo else 'must say until when with its zone, as "2026-11-23T06:00:00Z"'
