"""One managed object brought to what we say: find, create, compare, patch, read again.

Every step can be cut off (the process killed, the reply lost) and run again: what exists is found by name and by our
mark, and only what still differs is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.compare import difference, merged
from podwright.components.providers.intersight.repeats import TIMES, Repeats
from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.protocol.kind import ProviderError

ATTEMPTS = 5
"""Tries of one write against other writers before we ask a person; a write without an answer has its own count."""
VALIDATING_PAUSE = 2.0
"""Seconds between tries while Intersight validates an object and refuses writes to it."""
VALIDATING_TIMES = 150
"""Tries while it does: five minutes."""

Find = Callable[[], Awaitable[dict[str, Any] | None]]


@dataclass(frozen=True)
class Desired:
    """What one object should be.

    `what` names it for people, `find` looks it up, `birth` holds what only a create may set (Name, Organization,
    the parent), `owned` the properties and resolved references we own, `released` the names of properties that an
    earlier release of the spec owned and this one does not.
    """

    object_type: str
    what: str
    identity: str
    find: Find
    birth: Mapping[str, Any]
    owned: Mapping[str, Any]
    released: tuple[str, ...] = ()
    adopt: bool = False
    listed: str = ""
    """Name under which `intersight.adopt` lists it: its own, or its parent's."""
    moid: str | None = None
    """What the state knows it by: proof of ownership when somebody wiped the tags."""
    late: frozenset[str] = field(default_factory=frozenset)
    """Owned properties that a create must not carry; they follow in a PATCH of their own."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags beside our mark that a create sets."""


async def converge(account: Account, desired: Desired) -> dict[str, Any]:
    """Make it so and return the object as Intersight then holds it.

    Raises ProviderError for a foreign object of the same name, a refusal, and a value that Intersight did not keep.
    """
    live = await desired.find()
    if live is None:
        live = await _insert(account, desired)
    tries, repeats = 0, Repeats()
    for _ in range(VALIDATING_TIMES):
        _guard(desired, live)
        changes = _changes(desired, live)
        if not changes:
            return live
        tries += 1
        if tries > ATTEMPTS:
            break
        try:
            await account.patch(live, changes, desired.what)
        except UnansweredError as lost:
            tries -= 1
            await repeats.pause(lost)  # it is read again below: it happened or it did not
        except ApiError as refused:
            if not passing(refused):
                raise
            if refused.status == 400:
                tries -= 1
                await asyncio.sleep(VALIDATING_PAUSE)
        again = await desired.find()
        if again is None:
            raise ProviderError(f"{desired.what} vanished while it was being updated; run again")
        live = again
    left = ", ".join(sorted(_changes(desired, live)))
    raise ProviderError(f"{desired.what}: Intersight does not keep {left} as sent, or somebody keeps changing it")


async def _insert(account: Account, desired: Desired) -> dict[str, Any]:
    rules = rules_of(desired.object_type)
    body = dict(desired.birth)
    body |= {n: merged(v, None, rules[n]) for n, v in desired.owned.items() if n not in desired.late and v is not None}
    given = {"Tags": ownership.written(desired.tags)}
    body["Tags"] = ownership.marked(given, desired.identity, adopting=False)
    repeats = Repeats()
    for _ in range(ATTEMPTS + TIMES):
        try:
            await account.insert(desired.object_type, body, desired.what)
        except UnansweredError as lost:
            await repeats.pause(lost)  # looked up below
        except ApiError:
            # A clash of names means that it is there after all: ours from a cut attempt, or somebody's.
            if await desired.find() is None:
                raise
        live = await desired.find()
        if live is not None:
            return live
    raise ProviderError(f"{desired.what}: Intersight says again and again that it made it, and does not have it")


def _guard(desired: Desired, live: Mapping[str, Any]) -> None:
    if ownership.is_ours(live, desired.identity, desired.moid):
        return
    stranger = ownership.tags(live).get(ownership.OWNER)
    if desired.adopt and stranger is None:
        return
    raise ownership.foreign(desired.what, desired.listed or str(live.get("Name")), live)


def _changes(desired: Desired, live: Mapping[str, Any]) -> dict[str, Any]:
    changes = difference(desired.object_type, desired.owned, live)
    rules = rules_of(desired.object_type)
    for name in desired.released:
        reset = platform_value(rules.get(name, {}))
        changes |= difference(desired.object_type, {name: reset}, live) if name in rules else {}
    if ownership.tags(live).get(ownership.OWNER) != desired.identity:
        adopting = desired.adopt and live.get("Moid") != desired.moid
        changes["Tags"] = ownership.marked(live, desired.identity, adopting)
    return changes


def platform_value(rule: Mapping[str, Any]) -> Any:
    """What the platform holds where nobody says anything: its default, an empty list, or nothing."""
    if rule.get("list"):
        return []
    return rule.get("default")


def passing(refused: ApiError) -> bool:
    """True when trying again can help: another writer was faster, or the object is being validated.

    Writes during validation are refused with HTTP 400 and a text that says so (terraform-provider-intersight #16).
    """
    return refused.status in {409, 412} or (refused.status == 400 and "validat" in refused.message.lower())


@dataclass(frozen=True)
class Owned:
    """An object that the state holds: how to find it and what proves that it is ours."""

    what: str
    identity: str
    find: Find
    moid: str | None = None
    adopted: bool = False


async def let_go(account: Account, owned: Owned) -> str | None:
    """Delete an object of ours; an adopted one only loses our mark. Returns a sentence when it was left alone."""
    what, repeats = owned.what, Repeats()
    for _ in range(ATTEMPTS + TIMES):
        live = await owned.find()
        if live is None:
            return None
        if not ownership.is_ours(live, owned.identity, owned.moid):
            return f"{what} no longer carries this stack's mark and was left alone"
        try:
            if owned.adopted or ownership.is_adopted(live):
                await account.patch(live, {"Tags": ownership.unmarked(live)}, what)
                return f"{what} existed before this stack took it on, and was kept"
            await account.remove(live, what)
        except UnansweredError as lost:
            await repeats.pause(lost)
        except ApiError as refused:
            if not passing(refused):
                raise
            await asyncio.sleep(VALIDATING_PAUSE)
    if await owned.find() is None:
        return None
    raise ProviderError(f"{what} could not be deleted in {ATTEMPTS + TIMES} attempts; run again")
