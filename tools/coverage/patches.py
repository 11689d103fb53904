"""The patches of tests/coverage: what breaks a claim of docs/coverage.md, and the test that must notice."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import yaml

from tools.generated import ROOT

PAGE: Final = ROOT / "docs/coverage.md"
FOLDER: Final = ROOT / "tests/coverage"
COVERED: Final = ("done", "first cut")
Suite = Literal["unit", "soak"]


class PatchError(ValueError):
    """A patch that does not fit the tree any more; the message says which and what to do."""


@dataclass(frozen=True)
class Patch:
    """One claim of a row, a replacement that breaks it, and the tests that must fail then.

    `row` is the row's first column. Each of `old` stands in `file` (relative to the repository) exactly once and gives
    way to its fellow in `new`; most claims hang on one place. `tests` are pytest ids, each of which must fail.
    `suite`: `unit` needs Python only, `soak` brings up a cluster or a site.
    """

    row: str
    claim: str
    file: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    tests: tuple[str, ...]
    suite: Suite

    @property
    def name(self) -> str:
        """A short name without spaces: the row's number and the claim."""
        return re.sub(r"[^A-Za-z0-9]+", "-", f"{self.row.split()[0]} {self.claim}").strip("-")[:80]

    def applied(self, folder: Path) -> str:
        """Text of the file, in the tree at `folder`, with the claim broken. Raises PatchError."""
        for name in (self.file, *(test.partition("::")[0] for test in self.tests)):
            if not (folder / name).exists():
                raise PatchError(f"{self.name}: there is no {name}; write in tests/coverage where it is now")
        text = (folder / self.file).read_text(encoding="utf-8")
        for old, new in zip(self.old, self.new, strict=True):
            found = text.count(old)
            if found != 1:
                raise PatchError(
                    f"{self.name}: {self.file} has {found} places that read\n{old}\n"
                    "Where the code moved or was reworded, write in tests/coverage what breaks the claim now."
                )
            text = text.replace(old, new)
        return text


def rows(page: Path = PAGE) -> dict[str, str]:
    """State of each row of the page, by its first column."""
    cells = [line.split(" | ") for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return {parts[0].removeprefix("| ").strip(): parts[1].strip() for parts in cells[1:]}


def proofs(page: Path = PAGE) -> dict[str, tuple[str, ...]]:
    """What each row names as its proof, by its first column: files and folders below tests, `{a,b}` spelt out."""
    found = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            name, _, rest = line.removeprefix("| ").partition(" | ")
            last = rest.rstrip(" |").rpartition(" | ")[2]
            named = [each for words in re.findall(r"`([^`]+)`", last) for each in _spelt_out(words)]
            home = next((each.rpartition("/")[0] for each in named if "/" in each), "")
            found[name.strip()] = tuple(each if "/" in each else f"{home}/{each}" for each in named)
    return found


def _spelt_out(words: str) -> list[str]:
    braced = re.fullmatch(r"(.*)\{(.*)\}(.*)", words)
    return [f"{braced[1]}{each}{braced[3]}" for each in braced[2].split(",")] if braced else [words]


def patches(folder: Path = FOLDER) -> list[Patch]:
    """Every patch, by file and in order."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            old, new, tests = (_several(entry[key]) for key in ("old", "new", "test"))
            suite: Suite = "soak" if entry.get("suite") == "soak" else "unit"
            found.append(Patch(entry["row"], entry["claim"], entry["file"], old, new, tests, suite))
    return found


def _several(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
