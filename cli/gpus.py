"""`podwright gpus`: which GPUs a language model takes, product by product, or the sum that says why none does."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console
from rich.table import Table

from podwright.components.design.hardware import GPUS
from podwright.components.model.catalogue import choice, memory
from podwright.components.model.catalogue.choice import Option, Refusal
from podwright.components.model.catalogue.memory import Ask, Precision, Shape, ShapeError

_NOTHING = 1
"""Exit code where no product does."""

Billions = Annotated[
    float, typer.Option(min=0.01, max=10_000, help="Parameters in billions; of a mixture of experts, all of them.")
]
As = Annotated[str, typer.Option(help=f"Precision of the weights: {', '.join(get_args(Precision))}.")]
Context = Annotated[int, typer.Option(min=1, max=10_000_000, help="Tokens of one request, its answer included.")]
Requests = Annotated[int, typer.Option(min=1, max=100_000, help="Requests at the same time.")]
Config = Annotated[
    Path | None,
    typer.Option(help="The model's config.json; without it the shape of a Llama 3 of that size is assumed."),
]
Product = Annotated[list[str] | None, typer.Option("--gpu", help="Only this product; may be repeated.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def command(
    *,
    parameters: Billions,
    precision: As = "bf16",
    context: Context = 8192,
    concurrency: Requests = 16,
    config: Config = None,
    gpu: Product = None,
    as_json: Json = False,
) -> None:
    """Choose GPUs for a model: the fewest of each product that hold one replica, and why others do not."""
    precisions: dict[str, Precision] = {each: each for each in get_args(Precision)}
    if precision not in precisions:
        raise typer.BadParameter(f"{precision} is not one of {', '.join(precisions)}", param_hint="--precision")
    if unknown := [each for each in gpu or () if each not in GPUS]:
        raise typer.BadParameter(f"{unknown[0]} is not one of {', '.join(GPUS)}", param_hint="--gpu")
    try:
        shape = memory.assumed(parameters) if config is None else _read(config)
    except ShapeError as problem:
        raise typer.BadParameter(str(problem), param_hint="--parameters" if config is None else "--config") from None
    ask = Ask(parameters, precisions[precision], context, concurrency, shape)
    options, refusals = choice.choose(ask, gpu)
    if as_json:
        typer.echo(json.dumps(_document(ask, options, refusals), indent=2))
    else:
        _show(Console() if sys.stdout.isatty() else Console(width=150), ask, options, refusals)
    raise typer.Exit(0 if options else _NOTHING)


def _read(path: Path) -> Shape:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise ShapeError(f"{path} cannot be read as JSON: {problem}") from None
    if not isinstance(found, dict):
        raise ShapeError(f"{path} holds no object, which a config.json does")
    return memory.shape_of(found)


def _document(ask: Ask, options: list[Option], refusals: list[Refusal]) -> dict[str, Any]:
    """The answer as plain data; GiB, and W of the GPUs of one replica."""
    found = [asdict(each) | {"need": asdict(each.need) | {"total": each.need.total}} for each in options]
    return {"ask": asdict(ask), "options": found, "refused": [asdict(each) for each in refusals]}


_HEAD = ("GPU", "one replica takes", "weights GiB", "cache GiB", "besides GiB", "has GiB", "W", "in")


def _show(console: Console, ask: Ask, options: list[Option], refusals: list[Refusal]) -> None:
    """The table, then what does not do."""
    title = (
        f"{ask.parameters:g} billion parameters in {ask.precision}, {ask.concurrency} requests of {ask.context} "
        f"tokens, shape of {ask.shape.named}"
    )
    if options:
        table = Table(title=title, title_justify="left", box=None, padding=(0, 1))
        for name in _HEAD:
            table.add_column(name, justify="left" if name in ("GPU", "one replica takes", "in") else "right")
        for option in options:
            table.add_row(*_cells(option))
        console.print(table)
    else:
        console.print(f"{title}: no GPU holds this in one server", soft_wrap=True)
    for refusal in refusals:
        console.print(f"not {refusal.product}: {refusal.why}", soft_wrap=True)


def _cells(option: Option) -> tuple[str, ...]:
    each = option.need
    taken = f"a {option.profile} slice" if option.profile else "1 GPU" if option.gpus == 1 else f"{option.gpus} GPUs"
    taken += "" if option.linked else ", over PCIe"
    return (
        option.product, taken, f"{each.weights:.1f}", f"{each.cache:.1f}", f"{each.runtime:.1f}",
        f"{option.budget:.1f}", f"{option.watts:.0f}", ", ".join(option.servers) or "no server of the catalogue",
    )  # fmt: skip
