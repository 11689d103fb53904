"""`podwright undo`: after an update that failed or was killed, back to the last one that was brought about whole.

What that definition was stands in the stack's state, with the last resource of a cluster, which is reached only when
everything before it was. The way back is an update like every other: it refuses edits, reads back what it wrote, and
goes in one wave, because the way back from a change of two ends is one too.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import typer
import yaml

from podwright.cli import stack, status
from podwright.cli.engine import invocation, recover
from podwright.cli.stack import StackError
from podwright.components import model
from podwright.components.changes.section import Path as Line
from podwright.components.changes.section import paths
from podwright.components.design import fabric
from podwright.components.providers.status import live
from podwright.components.providers.status.switches import SwitchSeen

EDITED = 4
"""Exit code where somebody else changed a switch: nothing was begun."""
_SWITCH: Final = "podwright:nxos:Switch"
_FORMER: Final = "podwright:former"
_HOURS: Final = 12
"""How long the way back may take: its approvals end then."""
Spec = Mapping[str, Any]


def undo(name: str, more: Sequence[str], flags: Sequence[str], *, cancel: bool) -> int:
    """Go back; returns an exit code. Raises StackError where there is nothing to go back to."""
    chosen, locked = recover.free(name, cancel=cancel)
    if locked:
        return locked
    known = stack.read(chosen)
    file = model.stack_file(Path.cwd(), chosen)
    former = _former(known, chosen)
    states = {str(each["hostname"]): each for each in known.specs(_SWITCH)}
    wanted = _specs(former, states)
    planned = _planned(file)
    sides = {name: _sides(name, spec, states, planned) for name, spec in wanted.items()}
    before = _look(former, wanted, sides, known)
    if edits := list(_edits(before, sides)):
        typer.echo("\n".join([*edits, "nothing was begun: put these back, or take them into the stack file"]), err=True)
        return EDITED
    touched = [
        name
        for name, spec in sorted(wanted.items())
        if before[name].unsaved or _off(before[name], spec) or _moved(states[name], spec)
    ]
    with tempfile.TemporaryDirectory(prefix="podwright-") as folder:
        config = Path(folder) / file.name
        config.write_text(_configuration(file, former))
        words = [*flags, "--refresh", "--run-program", "--config-file", str(config)]
        done = invocation.run(invocation.words("up", chosen, words, more))
    done = done or recover.forget_cut_off_creations(chosen, more)
    after = _look(former, wanted, sides, known)
    for each in touched:
        typer.echo(_outcome(before[each], after[each], wanted[each]))
    if wrong := [name for name, seen in after.items() if seen.problem or _off(seen, wanted[name])]:
        typer.echo(
            f"{', '.join(wrong)}: not undone. Bring the change about by `podwright recover`, then put the old values "
            "back into the stack file and run `podwright up`: that takes away what the state did not know"
        )
    typer.echo(
        f"{file.name} still holds what was undone: put its old values back, or correct it; until then `podwright "
        "preview` plans it again"
    )
    return done or int(bool(wrong) or any(seen.unsaved for seen in after.values()))


def _former(known: stack.Stack, name: str) -> model.Cluster:
    if not known.defined:
        raise StackError(
            f"nothing to go back to: no update of {name} has ended well so far (with this release). `podwright up` "
            "goes on with it, `podwright destroy` takes away what it made"
        )
    return model.load(json.loads(known.defined))


def _planned(file: Path) -> dict[str, Mapping[str, str]]:
    """What the stack file asks of each switch now; nothing where it cannot be read."""
    try:
        return {each.hostname: each.config for each in fabric.plan(model.load(file).network).switches}
    except (OSError, model.SpecErrors):
        return {}


def _specs(cluster: model.Cluster, states: Mapping[str, Spec]) -> dict[str, dict[str, Any]]:
    """By hostname, what each switch of this stack was to be."""
    planned = {each.hostname: each for each in fabric.plan(cluster.network).switches}
    return {name: status.switch_spec(cluster, planned[name]) for name in states if name in planned}


def _sides(
    name: str, spec: Spec, states: Mapping[str, Spec], planned: Mapping[str, Mapping[str, str]]
) -> list[Mapping[str, str]]:
    """What a switch was to be, is by the state, and would be by the stack file: a change lies between them."""
    return [spec["config"], states[name]["config"], *([planned[name]] if name in planned else [])]


def _look(
    cluster: model.Cluster,
    wanted: Mapping[str, Spec],
    sides: Mapping[str, Sequence[Mapping[str, str]]],
    known: stack.Stack,
) -> Mapping[str, SwitchSeen]:
    """Every switch as it is, in the blocks of every side."""
    blocks = {
        name: {block: text for side in reversed(each) for block, text in side.items()} for name, each in sides.items()
    }
    specs = tuple({**spec, "config": blocks[name]} for name, spec in wanted.items())
    asked = live.Wanted(specs, cluster.fabric.user, (), "", None)
    seen = asyncio.run(live.look(asked, known.environ(os.environ), live.THOROUGH))
    return seen.switches


def _edits(seen: Mapping[str, SwitchSeen], sides: Mapping[str, Sequence[Mapping[str, str]]]) -> Iterator[str]:
    """One sentence for each switch that cannot be asked, or holds what no side of the change does."""
    for name, each in seen.items():
        if each.problem:
            yield f"{name}: {each.problem}"
            continue
        added, gone = strangers(each.config, sides[name])
        lines = [*(f"{' / '.join(line)}" for line in added), *(f"{' / '.join(line)} (gone)" for line in gone)]
        if lines:
            yield f"{name} was edited since: {'; '.join(lines[:5])}{' …' if len(lines) > 5 else ''}"


def strangers(config: Mapping[str, str], sides: Sequence[Mapping[str, str]]) -> tuple[list[Line], list[Line]]:
    """Lines that no side of a change has, and lines that all sides have and the switch has not."""
    has, each = paths(config), [paths(side) for side in sides]
    known = {line for lines in each for line in lines}
    shared = set.intersection(*each)
    return sorted(has - known), sorted(line for line in shared - has if not _is_default(line))


def _is_default(line: Line) -> bool:
    """What a switch need not show."""
    return line[-1].startswith("no ")


def _off(seen: SwitchSeen, spec: Spec) -> list[str]:
    """Lines that a switch has beyond a spec, or lacks."""
    return [" / ".join(line) for found in strangers(seen.config, [spec["config"]]) for line in found]


def _moved(state: Spec, spec: Spec) -> bool:
    """Whether the state took the change in."""
    return paths(state["config"]) != paths(spec["config"])


def _configuration(file: Path, former: model.Cluster) -> str:
    """The stack's configuration with its secrets, and what is gone back to, approved for as long as that takes."""
    until = f"{datetime.now(UTC) + timedelta(hours=_HOURS):%Y-%m-%dT%H:%M:%SZ}"
    approved = [{"what": what, "until": until, "reason": "podwright undo"} for what in ("disruptive", "two-ended")]
    document = yaml.safe_load(file.read_text("utf-8")) if file.exists() else {}
    definition = {**former.model_dump(mode="json"), "changes": {"approve": approved}}
    document["config"] = {**(document.get("config") or {}), _FORMER: definition}
    return yaml.safe_dump(document, sort_keys=False)


def _outcome(before: SwitchSeen, after: SwitchSeen, wanted: Spec) -> str:
    if after.problem:
        return f"{after.name}: {after.problem}"
    if off := _off(after, wanted):
        return f"{after.name}: not as before: {'; '.join(off[:3])}{' …' if len(off) > 3 else ''}"
    if after.unsaved:
        return (
            f"{after.name}: runs as before the change, but its startup configuration has another {after.unsaved[0]}: "
            "type `copy running-config startup-config` on it, or a reload changes it"
        )
    count = len(paths(before.config) ^ paths(after.config))
    unsaved = f", {len(before.unsaved)} blocks had not been saved" if before.unsaved else ""
    return (
        f"{after.name}: as before the change, read from the switch ({count} line{'s' * (count != 1)} differed{unsaved})"
    )
