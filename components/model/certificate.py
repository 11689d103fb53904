"""What is defined about the certificate that a server's management controller shows."""

from typing import Annotated

from pydantic import Field, StringConstraints

from podwright.components.model.types import SecretName, Spec, Words

Pem = Annotated[
    str,
    StringConstraints(
        pattern=r"^-----BEGIN CERTIFICATE-----\n([A-Za-z0-9+/]{1,76}={0,2}\n)+-----END CERTIFICATE-----\n?$",
        max_length=16384,
    ),
    Words("one certificate as PEM text, a block of YAML that begins with -----BEGIN CERTIFICATE-----"),
]
"""One X.509 certificate (RFC 7468). It is public; a key is not, and has no place in a file."""


class ControllerCertificate(Spec):
    """Certificate and key of the pages and the API of one server's management controller."""

    certificate: Pem
    """The certificate."""
    key: SecretName
    """Secret that holds its private key, as PEM text. No other server has the same."""
    generation: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Raise it when the key behind the secret is another one."""
