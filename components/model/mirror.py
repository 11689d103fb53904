"""What is defined about the registry of a disconnected site: where `oc mirror --v2` pushed a stack's images."""

from typing import Annotated, Literal

from pydantic import Field

from podwright.components.model.certificate import Pem
from podwright.components.model.types import Spec, Words

Digest = Annotated[
    str,
    Field(pattern=r"^sha256:[0-9a-f]{64}$"),
    Words("a digest such as sha256:<64 hexadecimal digits>, which `skopeo inspect` prints"),
]
"""Digest of an image's manifest."""

Repository = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$"),
    Words("a registry with its port and path, without https://, such as registry.example.com:8443/openshift"),
]
"""A registry, or repositories in it: what `source` and `mirrors` of an ImageDigestMirrorSet take
(https://github.com/openshift/api/blob/master/config/v1/types_image_digest_mirror_set.go)."""


class Mirror(Spec):
    """The registry that a cluster without a route to the internet pulls from."""

    registry: Repository
    """Registry and path that `oc mirror --v2` pushed to: what stands behind docker:// there."""
    authorities: tuple[Pem, ...] = ()
    """Certificates of the private authorities that signed the registry's own, each as PEM text: hosts trust them from
    their first boot. None: the registry's certificate is from a public one."""
    catalogs: dict[Literal["redhat-operators", "certified-operators"], Digest] = {}
    """Digest of each catalogue's index image in the mirror, which oc-mirror makes anew with what was mirrored of it:
    subscriptions take their operators from there. OpenShift's own catalogues are switched off."""
    sources: tuple[Repository, ...] = ()
    """Further registries or repositories whose images were mirrored under the same path, beside those that the release
    set and the stack's own images come from."""
