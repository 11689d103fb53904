"""What is defined about images that may run: registries that nodes pull from, and signatures that they ask for."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.certificate import Pem
from podwright.components.model.public_key import PublicKey
from podwright.components.model.types import Spec, Words

_LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_PATH = r"(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"

Registry = Annotated[
    str,
    Field(max_length=256, pattern=rf"^(\*(\.{_LABEL})+|{_LABEL}(\.{_LABEL})*(:[0-9]{{1,5}})?{_PATH})$"),
    Words("a registry with its port and path, without https:// and tag, such as nvcr.io or *.example.com"),
]
"""A registry, repositories in it, or every registry below a domain: an entry of `allowedRegistries`
(https://github.com/openshift/api/blob/release-4.22/config/v1/types_image.go)."""

Scope = Annotated[
    str,
    Field(max_length=256, pattern=rf"^(\*(\.{_LABEL})+|{_LABEL}(\.{_LABEL})+(:[0-9]{{1,5}})?{_PATH})$"),
    Words("a registry with a dot in its name, and a path in it, such as registry.example.com/research"),
]
"""Images that one signature is for: an entry of `scopes`
(https://github.com/openshift/api/blob/release-4.20/config/v1/types_cluster_image_policy.go)."""


class Fulcio(Spec):
    """Signatures with certificates for a moment, which an authority gave to whoever signed in with an account."""

    authority: Pem
    """Certificate of the Fulcio authority."""
    rekor_key: PublicKey
    """Public key of the Rekor log, which says when the certificate was used."""
    issuer: Annotated[
        str, Field(max_length=2048, pattern=r"^https://[^\s]+$"), Words("a URL such as https://id.example.com")
    ]
    """Who the account is of: the OIDC issuer in the certificate."""
    email: Annotated[
        str, Field(max_length=320, pattern=r"^[^\s@]+@[^\s@]+$"), Words("an address such as ci@example.com")
    ]
    """The account in the certificate."""


class Signature(Spec):
    """What a signature is verified with: a public key, or Fulcio's authority."""

    public_key: PublicKey | None = None
    """Public key of the pair that signs, cosign.pub for example. Null: `fulcio`."""
    rekor_key: PublicKey | None = None
    """Public key of a Rekor log that each signature by `public_key` must be in. Null: none is asked."""
    fulcio: Fulcio | None = None
    """Signatures without a key of one's own. Null: `public_key`."""


class Images(Spec):
    """Which images may run on every node. No pod that runs is ended by it."""

    allowed_registries: tuple[Registry, ...] = ()
    """Registries of what the file's jobs, services and checks run, and of what teams start themselves. Those of
    OpenShift and of the file's operators are added, the site's mirror too. Empty: every registry."""
    signatures: dict[Scope, Signature] = {}
    """By registry or path, what images in it are signed with; the closest one holds. OpenShift's own release has a
    policy of its own. Empty: no signature is asked for. Needs OpenShift 4.20."""
