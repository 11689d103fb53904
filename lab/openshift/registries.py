"""Where nodes pull from, and what: mirror sets and image policies become files of every pool.

After openshift/machine-config-operator, `pkg/controller/container-runtime-config`, and
https://github.com/openshift/runtime-utils/blob/master/pkg/registries/registries.go: one MachineConfig per pool,
`99-<pool>-generated-registries`, with the mirrors of all sets; a source that has mirrors takes none of those of a
registry that it lies in. What may change without a drain: pkg/daemon/drain.go, `isSafeContainerRegistryConfChanges`.
"""

from __future__ import annotations

import base64
import json
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from podwright.lab.openshift import image_policy, pull_gate
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import (
    DIGEST_MIRRORS,
    IMAGE_POLICIES,
    IMAGES,
    MACHINE_CONFIG_POOLS,
    MACHINE_CONFIGS,
    TAG_MIRRORS,
)

FILE = "/etc/containers/registries.conf"
GROUP = "machineconfiguration.openshift.io/v1"
ROLE = "machineconfiguration.openshift.io/role"
DIGEST, TAG = "digest-only", "tag-only"
HEAD = 'unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]\nshort-name-mode = ""\n'

Registries = Mapping[str, list[tuple[str, str]]]
"""By source, its mirrors: (location, whether by digest or by tag)."""


class ImageConfigs(Controller):
    """Keeps the MachineConfig of each pool, once there is something to write."""

    watches = (DIGEST_MIRRORS, TAG_MIRRORS, IMAGES, IMAGE_POLICIES, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS)

    def reconcile(self) -> None:
        """One pass over all pools. What contradicts itself changes nothing and is only logged."""
        mirrors = merged(self.cache.list(DIGEST_MIRRORS), self.cache.list(TAG_MIRRORS))
        image, policies = self.cache.get(IMAGES, "cluster"), self.cache.list(IMAGE_POLICIES)
        if why := image_policy.conflict(image, policies):
            self._say(f"could not Create/Update MachineConfig: could not update policy json with new changes: {why}")
            return
        places = {source: [location for location, _ in rows] for source, rows in mirrors.items()}
        policed = image_policy.files(image, policies, places)
        if policed:
            pull_gate.shut(self.api)
        for pool in self.cache.list(MACHINE_CONFIG_POOLS):
            self._render(pool["metadata"]["name"], mirrors, policed)

    def _render(self, pool: str, mirrors: Registries, policed: list[Object]) -> None:
        name = f"99-{pool}-generated-registries"
        found = self.cache.get(MACHINE_CONFIGS, name)
        had = [row["path"] for row in found["spec"]["config"]["storage"]["files"]] if found else []
        files = [*([file(mirrors)] if mirrors or FILE in had else []), *policed]
        spec = {"config": {"ignition": {"version": "3.5.0"}, "storage": {"files": files}}}
        if found is not None:
            self.patch(MACHINE_CONFIGS, found, {"spec": spec})
        elif files:
            self.api.ensure(MACHINE_CONFIGS.path(), {
                "apiVersion": GROUP, "kind": "MachineConfig", "spec": spec,
                "metadata": {"name": name, "labels": {ROLE: pool}},
            })  # fmt: skip


def merged(digests: Iterable[Object], tags: Iterable[Object]) -> Registries:
    """Mirrors of all sets by source, those by digest first, none twice."""
    found: dict[str, list[tuple[str, str]]] = {}
    for sets, key, how in ((digests, "imageDigestMirrors", DIGEST), (tags, "imageTagMirrors", TAG)):
        for item in sorted(sets, key=lambda each: str(each["metadata"]["name"])):
            for row in item["spec"].get(key) or []:
                mirrors = found.setdefault(row["source"], [])
                mirrors += [each for name in row.get("mirrors") or [] if (each := (name, how)) not in mirrors]
    return found


def file(registries: Registries) -> dict[str, Any]:
    """The file as a machine configuration has it."""
    text = HEAD
    for source, mirrors in registries.items():
        text += f'\n[[registry]]\n  prefix = ""\n  location = {json.dumps(source)}\n'
        for location, how in mirrors:
            text += f'\n  [[registry.mirror]]\n    location = {json.dumps(location)}\n    pull-from-mirror = "{how}"\n'
    source = f"data:text/plain;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"
    return {"path": FILE, "mode": 0o644, "overwrite": True, "contents": {"source": source}}


def registries(config: Mapping[str, Any] | None) -> Registries:
    """What the file of a machine configuration says; empty where it has none."""
    files = (((config or {}).get("config") or {}).get("storage") or {}).get("files") or []
    source = next((row["contents"]["source"] for row in files if row["path"] == FILE), "")
    text = base64.b64decode(source.partition(";base64,")[2]).decode()
    rows = tomllib.loads(text).get("registry") or []
    return {
        row["location"]: [(each["location"], each.get("pull-from-mirror", "")) for each in row.get("mirror") or []]
        for row in rows
    }


def drains(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether going from `old` to `new` takes anything away, or adds a mirror that is not by digest alone."""
    before, after = registries(old), registries(new)
    for source, mirrors in before.items():
        kept = dict(reversed(after.get(source, [])))
        if source not in after or any(location not in kept for location, _ in mirrors):
            return True
    for source, mirrors in after.items():
        if mirrors == before.get(source):
            continue
        known = dict(reversed(before.get(source, [])))
        if any(how != DIGEST and known.get(location) != how for location, how in mirrors):
            return True
    return False


def locations(registries: Registries, image: str) -> list[str]:
    """Where an image is looked for, in order: mirrors of the longest source that it lies in, then its own place."""
    by = DIGEST if "@" in image else TAG
    sources = [each for each in registries if image.startswith((f"{each}/", f"{each}@", f"{each}:")) or image == each]
    best = max(sources, key=len, default=None)
    mirrors = [f"{place}{image[len(best) :]}" for place, how in registries[best] if how in (by, "")] if best else []
    return [*mirrors, image]
