"""`podwright add server|switch`: one more device in a stack file, which keeps its comments, quotes and layout.

A new entry takes what it has alike with the others of its name from them: a range such as `gpu-[01-16]` grows to
`gpu-[01-17]`, and beside single entries the newest of the same kind is the pattern. What only this device has (its
serial number, its addresses) is given; `podwright check` must pass before anything is written.
"""

import difflib
from pathlib import Path
from typing import Annotated, Literal

import typer

from podwright.components import model

app = typer.Typer(no_args_is_help=True, help="Add a device to a stack file, comments and layout kept.")
_PROBLEMS, _USAGE = 1, 2

File = Annotated[Path, typer.Argument(help="A stack file, Pulumi.<stack>.yaml.")]
Name = Annotated[str, typer.Argument(help="Name of the new device, such as gpu-17.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A value of its own; again for each.")
]
Like = Annotated[str | None, typer.Option(help="The entry to take the rest from; else the newest of its kind.")]


@app.command("server")
def server(file: File, name: Name, own: Set = None, like: Like = None) -> None:
    """Add a server or a host, with its port of the frontend where ports go by range."""
    _add(file, name, own or [], like, "server")


@app.command("switch")
def switch(file: File, name: Name, own: Set = None, like: Like = None) -> None:
    """Add a leaf or spine, or a peer of a pair."""
    _add(file, name, own or [], like, "switch")


def _add(file: Path, name: str, own: list[str], like: str | None, kind: Literal["server", "switch"]) -> None:
    from podwright.cli import extend  # noqa: PLC0415 - brings ruamel.yaml, which no other command needs

    places = extend.SERVERS if kind == "server" else extend.SWITCHES
    try:
        before = file.read_text("utf-8")
        after = extend.extended(before, name, extend.values(own), like, places)
    except (OSError, UnicodeDecodeError) as error:
        _fail(f"{file} cannot be read: {error}", _USAGE)
    except ValueError as sentence:
        _fail(str(sentence), _USAGE)
    else:
        _checked(file, after)
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), str(file), lineterm="", n=1)
        file.write_text(after, "utf-8")
        typer.echo("\n".join(lines))


def _fail(text: str, code: int) -> None:
    typer.echo(text, err=True)
    raise typer.Exit(code)


def _checked(file: Path, text: str) -> None:
    """Nothing is written that does not pass."""
    try:
        model.load(file, text=text)
    except model.SpecErrors as errors:
        _fail(f"{errors.render()}\nnothing was written; give what only this device has by --set", _PROBLEMS)
