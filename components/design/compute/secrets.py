"""What an object holds in the place of a secret, and the roles that log-ins are given."""

from collections.abc import Mapping

from podwright.components.model import secret_reference
from podwright.components.model.management import ConsoleRole

ROLES: Mapping[ConsoleRole, str] = {"read-only": "readonly", "user": "user", "admin": "admin"}
"""What Intersight calls the roles of management controllers."""


def secret(name: str, generation: int) -> str:
    """Where the value of a secret belongs: the provider puts it in when it writes."""
    return secret_reference(name, generation)
