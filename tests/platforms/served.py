"""The lab's API server asked about objects: a server-side apply, dry, that refuses every field it does not know."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from podwright.lab.openshift.api import APPLY, Api, ApiError, path_of
from podwright.lab.openshift.binaries import crd_folder
from podwright.lab.openshift.crds import NAME, OWN, CrdLibrary
from tests.lab.openshift.rack import Rack
from tests.platforms.planned import Object

_QUERY = "fieldManager=podwright&force=true&fieldValidation=Strict"


class Served:
    """An API server with every definition that the lab has; namespaces are made, and nothing else."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._plurals: dict[tuple[str, str], tuple[str, bool]] = {}
        self._made: set[str] = set()
        self._taken: set[str] = set()
        library = CrdLibrary(crd_folder())
        files = [path for root in (crd_folder(), OWN) for path in [*root.rglob("*.yaml"), *root.rglob("*.yml")]]
        found = (NAME.search(path.read_bytes()) for path in files)
        names = sorted({match.group(1).decode() for match in found if match})
        assert library.apply(api, tuple(name for name in names if name in library)) == []

    def refusals(self, found: Iterable[Object]) -> list[str]:
        """What it refuses, each with its own words; an object that it took once is not asked about again."""
        return [f"{each['kind']} {each['metadata']['name']}: {why}" for each in found if (why := self._refusal(each))]

    def _refusal(self, found: Object) -> str:
        text = json.dumps(found, sort_keys=True)
        if text in self._taken:
            return ""
        plural, namespaced = self._plural(found["apiVersion"], found["kind"])
        if not plural:
            return "no such kind"
        space = found["metadata"].get("namespace") if namespaced else None
        if namespaced and space is None:
            return "no namespace"
        if space:
            self._ensure(space)
        path = path_of(found["apiVersion"], plural, space, found["metadata"]["name"])
        try:
            self._api.request("PATCH", f"{path}?{_QUERY}&dryRun=All", text.encode(), content=APPLY)
        except ApiError as problem:
            return str(problem)
        self._taken.add(text)
        return ""

    def _ensure(self, space: str) -> None:
        if space not in self._made:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
            self._api.ensure(path_of("v1", "namespaces"), body)
            self._made.add(space)

    def _plural(self, version: str, kind: str) -> tuple[str, bool]:
        if (version, kind) not in self._plurals:
            path = f"/api/{version}" if "/" not in version else f"/apis/{version}"
            listed = (self._api.get(path) or {"resources": []})["resources"]
            known = {each["kind"]: (each["name"], each["namespaced"]) for each in listed if "/" not in each["name"]}
            self._plurals[version, kind] = known.get(kind, ("", False))
        return self._plurals[version, kind]


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """A control plane of the lab's own, for as long as it is asked."""
    rack = Rack(folder, workers=())
    try:
        rack.install()
        api = rack.side.cluster.api
        assert api is not None
        yield Served(api)
    finally:
        rack.close()
