"""Types a running configuration into a lab switch of its model and says which lines the switch refuses."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from podwright.lab.nxos.configure import find
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.syntax import Failure, tokens
from podwright.lab.nxos.table import table
from podwright.lab.world.model import Switch, World
from tools import goldens
from tools.generated import ROOT

REFUSED: Final = re.compile(r"^ *\^\n|^% |^ERROR|^Invalid|^Error|^BGP is already", re.MULTILINE)
"""How the answer to a line that was not taken begins."""
WORLD: Final = ROOT / "lab" / "worlds" / "lab.yaml"
OLDEST: Final = "10.4(5)"
"""Release of a capture that does not give one."""
HEADER: Final = re.compile(r"^version \S+ Bios:version")
"""First line of a running configuration; no switch takes it."""


@dataclass(frozen=True)
class Refusal:
    """A line that the switch did not take."""

    block: str
    """The line at the margin that it stands under, or itself."""
    line: str
    answer: str
    ours: bool
    """Whether podwright writes blocks of this kind."""


def console(model: str, release: str, form: str) -> Session:
    """A session in configuration mode of a new switch, whose ports are in this form by default."""
    racked = Switch("leaf-01", model, "FDO00000001", release or OLDEST, "192.0.2.11")
    world = World.load(WORLD, variants={"ports": form})
    session = Session(build(world, racked, "admin", "secret", "192.0.2.1"), quiet=True)
    session.run("configure terminal")
    return session


def refused(lines: Iterable[str], session: Session) -> list[Refusal]:
    """Type every line; each one below a refused block is refused with it and not listed again."""
    found: list[Refusal] = []
    block, lost = "", False
    for line in lines:
        if HEADER.match(line):
            continue
        outermost = not line.startswith(" ")
        if outermost:
            block, lost = line, False
        elif lost:
            continue
        answer = session.run(line)
        if REFUSED.search(answer):
            lost = lost or outermost
            found.append(Refusal(block, line, answer.strip().splitlines()[-1].strip(), ours(block)))
    return found


def ours(block: str) -> bool:
    """Whether our own plans write blocks that begin like this one."""
    words = block.split()
    return any(words[: len(known)] == list(known) for known in _beginnings())


@cache
def _beginnings() -> frozenset[tuple[str, ...]]:
    """The fixed words that lines at the margin of our own plans begin with, such as ("router", "bgp")."""
    found: set[tuple[str, ...]] = set()
    for example in goldens.examples():
        models = goldens.models(example)
        for hostname, text in goldens.texts(example).items():
            session = console(models[hostname], "10.5(3)", "layer2-up")
            for line in text.splitlines():
                if line.strip() and not line.startswith((" ", "!")):
                    found.add(_fixed(session, line))
                session.run(line)
    return frozenset(found)


def _fixed(session: Session, line: str) -> tuple[str, ...]:
    typed = tokens(line)
    for place in reversed(session.places):
        if hit := find(session.device, place, typed, Failure()):
            found, negate = hit
            return tuple(each.text for each in typed[: _leading(found.match.exact) + negate])
    raise AssertionError(f"the lab takes no line {line!r} of our own plans")


def _leading(exact: Sequence[int]) -> int:
    """How many words are fixed before the first value."""
    return next((at for at, kind in enumerate(exact) if kind != 2), len(exact))


@cache
def vocabulary() -> frozenset[str]:
    """Every word that a command of the lab's switch is made of."""
    rows = (row for rows in table().rows.values() for row in rows)
    return frozenset(word for row in rows for word in re.findall(r"[A-Za-z][\w+/-]*", _without_values(row.text)))


def _without_values(syntax: str) -> str:
    return re.sub(r"<[^>]*>", "", syntax)
