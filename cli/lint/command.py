"""The verb: which files are meant, what is written where, how it ends."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from podwright.cli.lint import adopt, report
from podwright.cli.lint.judge import Finding, Reading, judge, read
from podwright.components import model
from podwright.components.design import fabric
from podwright.policies.rules.fabric import NEXUS

OK, FINDINGS, USAGE = 0, 1, 2
"""Exit codes: nothing found; something found; nothing could be checked, or the command was not understood."""
Form = Literal["text", "json", "sarif"]
_SAY: dict[Form, Callable[[Reading, Sequence[Finding]], str]] = {
    "text": report.text,
    "json": report.as_json,
    "sarif": report.sarif,
}
_HIDDEN = ("__pycache__", "node_modules")

Paths = Annotated[list[Path], typer.Argument(help="Running configurations, or folders of them.")]
Format = Annotated[Form, typer.Option("--format", "-f", help="Output format.")]
Without = Annotated[list[str] | None, typer.Option("--without", help="Leave a rule out, by its id; may be repeated.")]
ImportOut = Annotated[Path | None, typer.Option("--import-out", help="Write here what podwright would adopt.")]
Stack = Annotated[Path | None, typer.Option("--stack", help="With --import-out: list what this stack file changes.")]


def lint(
    paths: Paths, form: Format = "text", without: Without = None, import_out: ImportOut = None, stack: Stack = None
) -> None:
    """Check existing NX-OS configurations by the rules of the policy pack. Exit code 1: findings; 2: none checked."""
    _options(without or [], import_out, stack)
    files, wrong = _files(paths)
    reading = read(files)
    given = {path for path in paths if path.is_file()}
    wrong += [f"{path} {why}" for path, why in reading.skipped if path in given]
    if not reading.configurations:
        wrong += [f"{path} holds no NX-OS configuration in any file" for path in paths if path.is_dir()]
    for sentence in wrong:
        typer.echo(sentence, err=True)
    reading.skipped = [(path, why) for path, why in reading.skipped if path not in given]
    if not reading.configurations:
        raise typer.Exit(USAGE)
    findings = judge(reading, without or [])
    typer.echo(_SAY[form](reading, findings))
    if import_out is not None:
        _write(import_out, adopt.fragment(reading, _plan(stack)))
    raise typer.Exit(USAGE if wrong else FINDINGS if findings else OK)


def _options(without: Sequence[str], import_out: Path | None, stack: Path | None) -> None:
    known = [rule.id for rule in NEXUS]
    unknown = [name for name in without if name not in known]
    sentences = [f"there is no rule {name}; rules: {', '.join(known)}" for name in unknown]
    if stack is not None and import_out is None:
        sentences.append("--stack says what an import would change: give --import-out too")
    for sentence in sentences:
        typer.echo(sentence, err=True)
    if sentences:
        raise typer.Exit(USAGE)


def _files(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """Every file meant, folders taken apart, and a sentence for each path that is none."""
    files: list[Path] = []
    wrong: list[str] = []
    for path in paths:
        if path.is_dir():
            files += sorted(_within(path))
        elif path.exists():
            files.append(path)
        else:
            wrong.append(f"{path}: there is no such file or folder")
    return list(dict.fromkeys(files)), wrong


def _within(folder: Path) -> Iterator[Path]:
    """Files below a folder, hidden ones and what tools leave behind left out."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith(".") or part in _HIDDEN for part in parts):
            yield path


def _plan(stack: Path | None) -> fabric.FabricPlan | None:
    if stack is None:
        return None
    try:
        return fabric.plan(model.load(stack).network)
    except model.SpecErrors as errors:
        typer.echo(errors.render(), err=True)
        raise typer.Exit(USAGE) from None


def _write(path: Path, text: str) -> None:
    """Over an earlier import set, never over anything else: the file named may be somebody's stack file."""
    try:
        if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(adopt.MARK):
            typer.echo(f"{path} exists and is no import set; name another file", err=True)
            raise typer.Exit(USAGE)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        typer.echo(f"{path} cannot be written: {error.strerror}", err=True)
        raise typer.Exit(USAGE) from None
