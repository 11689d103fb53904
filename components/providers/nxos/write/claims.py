"""What a switch resource may write over, and what it must give back: the spec's word against the switch's state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podwright.components.providers.nxos.read.blocks import Block, parse_lines, render
from podwright.components.providers.nxos.read.spelling import tidy
from podwright.components.providers.nxos.write.breakout import configured, leaving
from podwright.components.providers.nxos.write.change import Change
from podwright.components.providers.nxos.write.ownership import Claim, Mark, claim, edited, mark_of
from podwright.components.providers.nxos.write.push import Push
from podwright.components.providers.nxos.write.remediation import Config
from podwright.components.providers.protocol.kind import Context, ProviderError, Values


def as_blocks(found: Mapping[str, str]) -> dict[str, Block]:
    """Blocks as `found` holds them, tidy."""
    return {name: tidy(name, parse_lines(text)) for name, text in found.items()}


def claimed(
    spec: Values, live: Config, unfinished: Config | None, want: Config, old: Config, outputs: Values, ctx: Context
) -> Claim:
    """What was found in the owned blocks' places. `unfinished` is the state before a push of ours that was cut off.

    A switch whose state moved here from the stack in `moved_from` is ours although the mark still names that stack.
    Raises ProviderError that names what is in the way, and both ways out.
    """
    name, before = spec["hostname"], spec.get("moved_from")
    mark = mark_of(live).passed_on(before if old else None, ctx.identity)
    if mark.identity and mark.identity != ctx.identity:
        raise ProviderError(f"{name} belongs to the stack {mark.identity}; {_way_out(mark, before)}")
    known: Mapping[str, str] = outputs.get("found", {})
    if mark.covers(ctx.identity, want):
        return _again(live, unfinished, want, old, known, mark.preexisting_of(want))
    judged = claim(live, want, old, adopt=bool(spec.get("adopt")), resumed=mark.identity == ctx.identity)
    if judged.foreign:
        raise ProviderError(
            f"{name} already holds {', '.join(judged.foreign)}, not written by podwright; set `adopt: true` on the "
            f"switch to take it over (destroying the stack gives it back), or remove it from the switch"
        )
    return Claim((), {**judged.found, **known}, judged.places | (set(known) & set(want)))


@dataclass(frozen=True)
class CutOff:
    """What a push of ours left that was cut off: blocks beyond the spec as they stand, and as they stood before it."""

    left: Mapping[str, str] = field(default_factory=dict)
    stood: Mapping[str, str] = field(default_factory=dict)
    unsaved: bool = False
    """Its checkpoint stands: the startup configuration may still be the one of before."""


async def cut_off(push: Push, live: Config, want: Config, ctx: Context) -> CutOff:
    """What a push of ours that was cut off did beyond `want`, the spec that the state knows.

    Read from its checkpoint. That alone says nothing of what was configured since, so blocks are taken for ours only
    while the push's timer or its writer's line stands, or where the mark was written for exactly these blocks: a push
    that was cut off while it saved has neither timer nor line any more.
    """
    mark = mark_of(live)
    owners = {mark.identity, *(each.identity for each in push.writers)}
    if owners - {"", ctx.identity}:
        return CutOff()
    before = await push.checkpoints.before(push.ports)
    if before is None or (not mark.identity and mark_of(before).identity != ctx.identity):
        return CutOff()
    left = [
        name for name, block in live.items() if name not in want and name != mark.line and block != before.get(name)
    ]
    writing = bool(push.leftover.cancelling or push.writers)
    remain = [name for name in want if name in live]
    if not writing and not any(mark.covers(ctx.identity, {*names, *left}) for names in (want, remain)):
        left = []
    return CutOff(
        {name: render(live[name]) for name in left},
        {name: render(before[name]) for name in left if name in before},
        unsaved=True,
    )


def _way_out(mark: Mark, before: str | None) -> str:
    if mark.identity == before:
        return (
            "`moved_from` takes a switch over only with its state: `podwright move fabric` moves it, or "
            "`pulumi state move`"
        )
    return f"destroy it there first, or remove the line {mark.line!r} from the switch if that stack is no more"


def _again(
    live: Config, unfinished: Config | None, want: Config, old: Config, known: Mapping[str, str], preexisting: set[str]
) -> Claim:
    """These very blocks were claimed before: what was found then is in the state, else in the checkpoint, else live.

    Without either, only lines that were used as they stood are certain; the mark names them.
    """
    if unfinished is not None:
        before = claim(unfinished, want, old, adopt=True, resumed=False)
        return Claim((), {**before.found, **known}, before.places | (set(known) & set(want)))
    standing = {name: render(live[name]) for name in preexisting if name in live and name not in old}
    return Claim((), {**standing, **known}, frozenset(preexisting))


def refuse_losses(name: str, live: Config, change: Change, ours: Config) -> None:
    """Raise ProviderError when a breakout that goes would take lanes with it that somebody else configured."""
    for line in leaving(live, change.want, change.gone):
        if lost := [each for each in configured(live, line) if each not in ours and each not in change.want]:
            raise ProviderError(
                f"{name}: `no {line}` removes {', '.join(lost)}, which podwright did not write; "
                f"set it to default on the switch first, or say it in fabric.extra"
            )


def refuse_edits(
    name: str, live: Config, want: Config, old: Config, ctx: Context, *, unfinished: Config | None
) -> None:
    """Raise ProviderError when owned blocks were edited and nobody has seen it.

    What a push that was cut off may have left is a warning; the checkpoint that it left may be weeks old, so nothing
    else is taken for its work.
    """
    if touched := edited(live, old, want, unfinished):
        raise ProviderError(
            f"{name} was edited since podwright last read it: {', '.join(touched)}; "
            f"run `pulumi refresh` to see the edit, then `up` repairs it"
        )
    if left := edited(live, old, want):
        ctx.warn(f"{name}: an earlier push was cut off; what it left is completed: {', '.join(left)}")
