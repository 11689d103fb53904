"""What an image's name says of where it lies, and which of a list of registries has it.

Scopes as containers-policy.json(5) has them: the image itself, its repository, every path above it, its registry, and
`*.` with a domain above that, the closest one first
(https://github.com/containers/image/blob/main/docs/containers-policy.json.5.md#docker).
"""

from collections.abc import Iterable, Iterator

OPENSHIFT = "quay.io/openshift-release-dev"
"""Above both repositories of a release and its components."""
INTERNAL = "image-registry.openshift-image-registry.svc:5000"
"""The cluster's own registry, as its Service is called."""
REGISTRIES = {
    "redhat-operators": ("registry.redhat.io",),
    "certified-operators": ("registry.connect.redhat.com", "nvcr.io", "ghcr.io/mellanox"),
}
"""Where bundles of a catalogue, and what they run, come from: certified bundles are on a registry of their own,
NVIDIA's name images of NGC, that of the Maintenance Operator one of ghcr.io
(https://github.com/redhat-openshift-ecosystem/certified-operators/tree/main/operators/nvidia-maintenance-operator)."""


def registry_of(image: str) -> str:
    """Registry of an image; Docker Hub's where it names none."""
    first, slash, _ = image.partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


def is_short(image: str) -> bool:
    """Whether an image names no registry, so that a node asks those it searches, one after the other."""
    return not image.startswith(f"{registry_of(image)}/")


def repository(image: str) -> str:
    """An image without its tag and digest."""
    name = image.partition("@")[0]
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{last.partition(':')[0]}"


def scopes(image: str) -> Iterator[str]:
    """Every scope that an image lies in, the closest one first."""
    name = repository(image)
    yield f"{name}@{image.partition('@')[2]}" if "@" in image else image
    while name:
        yield name
        name = name.rpartition("/")[0]
    domain = registry_of(image).partition(":")[0].partition(".")[2]
    while domain:
        yield f"*.{domain}"
        domain = domain.partition(".")[2]


def closest(image: str, among: Iterable[str]) -> str | None:
    """The scope of some that decides about an image; None where it lies in none of them."""
    known = set(among)
    return next((each for each in scopes(image) if each in known), None)


def inside(scope: str, outer: str) -> bool:
    """Whether a scope is another one or a part of it (`ScopeIsNestedInsideScope`,
    https://github.com/openshift/runtime-utils/blob/master/pkg/registries/registries.go)."""
    if scope == outer or scope.startswith(f"{outer}/"):
        return True
    host = scope.partition("/")[0].partition(":")[0]
    return outer.startswith("*.") and host.endswith(outer[1:])


def own_registries(*, certified: bool, mirror: str | None) -> tuple[str, ...]:
    """What a cluster pulls from whatever a file lists: its release and its own registry, the catalogues and, with
    `certified`, what operators of the certified one run; the site's mirror, by which its catalogues are named.

    With a mirror too: a policy is about the name in a pod, and not about the mirror that has the image
    (https://github.com/containers/image/blob/main/docker/docker_image_src.go: logicalRef).
    """
    found = [OPENSHIFT, INTERNAL, *REGISTRIES["redhat-operators"]]
    found += REGISTRIES["certified-operators"] if certified else ()
    found += [registry_of(f"{mirror}/")] if mirror else []
    return tuple(found)
