"""Which images may run: the file's own are among them, and what nodes cannot take is refused before it reaches one.

What the Machine Config Operator refuses it only logs, and every node stays as it was
(https://github.com/openshift/machine-config-operator/tree/release-4.20/pkg/controller/container-runtime-config).
"""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.platform import Installation
from podwright.components.model.image_names import (
    INTERNAL,
    closest,
    inside,
    is_short,
    own_registries,
    registry_of,
    repository,
)
from podwright.components.model.image_names import (
    OPENSHIFT as RELEASE,
)
from podwright.components.model.images import Images, Signature
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.public_key import PublicKey, is_public_key

AT: Loc = ("openshift", "images")
SIGNED_SINCE = (4, 20)
"""ClusterImagePolicy v1 in the default feature set
(https://github.com/openshift/api/blob/release-4.20/features/features.go: SigstoreImageVerification)."""
_SEARCHED = "registry.access.redhat.com and docker.io"
"""What nodes search (machine-config-operator, templates/worker/01-worker-container-runtime)."""


def _images(cluster: Cluster) -> Images | None:
    return cluster.openshift.images if cluster.openshift else None


def _signatures(given: Installation) -> dict[str, Signature]:
    return given.openshift.images.signatures if given.openshift.images else {}


def _own(cluster: Cluster) -> tuple[str, ...]:
    mirror = cluster.openshift.mirror if cluster.openshift else None
    return own_registries(certified=cluster.has_certified, mirror=mirror.registry if mirror else None)


def _empty(given: Installation) -> Iterator[Problem]:
    section = given.openshift.images
    if section is not None and not section.allowed_registries and not section.signatures:
        hint = "write allowed_registries or signatures, or leave images out"
        yield Problem(AT, "lets every image run: it has neither registries nor signatures", hint)


def _allowed(cluster: Cluster) -> Iterator[Problem]:
    """Every image of the file is of a registry that nodes pull from."""
    section = _images(cluster)
    if section is None or not section.allowed_registries:
        return
    allowed = (*section.allowed_registries, *_own(cluster))
    for loc, image in cluster.image_places.items():
        where = registry_of(image)
        if is_short(image):
            full = image if "/" in image else f"library/{image}"
            message = f"{image} names no registry: nodes look for it in {_SEARCHED}"
            yield Problem(loc, message, f"write {where}/{full}, and {where} in openshift.images.allowed_registries")
        elif closest(image, allowed) is None:
            message = f"{image} is of none of openshift.images.allowed_registries: no node would pull it"
            narrow = repository(image).rpartition("/")[0]
            more = f", or {narrow}" if narrow != where else ""
            yield Problem(loc, message, f"add {where}{more} there, or take the image from a registry that it has")


def _release(given: Installation) -> Iterator[Problem]:
    version = given.openshift.version
    major, minor, _ = version.split(".")
    if _signatures(given) and (int(major), int(minor)) < SIGNED_SINCE:
        message = f"OpenShift {version} verifies no signatures by ClusterImagePolicy outside preview"
        yield Problem((*AT, "signatures"), message, "remove signatures, or take OpenShift 4.20 or later")


def _kept(given: Installation) -> Iterator[Problem]:
    """No signature of the file is asked of OpenShift's own images."""
    for scope in _signatures(given):
        kept = next((each for each in (RELEASE, INTERNAL) if inside(each, scope) or inside(scope, each)), None)
        if kept is not None:
            whose = "OpenShift's release" if kept == RELEASE else "the cluster's own registry"
            message = f"{scope} has images of {whose}, without which no node starts"
            hint = "leave it out: OpenShift verifies its release by a ClusterImagePolicy of its own, or write a path"
            yield Problem((*AT, "signatures", scope), message, f"{hint} with the site's images", at_key=True)


def _roots(given: Installation) -> Iterator[Problem]:
    for scope, signature in _signatures(given).items():
        loc = (*AT, "signatures", scope)
        if (signature.public_key is None) == (signature.fulcio is None):
            has = "has neither public_key nor fulcio" if signature.fulcio is None else "has public_key and fulcio"
            yield Problem(loc, f"{has}: a signature is verified with one of them", "write one of them")
        elif signature.fulcio is not None and signature.rekor_key is not None:
            yield Problem((*loc, "rekor_key"), "belongs to public_key", "remove it: fulcio has a rekor_key of its own")
        for key, text in _keys(signature):
            if not is_public_key(text):
                message = "is no public key of RSA, ECDSA or Ed25519 in DER"
                yield Problem((*loc, *key), message, "write the whole file, such as cosign.pub, as a block of YAML")


def _inside(given: Installation) -> Iterator[Problem]:
    """Scopes outside the list keep the operator from writing either."""
    section = given.openshift.images
    if section is None or not section.allowed_registries:
        return
    mirror = given.openshift.mirror
    # Whether certified operators run is the file's matter: what they need is allowed where they do.
    allowed = (*section.allowed_registries, *own_registries(certified=True, mirror=mirror.registry if mirror else None))
    for scope in section.signatures:
        if not any(inside(scope, each) for each in allowed):
            message = f"{scope} is in none of openshift.images.allowed_registries: nodes would take neither"
            hint = f"add {scope} there, or remove this signature"
            yield Problem((*AT, "signatures", scope), message, hint, at_key=True)


def _keys(signature: Signature) -> Iterator[tuple[Loc, PublicKey]]:
    if signature.public_key is not None:
        yield ("public_key",), signature.public_key
    if signature.rekor_key is not None:
        yield ("rekor_key",), signature.rekor_key
    if signature.fulcio is not None:
        yield ("fulcio", "rekor_key"), signature.fulcio.rekor_key


def _unused(cluster: Cluster) -> Iterator[Problem]:
    """A scope has an image of the plan."""
    section = _images(cluster)
    own, images = _own(cluster), cluster.images
    for scope in section.signatures if section else ():
        of_release = any(inside(each, scope) for each in (RELEASE, INTERNAL))
        if of_release or any(closest(each, [scope]) for each in images) or any(inside(scope, each) for each in own):
            continue
        few = ", ".join(sorted({repository(each) for each in images})[:3])
        hint = f"write a registry or path of {few}" if few else "remove it"
        yield Problem((*AT, "signatures", scope), f"{scope} has no image of this file", hint, at_key=True)


OPENSHIFT = (_empty, _release, _kept, _roots, _inside)
CLUSTER = (_allowed, _unused)
