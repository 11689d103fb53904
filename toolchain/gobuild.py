"""Building one Go program of the table into the store."""

import json
import re
import shutil
import time
from pathlib import Path

from podwright.toolchain.binaries import Binary, ModuleFile
from podwright.toolchain.errors import SetupError
from podwright.toolchain.gosdk import Go
from podwright.toolchain.keys import MODULES, binary_key
from podwright.toolchain.process import Failed, run
from podwright.toolchain.store import Store

# What a module proxy or the way to it says when trying again is worth it; anything else is final.
_PASSING = re.compile(r"connection reset|i/o timeout|handshake timeout|unexpected EOF|stream error|: 50[234] ")
_TRIES, _PAUSE_S = 3, 2.0

# A cold build of everything leaves about 4 GB of modules, 8 GB of build cache and 1 GB of programs.
NEEDED_GB = 15


def check_disk(*folders: Path) -> None:
    """Raise if a file system a cold build writes to has less than NEEDED_GB free."""
    for folder in folders:
        there = folder
        while not there.exists():
            there = there.parent
        free = shutil.disk_usage(there).free / 1e9
        if free < NEEDED_GB:
            raise SetupError(
                f"{free:.1f} GB are free at {there}, a cold build needs {NEEDED_GB}",
                "free some, or name a roomier place in PODWRIGHT_CACHE (programs) and GOCACHE, GOMODCACHE (Go)",
            )


def build(binary: Binary, go: Go, store: Store, modules: Path = MODULES) -> Path:
    """Compile one program and put it into the store; returns its entry."""
    source = store.scratch(f"src-{binary.name}")
    try:
        shutil.copytree(modules / binary.module, source, dirs_exist_ok=True)
        for embed in binary.embeds:
            _embed(embed, go, source)

        def fill(folder: Path) -> None:
            result = folder / binary.name
            flags = ["-trimpath", "-ldflags", binary.ldflags, "-o", str(result), binary.package]
            _patiently(go, ["build", *flags], source)
            for companion in binary.companions:
                found = _module_folder(companion.module, go, source) / companion.path
                shutil.copyfile(found, folder / companion.name)
                (folder / companion.name).chmod(0o755)

        return store.add(binary.name, binary_key(binary, modules), fill)
    except Failed as failure:
        raise SetupError(
            f"{binary.name} could not be built:\n{failure.tail()}",
            "if the lines above speak of a module that cannot be had, set GOPROXY to one that serves it; "
            "then run this again, it goes on where it stopped",
        ) from failure
    finally:
        shutil.rmtree(source, ignore_errors=True)


def _patiently(go: Go, words: list[str], source: Path) -> None:
    for left in reversed(range(_TRIES)):
        try:
            run([go.path, *words], go.env, source)
        except Failed as failure:
            if not left or not _PASSING.search(failure.output):
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _module_folder(module: str, go: Go, source: Path) -> Path:
    _patiently(go, ["mod", "download", module], source)
    return Path(run([go.path, "list", "-m", "-f", "{{.Dir}}", module], go.env, source).strip())


def _embed(wanted: ModuleFile, go: Go, source: Path) -> None:
    # Minified as upstream's release does: the file is embedded and parsed at every start.
    document = json.loads((_module_folder(wanted.module, go, source) / wanted.path).read_bytes())
    if wanted.version is not None:
        document["version"] = wanted.version
    (source / wanted.name).write_text(json.dumps(document, separators=(",", ":")))
