"""Making the locks of Python packages anew: `python3 -m toolchain lock`, and `lock --ansible`,
`lock --schemas` and `lock --torch` for environments of their own.

Runs pip-tools from the environment itself. Releases that the lock already names are kept
unless pyproject.toml or requirements.in say otherwise. Neither file names an index: which
index serves the packages is pip's configuration on each machine, the hashes say what they are.
"""

import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain import ansible, pytorch, schemas
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


def relock_torch(python: Path, environ: Mapping[str, str]) -> None:
    """Resolve what PyTorch's own environment holds."""
    (source,) = pytorch.SOURCES
    _write(pytorch.REQUIREMENTS, (source,), _here(python, _own(environ), source), "lock --torch")


def _relock_apart(python: Path, environ: Mapping[str, str], lock: Path, sources: tuple[str, ...], command: str) -> None:
    env = {name: value for name, value in environ.items() if name != "PIP_FIND_LINKS"}
    _write(lock, sources, _resolve(python, env, lock, sources), command)


def _own(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name != "PIP_FIND_LINKS"}


def _here(python: Path, env: Mapping[str, str], source: str) -> str:
    """Pinned and hashed requirements for this interpreter and kind of machine alone: pip-tools would load every file of
    every release for their hashes, and those of PyTorch for all machines are 20 GB."""
    with tempfile.TemporaryDirectory(dir=TOOLCHAIN, prefix=".lock-") as folder:
        report = Path(folder) / "report.json"
        run([python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", report,
             "-r", source], env, CLONE)  # fmt: skip
        found = json.loads(report.read_text())["install"]
    pins = {
        re.sub(r"[-_.]+", "-", each["metadata"]["name"].lower()):
        (each["metadata"]["version"], each["download_info"]["archive_info"]["hashes"]["sha256"])
        for each in found
    }  # fmt: skip
    return "".join(f"{name}=={pin} \\\n    --hash=sha256:{digest}\n" for name, (pin, digest) in sorted(pins.items()))


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
