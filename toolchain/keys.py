"""Where the cache is, and the keys under which things are kept in it.

Every key is a digest of exactly what the thing is made from, so a changed pin makes a new key
for what it touches and leaves the rest alone.
"""

import hashlib
import platform
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from podwright.toolchain.binaries import BINARIES, Binary

_AROUND = Path(__file__).resolve().parent.parent
INSTALLED = not (_AROUND / "pyproject.toml").exists()
"""True in an installed package: nothing may be written around it, and its interpreter has every package already."""
CLONE = Path.cwd() if INSTALLED else _AROUND
"""Where `.run` is: the clone, or for an installed package the working directory."""
COMMAND = "python -m podwright.toolchain" if INSTALLED else "python3 -m toolchain"
"""What a person types to run this."""
SETUP = "podwright setup" if INSTALLED else f"{COMMAND} setup"
"""What a person types to have programs made ready."""
TOOLCHAIN = _AROUND / "toolchain"
MODULES = TOOLCHAIN / "modules"
CHECK_REQUIREMENTS = TOOLCHAIN / "requirements-check.txt"
REQUIREMENTS = TOOLCHAIN / "requirements.txt"

# Raised when the way of building changes, so that results of the old way are not taken for new ones.
_RECIPE = "1"


def digest(*parts: str | bytes) -> str:
    """First 16 hexadecimal digits of SHA-256 over the parts, each length-prefixed."""
    summed = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        summed.update(f"{len(data)}:".encode() + data)
    return summed.hexdigest()[:16]


def _files(paths: Iterable[Path]) -> list[bytes]:
    return [part for path in sorted(paths) for part in (path.name.encode(), path.read_bytes())]


def machine() -> str:
    """Operating system and processor: a home folder may be shared between several."""
    return f"{platform.system()}-{platform.machine()}".lower()


def binary_key(binary: Binary, modules: Path = MODULES) -> str:
    """Key of one program: its module's pins, its package, stamps and embedded files."""
    recipe = repr((_RECIPE, binary.package, binary.ldflags, binary.embeds, binary.companions))
    return digest(machine(), binary.name, recipe, *_files((modules / binary.module).iterdir()))


def python_key(requirements: Path = REQUIREMENTS, small: Path = CHECK_REQUIREMENTS) -> str:
    """Key of a Python environment: the locks, and the interpreter it belongs to."""
    return environment_key(small.read_bytes(), requirements.read_bytes())


def environment_key(*locks: bytes) -> str:
    """Key of any Python environment made from these locks by this interpreter."""
    interpreter = f"{sys.version_info[:3]} {Path(sys.executable).resolve()}"
    return digest(machine(), _RECIPE, interpreter, *locks)


def pins_key(modules: Path = MODULES) -> str:
    """Key of the whole set of programs: names the folder that holds bin/ and PULUMI_HOME."""
    return digest(*(binary_key(binary, modules) for binary in BINARIES))


def cache_root(environ: Mapping[str, str]) -> Path:
    """Cache folder, outside the clone: PODWRIGHT_CACHE, else XDG_CACHE_HOME/podwright, else ~/.cache/podwright."""
    if named := environ.get("PODWRIGHT_CACHE"):
        return Path(named).expanduser().absolute()
    if base := environ.get("XDG_CACHE_HOME"):
        return Path(base).expanduser().absolute() / "podwright"
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".cache" / "podwright"


def view(environ: Mapping[str, str]) -> Path:
    """Folder of this set of pins: bin/ and home/ (PULUMI_HOME)."""
    return cache_root(environ) / pins_key()
