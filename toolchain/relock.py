"""Making the locks of Python packages anew: `python3 -m toolchain lock`, and `lock --ansible` and
`lock --schemas` for environments of their own.

Runs pip-tools from the environment itself. Releases that the lock already names are kept
unless pyproject.toml or requirements.in say otherwise. Neither file names an index: which
index serves the packages is pip's configuration on each machine, the hashes say what they are.
"""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain import ansible, schemas
from podwright.toolchain.keys import CHECK_REQUIREMENTS, CLONE, REQUIREMENTS, TOOLCHAIN
from podwright.toolchain.process import run

_FLAGS = (
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--quiet",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
)
_HEADER = "# Made by `python3 -m toolchain {}` from {}; not edited by hand.\n"


# A resolver sees only the Python it runs on; what newer ones need beside is marked by hand.
_NEWER = r' ; python_version >= "3.13" \\'


def relock(python: Path, environ: Mapping[str, str]) -> None:
    """Resolve both sets with hashes; the small one within the releases of the full one."""
    env = {name: value for name, value in environ.items() if name != "PIP_FIND_LINKS"}
    full = ("pyproject.toml", "toolchain/requirements.in")
    newer = "toolchain/requirements-newer.in"
    marked = re.sub(r"^([a-z].*) \\$", r"\1" + _NEWER, _resolve(python, env, None, (newer,)), flags=re.MULTILINE)
    _write(REQUIREMENTS, (*full, newer), _resolve(python, env, REQUIREMENTS, full) + marked)
    small = ("toolchain/requirements-check.in",)
    _write(CHECK_REQUIREMENTS, small, _resolve(python, env, CHECK_REQUIREMENTS, small))


def relock_ansible(python: Path, environ: Mapping[str, str]) -> None:
    """Resolve what Ansible's own environment holds."""
    _relock_apart(python, environ, ansible.REQUIREMENTS, ansible.SOURCES, "lock --ansible")


def relock_schemas(python: Path, environ: Mapping[str, str]) -> None:
    """Resolve what the environment of other people's schemas holds."""
    _relock_apart(python, environ, schemas.REQUIREMENTS, schemas.SOURCES, "lock --schemas")


def _relock_apart(python: Path, environ: Mapping[str, str], lock: Path, sources: tuple[str, ...], command: str) -> None:
    env = {name: value for name, value in environ.items() if name != "PIP_FIND_LINKS"}
    _write(lock, sources, _resolve(python, env, lock, sources), command)


def _resolve(python: Path, env: Mapping[str, str], before: Path | None, sources: tuple[str, ...]) -> str:
    """Pinned and hashed requirements of the sources; releases in the lock `before` are kept."""
    with tempfile.TemporaryDirectory(dir=TOOLCHAIN, prefix=".lock-") as folder:
        fresh = Path(folder) / "requirements.txt"
        if before is not None and before.exists():
            fresh.write_bytes(before.read_bytes())
        run([python, "-m", "piptools", "compile", *_FLAGS, "-o", fresh, *sources], env, CLONE)
        return fresh.read_text()


def _write(lock: Path, sources: tuple[str, ...], text: str, command: str = "lock") -> None:
    lock.write_text(_HEADER.format(command, ", ".join(sources)) + text)
