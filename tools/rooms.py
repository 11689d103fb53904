"""Writes the table of rooms into docs/architecture.md from tests/test_rooms.py: `python -m tools.rooms [--check]`."""

import sys
from pathlib import Path

from tests.test_rooms import ROOMS, Room
from tools.generated import ROOT, main

PAGE = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- rooms: made by `python -m tools.rooms` -->", "<!-- /rooms -->"
_SHOWN = 4
"""Names in a cell; of more, the ends are shown."""


def _files(room: Room) -> str:
    names = [name.removesuffix("**/*.py").rstrip("/") for name in room.files]
    return ", ".join(f"`{name}`" for name in names) if len(names) <= _SHOWN else _layers(names)


def _layers(names: list[str]) -> str:
    return f"`components/{{{','.join(Path(name).stem for name in names)}}}.py`"


def _ours(room: Room) -> str:
    own = [name.removeprefix("podwright.") for name in room.ours]
    layers = [name for name in own if (ROOT / f"{name.replace('.', '/')}.py").exists() and name.count(".") == 1]
    kept = [name for name in own if name not in layers] if len(layers) > _SHOWN else own
    resources = [name for name in kept if name.startswith("components.providers.") and name.endswith("resources")]
    if len(resources) > 1:
        kept = [name for name in kept if name not in resources]
    shown = [f"`{name}`" for name in kept]
    shown += ["`components.providers.*.resources`"] * (len(resources) > 1) + ["the layers"] * (len(layers) > _SHOWN)
    return ", ".join(shown) or "nothing"


def _others(room: Room) -> str:
    libraries = "its libraries" if room.others is None else ", ".join(f"`{name}`" for name in room.others)
    return libraries + ("; never " + ", ".join(f"`{name}`" for name in room.not_stdlib) if room.not_stdlib else "")


def table() -> str:
    """The rooms as Markdown: who they are, what of ours and what of others they import."""
    rows = [f"| {room.name} | {_files(room)} | {_ours(room)} | {_others(room)} |" for room in ROOMS]
    return "\n".join(["| room | files | imports of ours | imports of others |", "|---|---|---|---|", *rows])


def files() -> dict[Path, str]:
    """The page with the table in its place."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return {PAGE: f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"}


if __name__ == "__main__":
    sys.exit(main("tools.rooms", files()))
