"""Manifests of other projects, out of Go modules that the toolchain builds from or takes definitions from.

None of them is in this repository: SHA256SUMS lists each by its sum, module and path.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from podwright.components.providers.status.everything import token
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.toolchain import gosdk
from podwright.toolchain.keys import TOOLCHAIN
from podwright.toolchain.process import run

HERE: Final = Path(__file__).parent
SUMS: Final = HERE / "SHA256SUMS"
_TABLE: Final = tomllib.loads((HERE / "modules.toml").read_text(encoding="utf-8"))
_LEFT_OUT: Final = ("Component", "CustomResourceDefinition", "Kustomization")
"""Kinds that are no objects of a cluster, or that no rule can be about: definitions."""


@dataclass(frozen=True, order=True)
class File:
    """A manifest: `module` is path@version."""

    module: str
    path: str

    def __str__(self) -> str:
        return f"{self.module}/{self.path}"


def listed() -> dict[File, str]:
    """Sums of all manifests."""
    rows = (line.split() for line in SUMS.read_text(encoding="utf-8").splitlines())
    return {File(module, path): digest for digest, module, path in rows}


@cache
def modules() -> dict[str, tuple[str, ...]]:
    """Patterns of files that are no whole manifests, by module@version. Versions are the toolchain's."""
    pinned = _pinned()
    parts = _TABLE["without"]
    return {f"{each['path']}@{pinned[each['path']]}": (*parts, *each.get("without", ())) for each in _TABLE["module"]}


def _pinned() -> dict[str, str]:
    """Version of each module, as the toolchain builds from it or takes definitions from it."""
    found: dict[str, str] = {}
    for file in sorted(TOOLCHAIN.glob("modules/*/go.mod")):
        for path, version in re.findall(r"^\s*(?:require )?(\S+\.\S+) (v\S+)", file.read_text("utf-8"), re.MULTILINE):
            found[path] = max(found.get(path, version), version, key=_number)
    table = tomllib.loads((TOOLCHAIN / "crds.toml").read_text(encoding="utf-8"))
    return found | {each["path"]: each["version"] for each in table["module"]}


def _number(version: str) -> tuple[int, ...]:
    """A version in its order: that of a program that only needs a module is often older."""
    return tuple(map(int, re.findall(r"\d+", version)))


def module_cache(environ: dict[str, str], work: Path) -> Path | None:
    """Where Go keeps modules; None without a Go on PATH."""
    go = gosdk.on_path(environ, work)
    return Path(run([go.path, "env", "GOMODCACHE"], go.env).strip()) if go else None


def folder(cached: Path, module: str) -> Path:
    """Where a module is, once downloaded: capitals are written with an exclamation mark (golang.org/x/mod/module)."""
    return cached / re.sub(r"[A-Z]", lambda found: f"!{found[0].lower()}", module)


def absent(cached: Path) -> list[str]:
    """Modules that are not in the cache."""
    return [each for each in modules() if not folder(cached, each).is_dir()]


def text(cached: Path, file: File) -> str:
    """A manifest as its authors wrote it; ValueError where it is another one than the listed."""
    data = (folder(cached, file.module) / file.path).read_bytes()
    if hashlib.sha256(data).hexdigest() != listed()[file]:
        raise ValueError(f"{file} is not the manifest of {SUMS.name}")
    return data.decode()


def resources(file: File, written: str) -> list[Resource]:
    """Objects of a manifest as the engine shows them to a policy; a list as its items."""
    found = []
    for number, each in enumerate(_objects(written)):
        meta = each.get("metadata") or {}
        name = str(meta.get("name") or meta.get("generateName") or each["kind"])
        found.append(Resource(token(each["apiVersion"], each["kind"]), name, f"{file}#{number}", each))
    return found


def _objects(written: str) -> Iterator[dict[str, Any]]:
    for each in yaml.load_all(written, _Loader):
        if isinstance(each, dict) and isinstance(each.get("apiVersion"), str) and isinstance(each.get("kind"), str):
            if each["kind"].endswith("List") and isinstance(each.get("items"), list):
                yield from each["items"]
            elif each["kind"] not in _LEFT_OUT:
                yield each


class _Loader(yaml.CSafeLoader):
    """A safe loader that also takes a bare `=`, as files of prometheus-operator have it."""


_Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: str(node.value))


def survey(cached: Path) -> Iterator[tuple[str, File]]:
    """Every manifest of the modules, with its sum: files of whole objects, of which some rule speaks by type."""
    for module, without in modules().items():
        root = folder(cached, module)
        patches = set(_patches(root))
        for path in sorted(root.rglob("*.y*ml")):
            name = path.relative_to(root).as_posix()
            if "/vendor/" in f"/{name}" or path.resolve() in patches or any(fnmatch(name, each) for each in without):
                continue
            file, data = File(module, name), path.read_bytes()
            try:
                found = resources(file, data.decode())
            except (yaml.YAMLError, UnicodeDecodeError):
                # A template of Helm or of a program, which is no manifest before it is rendered.
                continue
            if any(rule.types(each.type) for rule in RULES for each in found):
                yield hashlib.sha256(data).hexdigest(), file


def _patches(root: Path) -> Iterator[Path]:
    """Files that a kustomization lays over others: parts of objects."""
    for path in root.rglob("kustomization.y*ml"):
        for each in yaml.load_all(path.read_text("utf-8"), _Loader):
            for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
                for row in (each or {}).get(key) or []:
                    named = row if isinstance(row, str) else row.get("path")
                    if isinstance(named, str) and "\n" not in named:
                        yield (path.parent / named).resolve()
