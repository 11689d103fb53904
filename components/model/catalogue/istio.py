"""Which Istio a release of Red Hat OpenShift Service Mesh installs."""

import re
from collections.abc import Mapping
from typing import Final

ISTIO: Final[Mapping[tuple[int, int], str]] = {
    (3, 2): "v1.27-latest",
    (3, 3): "v1.28-latest",
    (3, 4): "v1.30-latest",
}
"""Minor release of Service Mesh → the newest Istio that it installs, as its kinds name it (pkg/istioversion/
versions.yaml of openshift-service-mesh/sail-operator, branches release-3.2 to release-3.4). With approval by hand it
changes with the operator alone. 3.1 has the ambient mode as a preview, which Red Hat does not support."""


def istio(csv: str) -> str:
    """The Istio that a release of the operator installs; empty where it is not known."""
    return ISTIO.get(minor(csv) or (0, 0), "")


def minor(text: str) -> tuple[int, int] | None:
    """Major and minor release of a version, or of a CSV's name; None where it has none."""
    found = re.search(r"(?:\.v|^)(\d+)\.(\d+)\.", text)
    return (int(found[1]), int(found[2])) if found else None
