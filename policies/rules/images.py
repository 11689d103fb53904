"""Which images may run: pods name what their nodes pull, and what a signature is for stays what was signed."""

from collections.abc import Iterator, Sequence
from typing import Final

from .kubernetes import containers, kind, of_kind, pod_spec, runs_pods
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items, nothing

_DIGEST: Final = "@sha256:"
_deciding = of_kind("Image", "ClusterImagePolicy")


def _decides_or_pods(token: str) -> bool:
    return (_deciding(token) and "config.openshift.io" in token) or runs_pods(token)


def _scopes(image: str) -> Iterator[str]:
    """What an image lies in, the closest first: itself, its repository and what is above, `*.` and a domain."""
    yield image
    folder, slash, last = image.partition("@")[0].rpartition("/")
    name = f"{folder}{slash}{last.partition(':')[0]}"
    domain = name.partition("/")[0].partition(":")[0].partition(".")[2]
    while name:
        yield name
        name = name.rpartition("/")[0]
    while domain:
        yield f"*.{domain}"
        domain = domain.partition(".")[2]


def _named(resources: Sequence[Resource]) -> Iterator[tuple[Resource, str]]:
    for resource in resources:
        if runs_pods(resource.type):
            for container in containers(pod_spec(resource)):
                if image := str(container.get("image") or ""):
                    yield resource, image


def _listed(resources: Sequence[Resource]) -> set[str]:
    sources = [
        (resource.props.get("spec") or {}).get("registrySources") or {}
        for resource in resources
        if kind(resource) == "Image"
    ]
    return {str(each) for source in sources for each in items(source.get("allowedRegistries"))}


def _pulled(resources: Sequence[Resource]) -> Iterator[Finding]:
    allowed = _listed(resources)
    if not allowed:
        raise NotApplicable("every registry is allowed")
    for resource, image in _named(resources):
        if not allowed & set(_scopes(image)):
            yield Finding(f"{kind(resource)} {resource.name} runs {image}, of no allowed registry", resource.urn)


def _bound(resources: Sequence[Resource]) -> Iterator[Finding]:
    signed = {
        str(scope)
        for resource in resources
        if kind(resource) == "ClusterImagePolicy"
        for scope in items((resource.props.get("spec") or {}).get("scopes"))
    }
    if not signed:
        raise NotApplicable("no image needs a signature")
    for resource, image in _named(resources):
        if _DIGEST not in image and signed & set(_scopes(image)):
            yield Finding(f"{kind(resource)} {resource.name} runs {image}, signed and without a digest", resource.urn)


IMAGES: tuple[StackRule, ...] = (
    StackRule(
        id="workloads-allowed-registry",
        title="Images come from registries that nodes pull from",
        why="Nodes refuse every other image: its pods wait with SignatureValidationFailed for as long as it is so, and "
        "hold their GPUs meanwhile.",
        fix="Add the registry to openshift.images.allowed_registries, or take the image from one that it has.",
        reference="docs/how-to/which-images-may-run.md",
        severity="high",
        excused_by=of_kind("Image"),
        types=_decides_or_pods,
        compare=_pulled,
    ),
    StackRule(
        id="workloads-signed-by-digest",
        title="Images that need a signature are named by digest",
        why="A signature that cosign made names a repository and no tag: whoever may write the tag can put any signed "
        "image of the repository behind it, an old one with a known flaw for example, and nodes take it.",
        fix="Write the image as name@sha256:<digest>; `skopeo inspect` prints it.",
        reference="https://github.com/containers/image/blob/main/docs/containers-policy.json.5.md#sigstoresigned",
        severity="high",
        excused_by=nothing,
        types=_decides_or_pods,
        compare=_bound,
    ),
)
