"""The clone's own `.venv`: thin, above the cached environment that clones share.

It holds an interpreter, one `.pth` that adds the cached packages and the clone's root, and `bin/`: the programs of the
cached environment under this interpreter, the console scripts of pyproject.toml, and `pulumi` (see front.py). So
`. .venv/bin/activate` gives a shell in which the programs of this clone run, and two clones never run each other's.
"""

import json
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.toolchain.errors import SetupError
from podwright.toolchain.process import Failed, run

MARK = "podwright-overlay.json"
FRONT = {"pulumi": "podwright.toolchain.front:main"}
_OF_THE_INTERPRETER = ("python", "activate", "Activate", "pip")
_KERNELS_LIMIT = 127
"""Longest first line of a script that Linux reads, in bytes."""


def scripts(clone: Path) -> dict[str, str]:
    """Console scripts by name, `module:function`: the table of pyproject.toml and ours."""
    try:
        project = tomllib.loads((clone / "pyproject.toml").read_text())["project"]
    except (OSError, KeyError):
        return dict(FRONT)
    return {**project.get("scripts", {}), **FRONT}


def _programs(locked: Path) -> list[str]:
    """Programs that packages brought into the cached environment."""
    return sorted(f.name for f in (locked / "bin").glob("*") if not f.name.startswith(_OF_THE_INTERPRETER))


def _wanted(clone: Path, locked: Path) -> dict[str, Any]:
    return {"clone": str(clone), "locked": str(locked), "programs": _programs(locked), "scripts": scripts(clone)}


def fits(clone: Path, locked: Path) -> bool:
    """True if the clone's `.venv` is the overlay of that environment, with every script of pyproject.toml."""
    try:
        mark = json.loads((clone / ".venv" / MARK).read_text())
    except (OSError, ValueError):
        return False
    return bool(mark == _wanted(clone, locked)) and (clone / ".venv" / "bin" / "python").exists()


def lay(clone: Path, locked: Path, environ: Mapping[str, str]) -> None:
    """Make the clone's `.venv` anew; a program that runs from the old one goes on."""
    place = clone / ".venv"
    if place.is_dir() and not place.is_symlink() and not (place / MARK).exists():
        raise SetupError(
            f"{place} is a folder that this set-up did not make",
            "move it away: the place is needed for the clone's own environment",
        )
    with tempfile.TemporaryDirectory(dir=clone, prefix=".venv-") as scratch:
        fresh = Path(scratch) / "venv"
        try:
            run([sys.executable, "-m", "venv", "--without-pip", "--prompt", "podwright", fresh], environ)
        except Failed as failure:
            raise SetupError(
                f"{sys.executable} cannot make a virtual environment:\n{failure.tail(4)}",
                "install its venv module (Debian, Ubuntu: apt-get install python3-venv), or use another Python",
            ) from failure
        _move_texts(fresh, place)
        _fill(fresh, clone, locked)
        (fresh / MARK).write_text(json.dumps(_wanted(clone, locked), indent=1) + "\n")
        if place.is_symlink():
            place.unlink()  # as set-ups before this one made it: a link to the shared environment
        elif place.exists():
            place.replace(Path(scratch) / "old")
        fresh.replace(place)


def _move_texts(fresh: Path, place: Path) -> None:
    """The environment is made aside and moved; these files name the folder they were made in."""
    for file in (*(fresh / "bin").iterdir(), fresh / "pyvenv.cfg"):
        if not file.is_symlink():
            file.write_text(file.read_text().replace(str(fresh), str(place)))


def _fill(fresh: Path, clone: Path, locked: Path) -> None:
    variables = {"base": "", "platbase": ""}
    packages = sysconfig.get_path("purelib", "venv", variables).lstrip("/")
    # addsitedir, unlike a plain line, reads the .pth files in there too.
    lines = [f"import site; site.addsitedir({str(locked / packages)!r})", str(clone)]
    (fresh / packages / "podwright.pth").write_text("\n".join(lines) + "\n")
    python = clone / ".venv" / "bin" / "python"
    for name in _programs(locked):
        _put_program(locked, name, fresh / "bin" / name, python)
    for name, target in scripts(clone).items():
        module, _, function = target.partition(":")
        body = f"import sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n"
        _executable(fresh / "bin" / name, first_lines(python) + body)


def _put_program(locked: Path, name: str, place: Path, python: Path) -> None:
    source = locked / "bin" / name
    shebang, newline, body = source.read_bytes().partition(b"\n")
    if shebang.startswith(f"#!{locked}/bin/python".encode()):
        _executable(place, first_lines(python) + (body.decode() if newline else ""))
    else:
        place.symlink_to(source)


def first_lines(python: Path) -> str:
    """How a script names its interpreter; a shell has to help where the kernel would cut the path off."""
    if " " not in str(python) and len(f"#!{python}\n".encode()) <= _KERNELS_LIMIT:
        return f"#!{python}\n"
    return f"#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''\n"


def _executable(place: Path, text: str) -> None:
    place.unlink(missing_ok=True)
    place.write_text(text)
    place.chmod(0o755)
