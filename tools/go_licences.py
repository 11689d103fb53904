"""Modules linked into the Go programs, and their licences: `python -m tools.go_licences` renews tools/go_licences.tsv.

Read from the built programs (`go version -m`) and the licence files in Go's module cache, so it runs where the programs
were built. Pages, the bill of materials and tests read the table alone.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from podwright.toolchain.binaries import BINARIES, Binary
from podwright.toolchain.keys import binary_key, cache_root
from podwright.toolchain.store import Store
from tools.generated import ROOT

TABLE = ROOT / "tools" / "go_licences.tsv"
NONE = "no licence file"
"""What stands for a licence where the module has no such file: nothing is guessed."""
_PHRASES = {
    "Apache-2.0": r"apache license,? version 2\.0",
    "MPL-2.0": r"mozilla public license,? version 2\.0",
    "BSD-3-Clause": r"redistribution and use in source and binary forms.*(?:neither the names? of|used to endorse)",
    "BSD-2-Clause": r"redistribution and use in source and binary forms",
    "ISC": r"permission to use, copy, modify, and(?:/or)? distribute this software for any purpose with or without fee",
    "MIT": r"permission is hereby granted, free of charge",
    "Unlicense": r"this is free and unencumbered software",
    "GPL": r"gnu (?:lesser |affero )?general public license",
}
"""By SPDX identifier, what only that licence's text has, lower case and blanks as one."""
_CONTAINED = {"BSD-2-Clause": "BSD-3-Clause", "GPL": "MPL-2.0"}
"""A licence whose phrase stands in another one's text: MPL-2.0 names the GPL as a secondary licence."""


@dataclass(frozen=True)
class Module:
    """A module as it is linked."""

    name: str
    version: str
    licence: str
    """An SPDX expression over every licence text in the module, or NONE."""
    programs: tuple[str, ...]


@cache
def table() -> tuple[Module, ...]:
    """The table's modules, by name and version."""
    rows = (line.split("\t") for line in TABLE.read_text("utf-8").splitlines())
    return tuple(Module(name, version, licence, tuple(programs.split())) for name, version, licence, programs in rows)


def own(binary: Binary) -> Module:
    """The module that a program is a package of; for a main.go of ours, the one that it is stamped for."""
    linked_in = [each for each in table() if binary.name in each.programs]
    for package in (binary.package, *binary.stamps):
        within = [each for each in linked_in if f"{package}/".startswith(f"{each.name}/")]
        if within:
            return max(within, key=lambda each: len(each.name))
    raise ValueError(f"{TABLE.name} has no module of {binary.name}: python -m tools.go_licences")


def recognised(texts: list[str]) -> str:
    """The licences whose texts these are. Raises ValueError for a text that is none of them."""
    found: set[str] = set()
    for text in texts:
        flat = " ".join(text.lower().split())
        names = {name for name, phrase in _PHRASES.items() if re.search(phrase, flat)}
        if not names:
            raise ValueError(f"no known licence: {flat[:120]}…")
        found |= {name for name in names if _CONTAINED.get(name) not in names}
    return " AND ".join(sorted(found)) or NONE


def linked(program: Path) -> Iterator[tuple[str, str]]:
    """Modules and versions in a built program, replacements applied, our own main left out."""
    last: tuple[str, str] | None = None
    for line in _go("version", "-m", str(program)).splitlines():
        kind, _, rest = line.strip().partition("\t")
        if kind not in ("mod", "dep", "=>"):
            continue
        if last and kind != "=>":
            yield last
        name, version = rest.split("\t")[:2]
        last = None if version == "(devel)" else (name, version)
    if last:
        yield last


def _go(*words: str) -> str:
    return subprocess.run(["go", *words], check=True, capture_output=True, text=True).stdout


def _texts(cached: Path, name: str, version: str) -> list[str]:
    folder = cached / re.sub(r"[A-Z]", lambda each: f"!{each[0].lower()}", f"{name}@{version}")
    files = [path for path in sorted(folder.iterdir()) if re.match(r"(?i)(?:un)?licen[cs]e|copying", path.name)]
    # Templates are for the heads of source files, `.docs` is for documentation: neither is linked. A COPYING beside
    # LICENSE files explains which of them is for what.
    named = [path for path in files if path.is_file() and not re.search(r"(?i)tmpl|template|\.go$|\.docs$", path.name)]
    texts = [path for path in named if not path.name.startswith("COPYING")] or named
    return [path.read_text("utf-8", "replace") for path in texts]


def main() -> int:
    """Renew the table."""
    store, cached = Store(cache_root(os.environ)), Path(_go("env", "GOMODCACHE").strip())
    programs: dict[tuple[str, str], set[str]] = {}
    for binary in BINARIES:
        for module in linked(store.entry(binary.name, binary_key(binary)) / binary.name):
            programs.setdefault(module, set()).add(binary.name)
    lines = [
        "\t".join([name, version, recognised(_texts(cached, name, version)), " ".join(sorted(users))])
        for (name, version), users in sorted(programs.items())
    ]
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
