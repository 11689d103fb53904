"""Paths of fields that definitions of Kueue's kinds have: `python -m tests.model.kueue_crds FOLDER` prints them.

The folder holds CustomResourceDefinitions: config/components/crd/bases of kubernetes-sigs/kueue, or
bindata/assets/kueue-operator/crds of openshift/kueue-operator at a release's branch.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from tests.model import definitions
from tests.model.definitions import Schema

VERSION = "v1beta2"
KINDS = ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Topology", "Workload")
NOT_WRITTEN = ("Workload",)
"""Kinds of which only what is read is listed: their status."""
OWN = ("namespaceSelector", "template", "nodeTaints", "tolerations", "conditions")
"""Fields of Kubernetes' own types, which are the same in every release."""


def paths(folder: Path) -> set[str]:
    """`Kind spec.field[].field` of every kind of the folder."""
    found: set[str] = set()
    for file in sorted(folder.rglob("*kueue.x-k8s.io*.yaml")):
        for each in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            kind = ((each or {}).get("spec") or {}).get("names", {}).get("kind")
            for version in each["spec"]["versions"] if kind in KINDS else ():
                if version["name"] == VERSION and version["served"]:
                    root = version["schema"]["openAPIV3Schema"]["properties"]
                    parts = ("status",) if kind in NOT_WRITTEN else ("spec", "status")
                    for part in parts:
                        below = definitions.paths(part, root[part], goes_on=_goes_on) if part in root else ()
                        found |= {f"{kind} {path}" for path in below}
    return found


def _goes_on(at: str, _: Schema) -> bool:
    return at.rpartition(".")[2].removesuffix("[]") not in OWN


if __name__ == "__main__":
    print("\n".join(sorted(paths(Path(sys.argv[1])))))
