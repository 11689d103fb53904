"""The licences of what podwright is installed with, each judged: `python -m tools.licences` writes the page.

Read from the metadata of the locked packages: those that pyproject.toml asks for, and what they bring along on the
oldest Python that is supported; and from the table of the modules in the Go programs (go_licences.py). A licence that
nobody has judged fails the generator, and so does a package that names none.
"""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata

from packaging.requirements import Requirement

from podwright.toolchain.binaries import BINARIES
from tools import generated, go_licences
from tools.generated import ROOT

PAGE = ROOT / "docs" / "reference" / "licences.md"
_OLDEST = {"python_version": "3.11", "python_full_version": "3.11.0", "extra": ""}

ALLOWED = frozenset({
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "PSF-2.0", "Unlicense",
})  # fmt: skip
"""Ask for their notice to be kept, and for nothing of what is built with them."""
WITH_REASON = {
    "EPL-2.0": "used as a library, unmodified: only changes to its own files would have to be published",
    "MPL-2.0": "used as data or library, unmodified: only changes to its own files would have to be published",
}
_SPELLINGS = {
    "Apache License 2.0": "Apache-2.0", "Apache 2.0": "Apache-2.0", "Apache Software License": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause", "BSD License": "BSD-3-Clause", "MIT License": "MIT", "ISC License": "ISC",
    "BSD": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}  # fmt: skip
"""What packages wrote before there were expressions; `BSD License` and `BSD` have three clauses (looked up)."""
_HEADER = """# Licences

Made by `python -m tools.licences` from the metadata of the locked packages. podwright itself is under Apache-2.0
(`LICENSE`). Where a package leaves a choice, the first licence that is allowed is ours. None of them is part of the
wheel: pip installs them beside it.

"""
_GO_HEADER = """
## Go programs

Built on the machine that needs them, from modules that `toolchain/modules` pins, or taken from PATH or from official
archives; none is part of the wheel. Which modules are linked is read from the built programs, their licences from the
texts in each module (`python -m tools.go_licences`, where the programs were built). Of several texts in a module all
hold (`AND`). Versions are in the bill of materials (`python -m tools.sbom`).

"""


class LicenceError(Exception):
    """A package whose licence is unknown, or that nobody has judged; the message says what to write where."""


@dataclass(frozen=True)
class Package:
    """One installed package."""

    name: str
    version: str
    licence: str
    """An SPDX expression."""
    needs: tuple[str, ...]
    lab: bool
    """Only the lab asks for it."""

    @property
    def chosen(self) -> tuple[str, ...]:
        """The licences that hold for us: of a choice the first that is allowed. Raises LicenceError."""
        for choice in self.licence.split(" OR "):
            parts = tuple(choice.strip("() ").split(" AND "))
            if all(part in ALLOWED or part in WITH_REASON for part in parts):
                return parts
        raise LicenceError(f"{self.name} is under {self.licence!r}: judge it in tools/licences.py, or do without it")

    @property
    def judgement(self) -> str:
        """Allowed, or why nevertheless."""
        return "; ".join(WITH_REASON[part] for part in self.chosen if part in WITH_REASON) or "allowed"


def packages() -> list[Package]:
    """What a site installs, by name: the program's packages, then those that the lab adds. Raises LicenceError."""
    program, lab = _closure(requested()), _closure(requested("lab"))
    return [_package(name, lab=name not in program) for name in (*sorted(program), *sorted(lab - program))]


def requested(extra: str = "") -> list[str]:
    """Names that pyproject.toml asks for: the program's, or those of an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return [canonical(Requirement(each).name) for each in asked]


def _closure(asked: Iterable[str]) -> set[str]:
    """Names of the packages asked for and of all that they bring along."""
    found: set[str] = set()
    ahead = list(asked)
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead.extend(_needs(name))
    return found


def _needs(name: str) -> Iterator[str]:
    for text in metadata.requires(name) or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate(_OLDEST):
            yield canonical(requirement.name)


def canonical(name: str) -> str:
    """A package's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _package(name: str, *, lab: bool) -> Package:
    about = metadata.metadata(name)
    return Package(name, about["Version"], _licence(name, about), tuple(sorted(set(_needs(name)))), lab)


def _licence(name: str, about: metadata.PackageMetadata) -> str:
    classified = [
        each.rpartition(" :: ")[2] for each in about.get_all("Classifier", []) if each.startswith("License :: ")
    ]
    given = [*about.get_all("License-Expression", []), *about.get_all("License", []), *classified]
    licence = next((each for each in map(str, given) if each and each != "OSI Approved" and "\n" not in each), None)
    if licence is None:
        raise LicenceError(f"{name} names no licence: look at its source, then judge it in tools/licences.py")
    return _SPELLINGS.get(licence, licence)


def page(found: Iterable[Package]) -> str:
    """The page's text. Raises LicenceError."""
    rows = [
        f"| {each.name} | {each.licence} | {'the lab' if each.lab else 'the program'} | {each.judgement} |"
        for each in found
    ]
    packages = ["| package | licence | for | judgement |", "|---|---|---|---|", *rows]
    return _HEADER + "\n".join(packages) + "\n" + _GO_HEADER + "\n".join([*_programs(), "", *_modules()]) + "\n"


def _programs() -> Iterator[str]:
    """A row for each Go program: its own module, and how many are linked with it."""
    yield "| program | of module | licence | linked modules |"
    yield "|---|---|---|---|"
    for binary in BINARIES:
        own = go_licences.own(binary)
        count = sum(binary.name in each.programs for each in go_licences.table())
        yield f"| {binary.name} | {own.name} {own.version} | {own.licence} | {count} |"


def _modules() -> Iterator[str]:
    """A row for each licence of linked modules; those that ask for more than a notice by name. Raises LicenceError."""
    yield "| licence | modules | judgement |"
    yield "|---|---|---|"
    found = {(each.licence, each.name) for each in go_licences.table()}
    counts = Counter(licence for licence, _ in found)
    for licence, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        names = sorted(name for of, name in found if of == licence)
        if licence == go_licences.NONE:
            judgement = "unknown: the module holds no licence text; ask its author before you hand a built program on"
        else:
            judgement = Package(f"each of {', '.join(names)}", "", licence, (), lab=False).judgement
        plain = judgement == "allowed"
        yield f"| {licence} | {count if plain else f'{count}: ' + ', '.join(names)} | {judgement} |"


def main() -> int:
    """Write the page, or compare it under --check."""
    try:
        return generated.main("tools.licences", {PAGE: page(packages())})
    except LicenceError as sentence:
        print(sentence, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
