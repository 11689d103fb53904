"""Stacks and their files as arguments of commands: what a shell offers for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer


def stacks(incomplete: str) -> Iterator[str]:
    """Names of the stacks that have a file in the working directory."""
    for path in sorted(Path().glob("Pulumi.*.yaml")):
        name = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
        if name.startswith(incomplete):
            yield name


def stack_files(incomplete: str) -> Iterator[str]:
    """Stack files of the folder that is typed, and the folders beside them."""
    folder, _, begun = incomplete.rpartition("/")
    base = f"{folder}/" if "/" in incomplete else ""
    for path in sorted(Path(base or ".").glob(f"{begun}*")):
        if path.is_dir() and not path.name.startswith("."):
            yield f"{base}{path.name}/"
        elif path.match("Pulumi.*.yaml"):
            yield f"{base}{path.name}"


StackName = Annotated[
    str, typer.Argument(metavar="STACK", autocompletion=stacks, help="A stack, as in Pulumi.<stack>.yaml.")
]
StackFile = Annotated[Path, typer.Argument(autocompletion=stack_files, help="A stack file, Pulumi.<stack>.yaml.")]
StackFiles = Annotated[list[Path], typer.Argument(autocompletion=stack_files, help="Stack files, Pulumi.<stack>.yaml.")]
