"""How much a change may disturb: the stack's limit, approvals with an end, and what a refusal says.

An instance has the input `changes`: ``{"limit": class, "approve": [{"what": class, "on": [devices], "until": time}]}``.
Nothing of it is part of a resource, so it changes nothing by itself. Left out: up to disruptive, nothing approved.
`what` may be what happens to servers, too: flap, reboot, wipe. The input `places` tells where the stack file has each
approval, and where one for a server would stand: ``{key: {"at": "file:line", "on": [devices]}}``; errors name it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from podwright.components.changes.disruption import Disruption
from podwright.components.changes.impact import Impact
from podwright.components.changes.row import ChangeClass
from podwright.components.providers.protocol.kind import Failure, Values

WRITTEN: Final = "written"
"""Input of a resource that was found changed by somebody else: its spec as it was last written. A change back to that
one is no change of ours."""
DEFAULT: Final = ChangeClass.DISRUPTIVE
CLASSES: Final = {kind.word: kind for kind in ChangeClass}
OF_SERVERS: Final = tuple(each.word for each in Disruption if each is not Disruption.NONE)
"""What happens to servers, as an approval says it."""
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
    """One failure for each row that is above the limit and not approved at this moment; lost data is always above."""
    given = config.get("changes")
    settings: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    limit = CLASSES.get(str(settings.get("limit", "")), DEFAULT)
    approvals = _approvals(config)
    return [
        Failure(
            ("spec", impact.row.name) if impact.row.name else ("spec",),
            _refusal(impact, limit, config, now),
        )
        for impact in found
        if (impact.change_class > limit or impact.row.disruption is Disruption.WIPE)
        and not any(_covers(each, impact, now) for each in approvals)
    ]


def approved_now(config: Values, words: Sequence[str], device: str, now: datetime) -> bool:
    """Whether the instance approves one of these, classes or what happens to a server, on that device at this moment:
    for what only the device can tell."""
    return any(_names(each, words, (device,)) and _lasts(each, now) for each in _approvals(config))


def way_out(config: Values, what: str, device: str) -> str:
    """What to write so that it passes, and where: of a server below its role or itself, of all others in `changes`."""
    places = config.get("places")
    for key, place in places.items() if isinstance(places, Mapping) and what in OF_SERVERS else ():
        if device in place.get("on", ()):
            at = f" ({place['at']})" if place.get("at") else ""
            return (
                f"To let it pass, write below {key}{at}: approve: "
                f'[{{what: {what}, until: "<time>", reason: "<why>"}}] (docs/how-to/disruptive-changes.md)'
            )
    return (
        f"To let it pass, write into the stack file: changes: {{approve: [{{what: {what}, on: [{device}], "
        'until: "<time>"}]} (docs/how-to/disruptive-changes.md)'
    )


def ended_approval(config: Values, words: Sequence[str], devices: Sequence[str], now: datetime) -> str:
    """The last approval that ended, and where it stands; empty where there is none."""
    found = [each for each in _approvals(config) if _names(each, words, devices) and not _lasts(each, now)]
    if not found:
        return ""
    last = max(found, key=lambda each: datetime.fromisoformat(str(each["until"])))
    places = config.get("places")
    place = places.get(last.get("key")) if isinstance(places, Mapping) else None
    at = f", {place['at']}" if isinstance(place, Mapping) and place.get("at") else ""
    key = f" ({last['key']}{at})" if last.get("key") else ""
    return f"its approval{key} ended at {last['until']} (it is {now.isoformat(timespec='seconds')})"


def _approvals(config: Values) -> list[Mapping[str, Any]]:
    given = config.get("changes")
    listed = given.get("approve") or () if isinstance(given, Mapping) else ()
    return [each for each in listed if isinstance(each, Mapping)]


def _covers(approval: Values, impact: Impact, now: datetime) -> bool:
    return (
        impact.change_class < ChangeClass.REFUSED
        and _names(approval, _words(impact), _devices(impact, approval))
        and _lasts(approval, now)
    )


def _words(impact: Impact) -> tuple[str, ...]:
    """What an approval of it may say: its class, and what it does to servers."""
    return (impact.change_class.word, *((impact.row.disruption.word,) if impact.row.disruption else ()))


def _devices(impact: Impact, approval: Values) -> tuple[str, ...]:
    """What an approval must name: the device, or, by what happens to servers, each server that it happens to."""
    return impact.nodes if impact.nodes and approval.get("what") in OF_SERVERS else (impact.device,)


def _lasts(approval: Values, now: datetime) -> bool:
    return now < datetime.fromisoformat(str(approval["until"]))


def _names(approval: Values, words: Sequence[str], devices: Sequence[str]) -> bool:
    on = approval.get("on") or ()
    return approval.get("what") in words and (not on or set(devices) <= set(on))


def _refusal(impact: Impact, limit: ChangeClass, config: Values, now: datetime) -> str:
    where = [impact.device, _some(impact.properties)] if impact.properties else [impact.device, "is deleted"]
    what = f"{': '.join(where)}: {impact.change_class.word}: {impact.row.reason}"
    if impact.change_class is ChangeClass.REFUSED:
        return what
    wipes = impact.row.disruption is Disruption.WIPE
    why = ended_approval(config, _words(impact), impact.nodes or (impact.device,), now)
    why = why or ("no limit lets that pass" if wipes else f"that is above this stack's limit, {limit.word}")
    word = Disruption.WIPE.word if wipes else impact.change_class.word
    return f"{what}; {why}. {way_out(config, word, impact.device)}"


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
    able = (*_LIMITS, *OF_SERVERS)
    if not isinstance(approval, Mapping) or approval.get("what") not in able:
        return f"must say what it approves: one of {', '.join(able)}"
    try:
        until = datetime.fromisoformat(str(approval.get("until")))
    except ValueError:
        return 'must say until when, as "2026-11-23T06:00:00Z"'
    return "" if until.tzinfo else 'must say until when with its zone, as "2026-11-23T06:00:00Z"'
