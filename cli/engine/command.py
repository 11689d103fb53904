"""`podwright preview|up|refresh|destroy|recover`: Pulumi's own commands with what this program needs every time."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from podwright.cli.engine import invocation, programs
from podwright.cli.engine.completion import stacks
from podwright.cli.engine.recover import recover, repaired
from podwright.cli.review.severity import FailOn
from podwright.cli.stack import StackError

Name = Annotated[
    str, typer.Argument(metavar="[STACK]", autocompletion=stacks, help="A stack; none: the one that is selected.")
]
More = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- PULUMI ARGUMENTS…]", help="Handed on to Pulumi, as --yes or --target."),
]
Cancel = Annotated[
    bool, typer.Option("--cancel", help="Let go of the lock first, also where it cannot be looked at or is held.")
]
_FLAGS = {
    # Rotated keys and moved endpoints are the program's to tell: without it, those of the last update are used.
    "refresh": ("--run-program",),
    "destroy": ("--run-program",),
}


def flags(verb: str) -> list[str]:
    """What this program needs of a verb: its rules where a plan is made, its provider settings where none is."""
    return list(_FLAGS.get(verb) or ("--policy-pack", str(invocation.pack())))


def split(name: str, more: list[str] | None) -> tuple[str, list[str]]:
    """The stack and Pulumi's own words; after `--` alone, what stands in the stack's place is one of those."""
    rest = list(more or ())
    return ("", [name, *rest]) if name.startswith("-") else (name, rest)


def _thin(verb: str) -> Callable[[str, list[str] | None], None]:
    def command(name: Name = "", more: More = None) -> None:
        chosen, rest = split(name, more)
        try:
            repaired(chosen)
            invocation.become(invocation.words(verb, chosen, flags(verb), rest))
        except StackError as sentence:
            typer.echo(str(sentence), err=True)
            raise typer.Exit(invocation.NOT_STARTED) from None

    return command


def preview_command(
    name: Name = "",
    more: More = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what the plan interrupts as JSON, and not Pulumi's preview.")
    ] = False,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", help="Write here what the policy pack finds, as SARIF 2.1.0.")
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option("--fail-on", help="Exit code 1 for findings of this severity or a higher one that only advise."),
    ] = None,
) -> None:
    """Show what an update would do, what it interrupts first, checked by the policy pack: `pulumi preview`."""
    from podwright.cli.engine import preview  # noqa: PLC0415 - brings the design, which the other verbs never need

    chosen, rest = split(name, more)
    try:
        repaired(chosen)
        if {"--json", "-j"} & set(rest):  # Pulumi's own, asked for behind `--`: nothing else may be printed
            invocation.become(invocation.words("preview", chosen, flags("preview"), rest))
        raise typer.Exit(preview.run(chosen, flags("preview"), rest, as_json=as_json, sarif=sarif, fail_on=fail_on))
    except StackError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(invocation.NOT_STARTED) from None


up, refresh, destroy = (_thin(verb) for verb in ("up", "refresh", "destroy"))
up.__doc__ = "Bring a stack to what its file defines, under the policy pack: `pulumi up`."
refresh.__doc__ = "Read the devices into the state, with today's keys and endpoints: `pulumi refresh --run-program`."
destroy.__doc__ = "Take away what a stack made, with today's keys and endpoints: `pulumi destroy --run-program`."


def recover_command(name: Name = "", more: More = None, cancel: Cancel = False) -> None:
    """Go on after an update that was killed: lock, broken state file, update with refresh, creations cut off."""
    _afterwards(recover, name, more, cancel=cancel)


def undo_command(name: Name = "", more: More = None, cancel: Cancel = False) -> None:
    """Go back to what stood before an update that failed or was killed, switches of all waves at once."""
    from podwright.cli.engine.undo import undo  # noqa: PLC0415 - brings the design and SSH, which no other verb needs

    _afterwards(undo, name, more, cancel=cancel)


def _afterwards(run: Callable[..., int], name: str, more: list[str] | None, *, cancel: bool) -> None:
    chosen, rest = split(name, more)
    try:
        raise typer.Exit(run(chosen, rest, flags("up"), cancel=cancel))
    except StackError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(invocation.NOT_STARTED) from None


def where(what: Annotated[str, typer.Argument(metavar="policies", help="What is looked for.")]) -> None:
    """Print where a part of this program is: pulumi preview --policy-pack "$(podwright where policies)"."""
    if what != "policies":
        typer.echo(f"nothing is called {what}; `podwright where policies` prints the pack's folder", err=True)
        raise typer.Exit(2)
    try:
        typer.echo(str(invocation.pack()))
    except StackError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(1) from None


def register(app: typer.Typer) -> None:
    """Add the commands of this folder."""
    handed_on = {"ignore_unknown_options": True}
    commands = {
        "preview": preview_command,
        "up": up,
        "refresh": refresh,
        "destroy": destroy,
        "recover": recover_command,
        "undo": undo_command,
    }
    for verb, command in commands.items():
        app.command(verb, context_settings=handed_on)(command)
    app.command()(where)
    app.command()(programs.setup)
    app.command()(programs.env)
