"""A disconnected site's mirror serves what the stack runs: by digest, from catalogues that were mirrored."""

from collections.abc import Iterator

from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Loc, Problem

AT: Loc = ("openshift", "mirror")
TAGGED = "has no digest: a mirror serves images by digest, and its tags do not follow those of the source"


def _images(cluster: Cluster) -> Iterator[Problem]:
    if cluster.openshift is None or cluster.openshift.mirror is None:
        return
    for loc, image in cluster.image_places.items():
        if "@sha256:" not in image:
            hint = f"write {image.partition('@')[0]}@sha256:<digest>, as `skopeo inspect` prints it"
            yield Problem(loc, f"{image} {TAGGED}", hint)


def _catalogs(cluster: Cluster) -> Iterator[Problem]:
    """Every catalogue that the stack subscribes to is in the mirror; the default ones are switched off."""
    if cluster.openshift is None or cluster.openshift.mirror is None or cluster.operators is None:
        return
    taken = RELEASE_SETS.get(cluster.operators.release)
    if taken is None:
        return
    packages = [taken.nfd]
    packages += [taken.sriov, taken.maintenance, taken.network] if cluster.has_rails else []
    packages += [taken.gpu] if any(server.gpus for server in cluster.servers.values()) else []
    needed: dict[str, list[str]] = {}
    for package in packages:
        needed.setdefault(package.source, []).append(package.package)
    for catalog, names in needed.items():
        if catalog not in cluster.openshift.mirror.catalogs:
            message = f"{', '.join(names)} come from {catalog}, which the mirror does not have"
            hint = f"add {catalog}: sha256:… with the digest of its index in the mirror"
            yield Problem((*AT, "catalogs"), message, hint)


def _driver(cluster: Cluster) -> Iterator[Problem]:
    """The GPU operator completes a driver's version to a tag of the node's system; its own driver has a digest."""
    if cluster.openshift is None or cluster.openshift.mirror is None or cluster.operators is None:
        return
    if version := cluster.operators.gpu_driver:
        message = f"driver {version} is pulled by a tag, and the mirror serves images of the GPU operator by digest"
        hint = "leave gpu_driver out, and take another driver with the operator's release that was built with it"
        yield Problem(("operators", "gpu_driver"), message, hint)


CLUSTER = (_images, _catalogs, _driver)
