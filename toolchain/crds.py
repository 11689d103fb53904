"""The lab's custom resource definitions: taken from upstream at set-up, checked file by file.

Result: an entry of the store with one file per definition and SHA256SUMS. What may be in it,
to the byte, is tracked in crds.lock.
"""

import gzip
import hashlib
import json
import shutil
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.toolchain.errors import SetupError
from podwright.toolchain.gosdk import Go
from podwright.toolchain.keys import TOOLCHAIN, digest
from podwright.toolchain.process import Failed, run
from podwright.toolchain.store import Store

LABEL = "custom resource definitions"
SECONDS = 30
TABLE = TOOLCHAIN / "crds.toml"
LOCK = TOOLCHAIN / "crds.lock"
DUMP_REQUIREMENTS = TOOLCHAIN / "requirements-crds.txt"
_SUMS = "SHA256SUMS"
_LOCK_HEADER = "# SHA-256 of every definition, made by `python3 -m toolchain lock --crds`.\n"


def key() -> str:
    """Key of the set: the table, the lock and the dump's pin."""
    return digest(TABLE.read_bytes(), LOCK.read_bytes(), DUMP_REQUIREMENTS.read_bytes())


def folder(store: Store) -> Path:
    """Where the definitions are, once assembled."""
    return store.entry("crds", key())


def whole(store: Store) -> bool:
    """True if they are assembled."""
    return store.whole("crds", key())


def assemble(store: Store, go: Go, python: Path, environ: Mapping[str, str]) -> Path:
    """Download, pick, check against crds.lock, put into the store."""

    def fill(place: Path) -> None:
        collect(place, go, python, environ)
        check((place / _SUMS).read_text(), LOCK.read_text())

    return store.add("crds", key(), fill)


def relock(store: Store, go: Go, python: Path, environ: Mapping[str, str]) -> None:
    """Write crds.lock from what crds.toml names now."""
    place = store.scratch("crds")
    try:
        collect(place, go, python, environ)
        LOCK.write_text(_LOCK_HEADER + (place / _SUMS).read_text())
    finally:
        shutil.rmtree(place, ignore_errors=True)


def collect(place: Path, go: Go, python: Path, environ: Mapping[str, str]) -> None:
    """Write every definition and SHA256SUMS into `place`."""
    table = tomllib.loads(TABLE.read_text())
    for module in table["module"]:
        source = _module(module, go)
        for file in module["files"]:
            shutil.copyfile(source / file, place / file.rsplit("/", 1)[-1])
    _from_dump(table["dump"], place, python, environ)
    sums = [f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in sorted(place.glob("*.yaml"))]
    (place / _SUMS).write_text("".join(sums))


def _module(module: Mapping[str, Any], go: Go) -> Path:
    name = f"{module['path']}@{module['version']}"
    try:
        # The sum is compared right below: no checksum database has to be asked.
        env = {**go.env, "GOSUMDB": "off"}
        answer = json.loads(run([go.path, "mod", "download", "-json", name], env, go.path.parent))
    except Failed as failure:
        raise SetupError(
            f"{name} could not be had:\n{failure.tail()}",
            "set GOPROXY to a module proxy that serves it and run this again",
        ) from failure
    if answer["Sum"] != module["sum"]:
        raise SetupError(
            f"{name} arrived as {answer['Sum']}, crds.toml says {module['sum']}",
            "do not use it: the module proxy in GOPROXY serves something else than was tested; ask its owner",
        )
    return Path(answer["Dir"])


def _from_dump(dump: Mapping[str, Any], place: Path, python: Path, environ: Mapping[str, str]) -> None:
    download = place / "dump"
    command: list[str | Path] = [
        python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation",
        "--require-hashes", "--dest", download, "-r", DUMP_REQUIREMENTS,
    ]  # fmt: skip
    try:
        run(command, environ)
    except Failed as failure:
        raise SetupError(
            f"the source distribution of {DUMP_REQUIREMENTS.name} could not be had:\n{failure.tail()}",
            "point pip at an index that serves PyPI (PIP_INDEX_URL) and run this again",
        ) from failure
    (archive,) = download.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        (member,) = (m for m in opened.getmembers() if m.name.endswith(dump["mappings"]))
        data = opened.extractfile(member)
        if data is None:
            raise SetupError(f"{member.name} in {archive.name} is not a file", "report this: the pin is broken")
        schemas = json.loads(gzip.decompress(data.read()))
    shutil.rmtree(download)
    for kind in dump["kind"]:
        (schema,) = (each for each in schemas[kind["key"]] if _is(each, kind))
        definition = synthesise(schema, kind["plural"], kind["short"])
        # JSON is YAML; one space of indent keeps `name` where line-wise readers of definitions look for it.
        (place / f"{definition['metadata']['name']}.yaml").write_text(json.dumps(definition, indent=1) + "\n")


def _is(schema: Mapping[str, Any], kind: Mapping[str, Any]) -> bool:
    """Whether it is of the group and version that the table names, where it names them."""
    (identity,) = schema["x-kubernetes-group-version-kind"]
    return all(kind.get(part) in (None, identity[part]) for part in ("group", "version"))


def synthesise(schema: Mapping[str, Any], plural: str, short: list[str]) -> dict[str, Any]:
    """The definition whose published schema is `schema` (an entry of the dump, OpenAPI v3)."""
    (identity,) = schema["x-kubernetes-group-version-kind"]
    group, version, kind = identity["group"], identity["version"], identity["kind"]
    # The published form points metadata at ObjectMeta; in a definition it is just an object.
    properties = {**schema["properties"], "metadata": {"type": "object"}}
    described = {name: value for name, value in schema.items() if name in {"description", "required", "type"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {
                "kind": kind, "listKind": f"{kind}List",
                "plural": plural, "singular": kind.lower(), "shortNames": short,
            },
            "scope": "Namespaced" if schema["namespaced"] else "Cluster",
            "versions": [{
                "name": version, "served": True, "storage": True, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {**described, "properties": properties}},
            }],
        },
    }  # fmt: skip


def check(found: str, locked: str) -> None:
    """Raise if two lists of `<sha256>  <file>` lines differ (comments in the second aside)."""
    expected = {line for line in locked.splitlines() if line and not line.startswith("#")}
    if different := sorted(set(found.splitlines()) ^ expected):
        raise SetupError(
            "custom resource definitions are not those of crds.lock:\n    " + "\n    ".join(different),
            "if crds.toml was changed on purpose, run `python3 -m toolchain lock --crds` and review the difference",
        )
