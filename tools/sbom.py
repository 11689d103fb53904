"""The software bill of materials, CycloneDX 1.6 in JSON: `python -m tools.sbom [--output FILE]`.

The program, the Python packages it is installed with, the Go programs that the toolchain pins, and the modules each of
these is built from. Made from the tree alone: no clock, no random serial number, so the same tree gives the same bytes.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from podwright import __version__
from podwright.toolchain.binaries import BINARIES, Binary
from podwright.toolchain.keys import MODULES
from tools import go_licences
from tools.licences import Package, canonical, packages, requested

SPEC = "1.6"
_REQUIRED = re.compile(r"^(?:require )?\t?(?P<module>[\w.~/-]+\.[\w.~/-]+) (?P<version>v\S+)(?: // indirect)?$", re.M)
_REPLACED = re.compile(r"^(?:replace )?\t?(?P<module>\S+)(?: v\S+)? => (?P<by>\S+) (?P<version>v\S+)$", re.M)


def document() -> dict[str, Any]:
    """The bill. Raises tools.licences.LicenceError."""
    python = packages()
    modules = {folder: dict(pinned(folder)) for folder in sorted({binary.module for binary in BINARIES})}
    programs = [_program(binary, modules[binary.module]) for binary in BINARIES]
    go = {reference: _module(reference) for each in modules.values() for reference in map(_golang, each.items())}
    root = _reference("podwright", __version__)
    edges = {root: [*(_python(python, name) for name in requested()), *(each["bom-ref"] for each in programs)]}
    edges |= {_reference(each.name, each.version): [_python(python, name) for name in each.needs] for each in python}
    edges |= {
        program["bom-ref"]: [_golang(item) for item in modules[binary.module].items()]
        for binary, program in zip(BINARIES, programs, strict=True)
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "bom-ref": root, "name": "podwright", "version": __version__, "purl": root,
                "licenses": [{"expression": "Apache-2.0"}],
            },
        },
        "components": [*map(_library, python), *programs, *(go[reference] for reference in sorted(go))],
        "dependencies": [{"ref": ref, "dependsOn": sorted(set(needs))} for ref, needs in sorted(edges.items())],
    }  # fmt: skip


def pinned(folder: str) -> Iterator[tuple[str, str]]:
    """Modules and versions that the programs of a folder of toolchain/modules are built from, replacements applied."""
    text = (MODULES / folder / "go.mod").read_text(encoding="utf-8")
    replaced = {found["module"]: (found["by"], found["version"]) for found in _REPLACED.finditer(text)}
    for found in _REQUIRED.finditer(text):
        yield replaced.get(found["module"], (found["module"], found["version"]))


def _program(binary: Binary, modules: dict[str, str]) -> dict[str, Any]:
    """A Go program; its version is that of the module that it is a package of, or that it is stamped with."""
    within = [module for module in modules if f"{binary.package}/".startswith(f"{module}/")]
    stamped = [stamp.partition("=")[2] for stamp in binary.stamps if "ersion=" in stamp]
    version = modules[max(within, key=len)] if within else stamped[0]
    shown = {"type": "application", "bom-ref": f"program:{binary.name}", "name": binary.name, "version": version}
    return shown if not within else shown | {"purl": _golang((max(within, key=len), version))}


def _library(package: Package) -> dict[str, Any]:
    reference = _reference(package.name, package.version)
    return {
        "type": "library", "bom-ref": reference, "name": package.name, "version": package.version, "purl": reference,
        "licenses": [{"expression": package.licence}], "scope": "optional" if package.lab else "required",
    }  # fmt: skip


def _module(reference: str) -> dict[str, Any]:
    name, _, version = reference.removeprefix("pkg:golang/").partition("@")
    about = {"type": "library", "bom-ref": reference, "name": name, "version": version.replace("%2B", "+")}
    licences = {_golang((each.name, each.version)): each.licence for each in go_licences.table()}
    licence = licences.get(reference, go_licences.NONE)
    known = {"licenses": [{"expression": licence}]} if licence != go_licences.NONE else {}
    return {**about, "purl": reference, **known}


def _reference(name: str, version: str) -> str:
    return f"pkg:pypi/{canonical(name)}@{version}"


def _python(found: list[Package], name: str) -> str:
    return next(_reference(each.name, each.version) for each in found if each.name == name)


def _golang(item: tuple[str, str]) -> str:
    module, version = item
    return f"pkg:golang/{module}@{version.replace('+', '%2B')}"


def main() -> int:
    """Print the bill, or write it to a file."""
    parser = argparse.ArgumentParser(prog="python -m tools.sbom", description=__doc__)
    parser.add_argument("--output", type=Path, help="the file to write (default: print it)")
    text = json.dumps(document(), indent=1) + "\n"
    output = parser.parse_args().output
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
