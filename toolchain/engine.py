"""Which Pulumi is used: the one on PATH if it will do, else the one built here.

One on PATH will do if its release is in the accepted range, its Python host stands beside it
(as every release has it) and both resource plugins of the pinned releases can be had: from its
own plugin cache, or by letting it download them.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from podwright.toolchain.binaries import ENGINE, Binary
from podwright.toolchain.keys import cache_root, digest, pins_key
from podwright.toolchain.overlay import MARK
from podwright.toolchain.process import Failed, run

AT_LEAST, BELOW = (3, 259), (4, 0)
PLUGINS = tuple(b.plugin for b in ENGINE if b.plugin)


@dataclass(frozen=True)
class Found:
    """A fit Pulumi on PATH: its executable, and where each (plugin, release) lies."""

    pulumi: Path
    identity: str
    plugins: dict[str, str]


def _candidate(environ: Mapping[str, str]) -> Path | None:
    found = shutil.which("pulumi", path=os.pathsep.join(foreign_folders(environ)))
    return Path(found).resolve() if found else None


def foreign_folders(environ: Mapping[str, str]) -> list[str]:
    """Folders on PATH that are not ours: inside `toolchain run` our own bin/ leads it."""
    ours = str(cache_root(environ))
    return [f for f in environ.get("PATH", "").split(os.pathsep) if f and not _ours(Path(f), ours)]


def _ours(folder: Path, cache: str) -> bool:
    # The `pulumi` of a clone's .venv only leads to the one that is looked for here.
    return str(folder).startswith(cache) or (folder.parent / MARK).exists()


def _identity(pulumi: Path) -> str:
    status = pulumi.stat()
    return digest(str(pulumi), str(status.st_mtime_ns), str(status.st_size), pins_key())


def _plugin(home: Path, name: str, release: str) -> Path | None:
    """The newest patch of the plugin's pinned minor release in a plugin cache, finished installs only."""
    minor = release.rsplit(".", 1)[0]
    folders = home.glob(f"plugins/resource-{name}-v{minor}.*")
    found = {
        int(match[1]): folder / f"pulumi-resource-{name}"
        for folder in folders
        if (match := re.fullmatch(rf"resource-{name}-v{re.escape(minor)}\.(\d+)", folder.name))
        and not folder.with_name(folder.name + ".partial").exists()
        and (folder / f"pulumi-resource-{name}").exists()
    }
    return found[max(found)] if found else None


def own_home(environ: Mapping[str, str]) -> Path:
    """The person's own PULUMI_HOME, read and never written."""
    return Path(environ.get("PULUMI_HOME") or Path(environ.get("HOME") or Path.home()) / ".pulumi")


def _accepted(pulumi: Path, environ: Mapping[str, str]) -> bool:
    try:
        version = run([pulumi, "version"], {**environ, "PULUMI_SKIP_UPDATE_CHECK": "true"})
    except (OSError, Failed):
        return False
    match = re.search(r"v?(\d+)\.(\d+)\.\d+", version)
    release = (int(match[1]), int(match[2])) if match else (0, 0)
    return AT_LEAST <= release < BELOW and (pulumi.parent / "pulumi-language-python").exists()


def _download(pulumi: Path, home: Path, environ: Mapping[str, str]) -> bool:
    """Let Pulumi fetch the missing plugins into `home`; False if it cannot (no way out, a mirror without them)."""
    env = {**environ, "PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        for name, release in PLUGINS:
            if _plugin(home, name, release) is None and _plugin(own_home(environ), name, release) is None:
                run([pulumi, "plugin", "install", "resource", name, f"v{release}"], env)
    except (OSError, Failed):
        return False
    return True


def look(environ: Mapping[str, str], *, probe: bool) -> Found | None:
    """The Pulumi on PATH that will do, or None: then ours is built.

    Without `probe` nothing is started: a verdict reached before on the same file is repeated,
    and a Pulumi never looked at is no Pulumi.
    """
    pulumi = _candidate(environ)
    if pulumi is None:
        return None
    identity = _identity(pulumi)
    home = cache_root(environ) / "downloaded-plugins"
    record = cache_root(environ) / "found" / f"{identity}.json"
    try:
        fit = bool(json.loads(record.read_text())["fit"])
    except (OSError, ValueError, KeyError, TypeError):
        if not probe:
            return None
        fit = _accepted(pulumi, environ) and _download(pulumi, home, environ)
        write_record(record, {"pulumi": str(pulumi), "fit": fit})
    if not fit:
        return None
    plugins = {n: _plugin(own_home(environ), n, release) or _plugin(home, n, release) for n, release in PLUGINS}
    if None in plugins.values():
        record.unlink(missing_ok=True)  # a plugin was removed since: judge anew
        return look(environ, probe=True) if probe else None
    return Found(pulumi, identity, {name: str(path) for name, path in plugins.items()})


def write_record(record: Path, verdict: dict[str, object]) -> None:
    """Keep a verdict on a program, whole or not at all."""
    record.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=record.parent, delete=False) as fresh:
        json.dump(verdict, fresh)
    Path(fresh.name).replace(record)


def to_build(wanted: tuple[Binary, ...], found: Found | None) -> tuple[Binary, ...]:
    """What of `wanted` must come from the store: without Pulumi's programs if one was found on PATH."""
    return wanted if found is None else tuple(b for b in wanted if b not in ENGINE)
