"""Whose an object is. Ours carry two kinds of tag; everything else is foreign and never taken over silently.

``podwright`` = ``<project>/<stack>`` marks the owner. ``podwright-adopted`` marks objects that existed before and
were taken on by ``adopt: true``: they are kept when the stack lets go of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.providers.protocol.kind import ProviderError

OWNER = "podwright"
ADOPTED = "podwright-adopted"
SYSTEM = "cisco."
"""Prefix of tags that the server itself adds (``cisco.meta.*``)."""


def tags(live: Mapping[str, Any]) -> dict[str, str]:
    """Tags of an object, without the server's own."""
    return {
        str(tag.get("Key")): str(tag.get("Value", ""))
        for tag in live.get("Tags") or []
        if not str(tag.get("Key", "")).startswith(SYSTEM)
    }


def written(table: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags as they are sent."""
    return [{"Key": key, "Value": value} for key, value in sorted(table.items())]


def is_ours(live: Mapping[str, Any], identity: str, moid: str | None = None) -> bool:
    """True when `live` carries our mark, or is the very object that the state knows by its moid."""
    owner = tags(live).get(OWNER)
    return owner == identity or (owner is None and moid is not None and live.get("Moid") == moid)


def is_adopted(live: Mapping[str, Any]) -> bool:
    """True when the object existed before this stack took it on."""
    return ADOPTED in tags(live)


def marked(live: Mapping[str, Any] | None, identity: str, adopting: bool) -> list[dict[str, str]]:
    """The tags to send: what people put there, and our mark."""
    table = (tags(live) if live else {}) | {OWNER: identity}
    return written(table | ({ADOPTED: "yes"} if adopting else {}))


def labelled(live: Mapping[str, Any], labels: Mapping[str, str], dropped: Iterable[str]) -> Mapping[str, Any]:
    """The object with the tags that a spec names and without those that it no longer names; itself where it is so."""
    now = tags(live)
    wanted = {key: value for key, value in now.items() if key not in set(dropped) - set(labels)} | dict(labels)
    return live if wanted == now else {**live, "Tags": written(wanted)}


def named(live: Mapping[str, Any], keys: Iterable[str]) -> dict[str, str]:
    """Those tags of an object that have one of these keys."""
    return {key: value for key, value in tags(live).items() if key in set(keys)}


def unmarked(live: Mapping[str, Any]) -> list[dict[str, str]]:
    """The tags to send when an adopted object is let go."""
    return written({key: value for key, value in tags(live).items() if key not in {OWNER, ADOPTED}})


def foreign(what: str, name: str, live: Mapping[str, Any]) -> ProviderError:
    """The error for an object of our name that is not ours; it says both ways out. `name` is what `adopt` lists."""
    if owner := tags(live).get(OWNER):
        return ProviderError(
            f"{what} exists in Intersight and belongs to the stack {owner}: destroy it there, or give one of the two "
            "clusters another name or organization"
        )
    return ProviderError(
        f"{what} exists in Intersight and was not made by this stack: to take it on, write into the stack file "
        f"intersight: {{adopt: [{name}]}} (in a program of your own, `adopt: true` into its spec), or give that object "
        "another name"
    )
