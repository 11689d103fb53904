"""Paths of fields that definitions of KServe's kinds have: `python -m tests.model.kserve_crds FOLDER` prints them.

The folder holds CustomResourceDefinitions: config/crd/full of kserve/kserve, or of red-hat-data-services/kserve at a
release's branch. Of frameworks' own predictors, transformers and explainers none is listed: none is written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import yaml

from tests.model import definitions
from tests.model.definitions import Schema

KINDS: Final = {"InferenceService": "v1beta1", "ServingRuntime": "v1alpha1"}
OWN: Final = (
    "affinity", "annotations", "args", "command", "containers", "deploymentStrategy", "dnsConfig", "env", "envFrom",
    "ephemeralContainers", "hostAliases", "imagePullSecrets", "initContainers", "labels", "lifecycle", "livenessProbe",
    "nodeSelector", "os", "overhead", "ports", "readinessGates", "readinessProbe", "resizePolicy", "resourceClaims",
    "resources", "schedulingGates", "securityContext", "startupProbe", "tolerations", "topologySpreadConstraints",
    "volumeDevices", "volumeMounts", "volumes",
)  # fmt: skip
"""Fields of Kubernetes' own types, whose releases are the same in both."""
_WRITTEN: Final = ("spec", "spec.predictor", "spec.predictor.model", "spec.predictor.model.modelFormat",
                   "spec.supportedModelFormats", "spec.supportedModelFormats[]")  # fmt: skip
"""Of which parts every field is listed."""


def paths(folder: Path) -> set[str]:
    """`Kind spec.field[].field` of both kinds of the folder."""
    found: set[str] = set()
    for file in sorted(folder.rglob("serving.kserve.io_*.yaml")):
        text = file.read_text(encoding="utf-8")
        if not any(f"\n    kind: {kind}\n" in text for kind in KINDS):
            continue
        each = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        kind = each["spec"]["names"]["kind"]
        for version in each["spec"]["versions"]:
            if version["name"] == KINDS[kind] and version["served"]:
                root = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
                found |= {f"{kind} {path}" for path in definitions.paths("spec", root, goes_on=_goes_on)}
    return found


def _goes_on(at: str, schema: Schema) -> bool:
    """The element of a list is named beside it."""
    return at in _WRITTEN or "items" in schema


if __name__ == "__main__":
    print("\n".join(sorted(paths(Path(sys.argv[1])))))
