"""The lab's catalogue: which operators exist, in which channels and versions, and what a bundle brings along."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from podwright.lab import reading
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.hosted import runs
from podwright.lab.openshift.kinds import CSVS, DEPLOYMENTS

INDEXES = {"redhat-operator": "redhat-operators", "certified-operator": "certified-operators"}
"""A catalogue source is known by the index that its image names, so that mirrored sources work too."""


@dataclass(frozen=True)
class Package:
    """One operator as a catalogue offers it. `channels` list CSV names, oldest first."""

    name: str
    source: str
    display: str
    provider: str
    default: str
    channels: dict[str, list[str]]
    modes: list[str]
    deployment: str
    image: str
    crds: list[str]
    tolerates: bool = True
    """Whether the CSV's Deployment tolerates the control plane's taints."""
    indexes: Mapping[str, list[str]] = field(default_factory=dict)
    """OpenShift releases whose catalogue lists a version; a version that is not here is in every one."""
    requires: list[str] = field(default_factory=list)
    """Packages that its bundle depends on: the newest of their default channel comes along with it."""

    def offered(self, channel: str, source: Object, mirrored: str = "") -> list[str]:
        """What a catalogue source lists of a channel, oldest first: its image's tag names the OpenShift release.

        `mirrored` is the minor release that a site's own index, which has no such tag, was made for.
        """
        tag = re.search(r":v(4\.\d+)$", str(source["spec"].get("image", "")))
        release = tag[1] if tag else mirrored
        names = self.channels[channel]
        return [name for name in names if not release or release in self.indexes.get(name, [release])]


@cache
def packages() -> dict[str, Package]:
    """Every package by name."""
    data: dict[str, dict[str, Any]] = reading.read(Path(__file__).with_name("catalog.yaml").read_text(encoding="utf-8"))
    return {name: Package(name=name, **row) for name, row in data.items()}


def brought(package: str) -> list[str]:
    """CSVs that come along with a package, in the same plan."""
    known = packages()
    return [known[each].channels[known[each].default][-1] for each in known[package].requires]


def serves(source: Object) -> str | None:
    """The catalogue behind a CatalogSource, or None when nothing would answer there."""
    image = str(source["spec"].get("image", ""))
    return next((catalogue for word, catalogue in INDEXES.items() if f"{word}-index" in image), None)


def package_of(csv: str) -> Package | None:
    """The package that a CSV belongs to."""
    return next((p for p in packages().values() if any(csv in names for names in p.channels.values())), None)


def running(known: Cache, package: str) -> str | None:
    """Namespace in which the operator of `package` works: its CSV is there and its Deployment has a ready pod,
    on a host that answers."""
    for csv in known.list(CSVS):
        found = package_of(csv["metadata"]["name"])
        if found is None or found.name != package or csv.get("status", {}).get("phase") != "Succeeded":
            continue
        namespace = str(csv["metadata"]["namespace"])
        if runs(known, known.get(DEPLOYMENTS, found.deployment, namespace)):
            return namespace
    return None


def cluster_service_version(package: Package, csv: str, namespace: str) -> Object:
    """The CSV as its bundle holds it, with one Deployment."""
    version = csv.partition(".")[2].removeprefix("v")
    labels = {"name": package.deployment}
    digest = hashlib.sha256(csv.encode()).hexdigest()
    pod = {
        "serviceAccountName": "default",
        "tolerations": [
            {"key": f"node-role.kubernetes.io/{role}", "operator": "Exists", "effect": "NoSchedule"}
            for role in ("master", "control-plane")
            if package.tolerates
        ],
        "containers": [
            {
                "name": "manager",
                "image": f"{package.image}@sha256:{digest}",
                "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
            }
        ],
    }
    owned = [{"name": name, "kind": name.split(".")[0], "version": "v1"} for name in package.crds]
    return {
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {
            "name": csv, "namespace": namespace, "labels": {f"operators.coreos.com/{package.name}.{namespace}": ""},
        },
        "spec": {
            "displayName": package.display, "version": version, "provider": {"name": package.provider},
            "installModes": [
                {"type": mode, "supported": mode in package.modes}
                for mode in ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
            ],
            "customresourcedefinitions": {"owned": owned},
            "install": {
                "strategy": "deployment",
                "spec": {"deployments": [{
                    "name": package.deployment,
                    "spec": {
                        "replicas": 1, "selector": {"matchLabels": labels},
                        "template": {"metadata": {"labels": labels}, "spec": pod},
                    },
                }]},
            },
        },
    }  # fmt: skip
