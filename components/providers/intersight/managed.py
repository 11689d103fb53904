"""One managed object brought to what we say: find, create, compare, patch, read again.

Every step can be cut off (the process killed, the reply lost) and run again: what exists is found by name and by our
mark, and only what still differs is written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from podwright.components.providers.intersight import ownership
from podwright.components.providers.intersight.account import Account
from podwright.components.providers.intersight.compare import difference, merged
from podwright.components.providers.intersight.repeats import ATTEMPTS, TIMES, VALIDATING_TIMES, Repeats
from podwright.components.providers.intersight.secrets import Lookup, with_values
from podwright.components.providers.intersight.table import rules_of
from podwright.components.providers.intersight.transport import ApiError, UnansweredError
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

Find = Callable[[], Awaitable[dict[str, Any] | None]]


def finder(api: Account, object_type: str, spec: Mapping[str, Any]) -> Find:
    """How to look up the object that a spec names."""

    async def find() -> dict[str, Any] | None:
        return await api.named(object_type, spec["name"], spec["organization"])

    return find


async def existing_of_ours(
    api: Account, object_type: str, spec: Mapping[str, Any], outputs: Values, ctx: Context, what: str
) -> dict[str, Any] | None:
    """The object of a spec as a refresh reads it; None where there is none, or, with a warning, another owner's."""
    live = await api.shown(object_type, spec["name"], spec["organization"])
    if live is None or ownership.is_ours(live, ctx.identity, outputs.get("moid")):
        return live
    ctx.warn(f"{what} was replaced by one that is not ours; ours is gone")
    return None


def _no_secret(name: str) -> str:
    raise ProviderError(f"the secret {name!r} was not to be looked up here")


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
    labels: Mapping[str, str] = field(default_factory=dict)
    """Tags that the spec names; others are people's."""
    dropped: frozenset[str] = frozenset()
    """Tags that an earlier release of the spec named."""
    rotated: frozenset[str] = field(default_factory=frozenset)
    """Owned properties with a secret that an existing object may hold in an earlier value."""
    lookup: Lookup = _no_secret
    """The value behind the name of a secret."""


async def converge(account: Account, desired: Desired, seen: dict[str, Any] | None = None) -> dict[str, Any]:
    """Make it so and return the object as Intersight then holds it.

    `seen` is what the caller just looked up, {} where that was nothing; left out, it is looked up here. The answer to a
    write is the object after it; where it is not what was sent, the object is read again.

    Raises ProviderError for a foreign object of the same name, a refusal, and a value that Intersight did not keep.
    """
    live = await desired.find() if seen is None else seen or None
    rotated = desired.rotated
    if live is None:
        live, rotated = await _insert(account, desired), frozenset()
    tries, repeats = 0, Repeats()
    for _ in range(VALIDATING_TIMES):
        guard(desired, live)
        changes = _changes(desired, live, rotated)
        if not changes:
            return live
        if tries >= ATTEMPTS:
            break
        sent = with_values(desired.object_type, changes, desired.lookup)
        made = await repeats.attempt(account.patch(live, sent, desired.what))
        # Neither no answer nor a validation counts as another writer; it is read again: it happened or it did not.
        tries += not isinstance(made, UnansweredError) and not (isinstance(made, ApiError) and made.status == 400)
        rotated = rotated if isinstance(made, UnansweredError | ApiError) else frozenset()
        again = made if _whole(made, desired) else await desired.find()
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
    body = with_values(desired.object_type, body, desired.lookup)
    repeats = Repeats()
    for _ in range(ATTEMPTS + TIMES):
        try:
            made = await account.insert(desired.object_type, body, desired.what)
            if _whole(made, desired):
                return made
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


def _whole(made: Any, desired: Desired) -> TypeGuard[dict[str, Any]]:
    """True when a write was answered with the whole object, and it is as it was sent."""
    if not isinstance(made, dict) or not all(made.get(name) for name in ("Moid", "ModTime", "ObjectType", "Tags")):
        return False
    return set(_changes(desired, made)) <= desired.late


def guard(desired: Desired, live: Mapping[str, Any]) -> None:
    """Raise ProviderError where the object is another owner's, or nobody's and not to be taken on."""
    if ownership.is_ours(live, desired.identity, desired.moid):
        return
    stranger = ownership.tags(live).get(ownership.OWNER)
    if desired.adopt and stranger is None:
        return
    raise ownership.foreign(desired.what, desired.listed or str(live.get("Name")), live)


def _changes(desired: Desired, live: Mapping[str, Any], rotated: frozenset[str] = frozenset()) -> dict[str, Any]:
    changes = difference(desired.object_type, desired.owned, live)
    rules = rules_of(desired.object_type)
    changes |= {name: merged(desired.owned[name], live.get(name), rules[name]) for name in rotated}
    for name in desired.released:
        reset = "" if rules.get(name, {}).get("secret") else platform_value(rules.get(name, {}))
        changes |= difference(desired.object_type, {name: reset}, live) if name in rules else {}
    labelled = ownership.labelled(live, desired.labels, desired.dropped)
    if labelled is not live or ownership.tags(live).get(ownership.OWNER) != desired.identity:
        adopting = desired.adopt and live.get("Moid") != desired.moid
        changes["Tags"] = ownership.marked(labelled, desired.identity, adopting)
    return changes


def platform_value(rule: Mapping[str, Any]) -> Any:
    """What the platform holds where nobody says anything: its default, an empty list, or nothing."""
    if rule.get("list"):
        return []
    return rule.get("default")


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
        if owned.adopted or ownership.is_adopted(live):
            change = {"Tags": ownership.unmarked(live)}
            if not isinstance(await repeats.attempt(account.patch(live, change, what)), ProviderError):
                return f"{what} existed before this stack took it on, and was kept"
        else:
            await repeats.attempt(account.remove(live, what))
    if await owned.find() is None:
        return None
    raise ProviderError(f"{what} could not be deleted in {ATTEMPTS + TIMES} attempts; run again")
