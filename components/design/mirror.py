"""Where a disconnected site's nodes find each image: what `oc mirror --v2` pushed to one registry.

oc-mirror keeps an image's path under its destination, and gives the release's two repositories names of their own
(https://github.com/openshift/oc-mirror/blob/main/internal/pkg/release/const.go). So one source for each registry that
images come from finds them all, also those that only a bundle names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from podwright.components.model import Mirror
from podwright.components.model.image_names import REGISTRIES, registry_of

CATALOGS = {
    "redhat-operators": "registry.redhat.io/redhat/redhat-operator-index",
    "certified-operators": "registry.redhat.io/redhat/certified-operator-index",
}
"""Index images of OpenShift's own catalogues
(https://github.com/operator-framework/operator-marketplace/tree/master/defaults)."""
RELEASE = {
    "quay.io/openshift-release-dev/ocp-release": "openshift/release-images",
    "quay.io/openshift-release-dev/ocp-v4.0-art-dev": "openshift/release",
}
"""Repositories of a release and its components, and what oc-mirror calls them."""
NICS = "nvcr.io/nvidia/mellanox"
"""Repository of the images that the network operator names by tag: it completes the driver's with a node's system
(https://github.com/Mellanox/network-operator/blob/master/pkg/state/state_ofed.go), so no digest can stand for it."""


@dataclass(frozen=True)
class Pulls:
    """What a cluster pulls beyond its release."""

    images: tuple[str, ...] = ()
    """Images that the stack names itself."""
    nics: bool = False
    """The network operator runs, and names its images by tag."""


NO_PULLS = Pulls()


def digest_sources(mirror: Mirror, pulls: Pulls) -> list[dict[str, Any]]:
    """`imageDigestSources` of an install-config, and `imageDigestMirrors` of an ImageDigestMirrorSet: sorted by source.

    A source that has mirrors takes none of those of a registry that it lies in
    (https://github.com/openshift/runtime-utils/blob/master/pkg/registries/registries.go): what is mirrored by tag
    too is listed here as well.
    """
    found = {source: f"{mirror.registry}/{name}" for source, name in RELEASE.items()}
    registries = [each for catalog in mirror.catalogs for each in REGISTRIES[catalog]]
    own = mirror.registry.partition("/")[0]
    registries += [where for image in pulls.images if (where := registry_of(image)) != own]
    registries += [each["source"] for each in tag_sources(mirror, pulls)]
    found |= {source: _below(mirror, source) for source in (*registries, *mirror.sources)}
    return [{"source": source, "mirrors": [found[source]]} for source in sorted(found)]


def tag_sources(mirror: Mirror, pulls: Pulls) -> list[dict[str, Any]]:
    """`imageTagMirrors` of an ImageTagMirrorSet: what cannot be named by digest."""
    return [{"source": NICS, "mirrors": [_below(mirror, NICS)]}] if pulls.nics else []


def index(mirror: Mirror, catalog: str) -> str:
    """The index image of a mirrored catalogue, by its digest."""
    path = CATALOGS[catalog].partition("/")[2]
    return f"{mirror.registry}/{path}@{mirror.catalogs[catalog]}"  # type: ignore[index]


def catalog_source(catalog: str, version: str) -> str:
    """Name of a mirrored catalogue's CatalogSource, as oc-mirror makes it of repository and tag.

    Another build of the catalogue keeps it (`generateCatalogSource`,
    https://github.com/openshift/oc-mirror/blob/main/internal/pkg/clusterresources/clusterresources.go).
    """
    repository = CATALOGS[catalog].rpartition("/")[2]
    return f"cs-{repository}-v{version.rpartition('.')[0]}".replace(".", "-")


def trust(mirror: Mirror) -> str:
    """The private authorities as one PEM text; empty where the registry's certificate is from a public one."""
    return "".join(each if each.endswith("\n") else f"{each}\n" for each in mirror.authorities)


def _below(mirror: Mirror, source: str) -> str:
    _, slash, path = source.partition("/")
    return f"{mirror.registry}{slash}{path}"
