"""`podwright move fabric`: the switches of a cluster go to a stack of their own, state and files together.

The state is moved by `pulumi state move`; no device is reached. The mark on each switch follows with the next update of
the new stack, whose file names the stack that the switches came from (`fabric.moved_from`).
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from podwright.cli import stack
from podwright.cli.engine import invocation
from podwright.cli.engine.command import flags
from podwright.cli.engine.completion import stacks
from podwright.cli.engine.file_backend import FileBackend
from podwright.cli.stack import StackError
from podwright.components import model
from podwright.components.model.based import document

app = typer.Typer(no_args_is_help=True, help="Move a part of a stack to another stack of the same project.")
REFUSED, USAGE = 1, 2
_FABRIC, _SWITCH = "podwright:index:Fabric", "podwright:nxos:Switch"

From = Annotated[
    str, typer.Option("--from", autocompletion=stacks, help="The cluster's stack, which has the switches.")
]
To = Annotated[str, typer.Option("--to", autocompletion=stacks, help="The fabric's stack: `pulumi stack init` first.")]
Organization = Annotated[str, typer.Option(help="Organisation of both stacks; a backend of one's own has this one.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Move without asking.")]


@dataclass(frozen=True)
class Move:
    """What is moved and what is written; `urn` is empty where the state was moved before (a move that was cut off)."""

    urn: str
    switches: tuple[str, ...]
    texts: Mapping[Path, str]
    """Content of the fabric's file, then of the cluster's."""

    def lines(self, source: str, dest: str) -> list[str]:
        """What will happen, for the person who decides it."""
        names = ", ".join(self.switches)
        first = f"the state of {len(self.switches)} switches moves from {source} to {dest}: {names}"
        if not self.urn:
            first = f"the state of {len(self.switches)} switches is in {dest} already: {names}"
        files = " and ".join(path.name for path in self.texts)
        return [first, f"{files} are written; no device is reached, and no switch is configured"]


@app.command("fabric")
def fabric(source: From, dest: To, *, organization: Organization = "organization", yes: Yes = False) -> None:
    """Give a cluster's switches a stack of their own, without a change on any of them."""
    try:
        raise typer.Exit(run(source, dest, organization, yes=yes))
    except model.SpecErrors as errors:
        typer.echo(f"{errors.render()}\nnothing was moved", err=True)
        raise typer.Exit(REFUSED) from None
    except (StackError, ValueError, OSError) as sentence:
        typer.echo(f"{sentence}\nnothing was moved", err=True)
        raise typer.Exit(REFUSED) from None


def run(source: str, dest: str, organization: str, *, yes: bool) -> int:
    """Check both stacks, ask, move; returns the exit code. Raises StackError, ValueError or SpecErrors first."""
    move = prepared(source, dest, organization)
    if move.urn and invocation.run(
        invocation.words("preview", source, flags("preview"), ["--expect-no-changes", "--non-interactive"])
    ):
        raise ValueError(f"{source} is not as its file defines: bring it there first, podwright up {source}")
    typer.echo("\n".join(move.lines(source, dest)))
    if not yes and not _agreed():
        return USAGE
    (fabric_file, fabric_text), (cluster_file, cluster_text) = move.texts.items()
    fabric_file.write_text(fabric_text, "utf-8")
    if move.urn:
        words = ["pulumi", "state", "move", "--source", source, "--dest", dest, "--yes", move.urn]
        if status := invocation.run(words):
            return status
    cluster_file.write_text(cluster_text, "utf-8")
    typer.echo(
        f"next:  podwright up {dest}           # the mark on each switch becomes this stack's; nothing else changes\n"
        f"       podwright preview {source}      # no switch is created, replaced or deleted"
    )
    return 0


def prepared(source: str, dest: str, organization: str) -> Move:
    """The move, once nothing speaks against it; reads files and states, writes nothing."""
    from podwright.cli import split  # noqa: PLC0415 - brings ruamel.yaml, which most commands do not need

    files = [model.stack_file(Path.cwd(), name) for name in (source, dest)]
    cluster = model.load(files[0])
    if cluster.fabric.stack:
        raise ValueError(f"{files[0].name} takes its fabric from {cluster.fabric.stack} already")
    before, after = (_quiet(name) for name in (source, dest))
    fabrics = [each for each in before if each["type"] == _FABRIC and _name(each) == cluster.name]
    moving = [each for each in (before if fabrics else after) if each["type"] == _SWITCH]
    if not moving:
        raise ValueError(
            f"there is no switch in the state of {source}: a fabric that was never built has nothing to move"
        )
    if fabrics and any(each["type"] == _SWITCH for each in after):
        raise ValueError(
            f"{dest} has switches already: move into a stack that has none. Where a move that was cut off left them in "
            f"both: pulumi stack rm {dest} --force --preserve-config, pulumi stack init {dest}, and move again"
        )
    project = str(moving[0]["urn"]).split("::")[1]
    existing = files[1].read_text("utf-8") if files[1].exists() else ""
    bases = document(files[0]).source.bases
    if bases and model.KEY not in existing:
        raise ValueError(
            f"{files[0].name} is based on {', '.join(bases)}, and not all of it is a fabric's: write {files[1].name} "
            "with what switches are planned from, and move again"
        )
    text = split.fabric_file(files[0].read_text("utf-8"), existing, f"{organization}/{project}/{source}")
    found = split.differences(cluster, _loaded(files[1], text))
    if found:
        raise ValueError(
            "\n".join([f"{files[1].name} does not plan the switches as {files[0].name} does:", *found[:5]])
        )
    ours = split.cluster_file(files[0].read_text("utf-8"), f"{organization}/{project}/{dest}")
    _loaded(files[0], ours)
    names = tuple(_name(each).removeprefix(f"{cluster.name}-") for each in moving)
    return Move(str(fabrics[0]["urn"]) if fabrics else "", names, {files[1]: text, files[0]: ours})


def _quiet(name: str) -> Sequence[Mapping[str, Any]]:
    """Resources of a stack on which nothing is under way."""
    backend = FileBackend.current()
    for lock in backend.locks(name) if backend else ():
        raise ValueError(f"{name} is locked by {lock.holder}: wait for it, or podwright recover {name}")
    state = stack.deployment(name)
    if state.get("pending_operations"):
        raise ValueError(f"an update of {name} was cut off: podwright recover {name}")
    return state.get("resources") or ()


def _name(resource: Mapping[str, Any]) -> str:
    return str(resource["urn"]).rpartition("::")[2]


def _loaded(file: Path, text: str) -> model.Cluster:
    """The cluster of a file that is not written yet. Raises SpecErrors under its name."""
    return model.load(file, text=text)


def _agreed() -> bool:
    if not sys.stdin.isatty():
        typer.echo("there is no terminal to ask on: give --yes", err=True)
        return False
    return typer.confirm("Move?")
