"""Which switch of its stack a device is, and what a new name changes on it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block
from podwright.components.providers.nxos.read.spelling import slot
from podwright.components.providers.nxos.write.ownership import mark_of
from podwright.components.providers.nxos.write.remediation import Config
from podwright.components.providers.protocol.kind import Context, ProviderError, Values

_HOSTNAME: Final = "hostname "
_FACTORY: Final = "switch"
"""What a Nexus calls itself until somebody names it."""


def known_as(live: Config, names: Collection[str], identity: str) -> str:
    """The name that this stack has for the device; empty where it has none, or where nothing tells it.

    A mark of an earlier release holds no name: where it stands for the very blocks `names`, the hostname is the name.
    """
    mark = mark_of(live)
    if mark.identity != identity or mark.name:
        return mark.name if mark.identity == identity else ""
    return _hostname(live) if mark.covers(identity, names) else ""


def refuse_another(spec: Values, former: str, live: Config, names: Collection[str], ctx: Context) -> None:
    """Raise ProviderError when the device is this stack's under a name that is neither the spec's nor `former`.

    `former` is the name in the state, empty for a switch that the state does not have.
    """
    name, known = spec["hostname"], known_as(live, names, ctx.identity)
    marked = bool(mark_of(live).name)
    if known in ("", name, former) or (former and not marked):
        return
    raise ProviderError(
        f"{name} at {spec['management']} is {known} of this stack; write `renamed_from: {known}` in its entry if that "
        f"was its name, or correct its management address. Nothing was written to it"
    )


def renamed(spec: Values, former: str, live: Config, want: Config) -> dict[str, Block]:
    """The hostname to write: a device that calls itself by the former name takes the new one, any other keeps its own.

    The hostname is day 0's (`podwright explain day0`) and no block of ours, so it is written once and stays.
    """
    name = spec["hostname"]
    if not former or former == name or _hostname(live) != former or any(slot(each) == "hostname" for each in want):
        return {}
    return {f"{_HOSTNAME}{name}": ()}


def _hostname(live: Config) -> str:
    found = next((name.removeprefix(_HOSTNAME) for name in live if name.startswith(_HOSTNAME)), "")
    return "" if found == _FACTORY else found
