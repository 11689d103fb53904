"""Writes what each example's switches receive to tests/examples/<name>/expected: `python -m tools.goldens [--check]`.

An example is a folder with a stack file of its own, or one named after a stack of this project. For each switch
there is its whole text (`.cfg`), or what sets it apart from another one's (`.diff`), or, where it is another switch of
the example with other numbers, its digest alone. `SHA256SUMS` has the digest of every text: no number of any
switch changes unseen, and `podwright explain switch STACK.yaml HOSTNAME` shows the text behind it.
"""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import SwitchPlan
from tools.generated import ROOT, main
from tools.renumbering import difference, shape

EXAMPLES: Final = ROOT / "tests/examples"
LARGE: Final = 20
"""Switches above which `texts` has only the first of each role."""
VARIATION_OF: Final = {
    "breakout": "pairs", "ospf": "pairs", "platform": "lab", "pod-128": "prod", "unnumbered": "pairs", "vrf": "pairs",
}  # fmt: skip
"""Examples that show one thing, by the example whose texts they are compared with."""


def stack_file(example: str) -> Path:
    """The example's stack file, or the project's of the same name."""
    own = EXAMPLES / example / f"Pulumi.{example}.yaml"
    return own if own.is_file() else ROOT / own.name


def examples() -> list[str]:
    """Names of all examples."""
    return sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


@cache
def _switches(example: str) -> tuple[SwitchPlan, ...]:
    return tuple(fabric.plan(model.load(stack_file(example)).network).switches)


def models(example: str) -> dict[str, str]:
    """The model of each switch, by hostname."""
    return {each.hostname: each.model for each in _switches(example)}


def texts(example: str) -> dict[str, str]:
    """What each switch receives, by hostname; of a large example the first of each role."""
    switches = _switches(example)
    if len(switches) > LARGE:
        switches = tuple({each.role: each for each in reversed(switches)}.values())
    return {each.hostname: each.text() for each in switches}


def expected(example: str) -> dict[Path, str]:
    """Path and text of every golden of one example."""
    folder = EXAMPLES / example / "expected"
    digests = [
        f"{hashlib.sha256(each.text().encode()).hexdigest()}  {each.hostname}.cfg\n" for each in _switches(example)
    ]
    texts = {folder / name: text for name, text in _texts_and_digests(example)}
    return texts | {folder / "SHA256SUMS": "".join(digests)}


def _texts_and_digests(example: str) -> Iterator[tuple[str, str]]:
    """Name and text of what is written of each switch that is not another one renumbered."""
    compared = {each.hostname: each for each in _switches(VARIATION_OF.get(example, example))}
    first: dict[str, SwitchPlan] = {}
    shapes: set[tuple[str, str]] = set()
    for switch in _switches(example):
        known = first.setdefault(switch.role, switch)
        if (switch.role, shape(switch.text())) in shapes:
            continue
        shapes.add((switch.role, shape(switch.text())))
        elsewhere = compared.get(switch.hostname)
        near = [(example, known)] if known is not switch else []
        near += [(VARIATION_OF[example], elsewhere)] if elsewhere and example in VARIATION_OF else []
        diffs = [
            [f"--- {name}/{other.hostname}.cfg", f"+++ {example}/{switch.hostname}.cfg",
             *difference(other.text(), switch.text())]
            for name, other in near
        ]  # fmt: skip
        shortest = min(diffs, key=len, default=[])
        if shortest and 2 * len(shortest) < len(switch.text().splitlines()):
            yield f"{switch.hostname}.diff", "\n".join(shortest) + "\n"
        else:
            yield f"{switch.hostname}.cfg", switch.text()


def files() -> dict[Path, str]:
    """Every golden."""
    return {path: text for example in examples() for path, text in expected(example).items()}


if __name__ == "__main__":
    sys.exit(main("tools.goldens", files()))
