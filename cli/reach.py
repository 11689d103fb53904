"""Which world a stack's devices belong to, and the deliberate way of moving it to another one."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from podwright.cli import stack
from podwright.cli.engine.completion import StackName
from podwright.cli.stack import StackError
from podwright.components.providers.reach import VARIABLE, Reach, ReachError, load

OTHER_WORLD, USAGE = 1, 2
_KEY = "world"
"""The key in the stack's configuration, below the project's name."""

_NEXT = "with the next `pulumi up`; refresh and destroy know of it with --run-program"

Move = Annotated[
    bool, typer.Option("--move", help="Write the world of the reach file in force into the stack's configuration.")
]


@dataclass(frozen=True)
class Worlds:
    """The three places that name a world; an empty text where one names none."""

    state: str
    """What the devices in the state were made in."""
    configured: str
    """What the stack's configuration gives the program; it comes before the state's."""
    reached: str
    """Where the reach file in force leads."""

    @property
    def expected(self) -> str:
        """Where the next `up` expects the stack's devices; empty before the first one."""
        return self.configured or self.state

    def lines(self, name: str, reach: Reach) -> list[str]:
        """Which world each place names, and what to do where they differ."""
        file = f"the reach file {reach.file} in {VARIABLE}" if reach.file else f"no {VARIABLE}, addresses as they stand"
        found = [f"state of {name}: {self.state or 'no world yet'}"]
        found += [f"configuration of {name}: {self.configured}"] if self.configured else []
        found.append(f"{file}: {self.reached}")
        if self.expected not in ("", self.reached):
            found.append(
                f"Nothing can be reached until they agree: set {VARIABLE} to the reach file of {self.expected}, "
                f"or move the stack: podwright reach {name} --move"
            )
        elif self.state not in ("", self.expected):
            found.append(f"The stack moves from {self.state} to {self.expected} {_NEXT}")
        return found


def command(name: StackName, move: Move = False) -> None:
    """Show which world a stack's devices are in and where the reach file leads; exit code 1 if they differ."""
    try:
        raise typer.Exit(run(name, os.environ, move=move))
    except (StackError, ReachError) as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None


def run(name: str, environ: Mapping[str, str], *, move: bool) -> int:
    """Print the worlds, or write the reached one into the stack's configuration. Raises StackError, ReachError."""
    reach = load(environ)
    worlds = Worlds(stack.read(name).world, stack.configured(name, _KEY), reach.world)
    if not move:
        typer.echo("\n".join(worlds.lines(name, reach)))
        return 0 if worlds.expected in ("", worlds.reached) else OTHER_WORLD
    if worlds.expected == worlds.reached:
        typer.echo(f"{name} is in the world {worlds.reached} already; nothing to move")
        return 0
    typer.echo(f"{name}: {worlds.expected or 'no world yet'} → {worlds.reached}")
    stack.configure(name, _KEY, worlds.reached)
    typer.echo(f"written to the configuration of {name}; it takes effect {_NEXT}")
    return 0
