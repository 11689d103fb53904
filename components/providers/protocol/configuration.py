"""What a provider instance may be given: the name of a login and of its secret, never a secret's value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.providers.protocol.difference import Unknown
from podwright.components.providers.protocol.kind import Failure

KNOWN: Final = frozenset({"credentials", "endpoint", "secrets", "drain"})
ENGINE: Final = frozenset({"version", "pluginDownloadURL", "__internal", "__defaults"})
"""Keys the engine adds on its own."""
_CREDENTIALS: Final = frozenset({"user", "key_id", "secret"})


def configuration_failures(config: Mapping[str, Any]) -> list[Failure]:
    """Everything wrong with an instance's inputs, all at once."""
    unknown = sorted(set(config) - KNOWN - ENGINE)
    failures = [
        Failure((key,), f"is not an input of podwright; known are {', '.join(sorted(KNOWN))}") for key in unknown
    ]
    failures += _credentials(config.get("credentials"))
    endpoint = config.get("endpoint")
    if endpoint is not None and not isinstance(endpoint, str | Unknown):
        failures.append(Failure(("endpoint",), "must be a host name or host:port"))
    if config.get("drain") not in (None, "maintenance", "none"):
        failures.append(Failure(("drain",), "must be maintenance or none"))
    return failures + _secrets(config.get("secrets"))


def _credentials(credentials: Any) -> list[Failure]:
    if credentials is None or isinstance(credentials, Unknown):
        return []
    if not isinstance(credentials, Mapping):
        return [Failure(("credentials",), 'must be a map like {"user": "admin", "secret": "switch-admin"}')]
    failures = [
        Failure(("credentials", key), f"is not known here; known are {', '.join(sorted(_CREDENTIALS))}")
        for key in sorted(set(credentials) - _CREDENTIALS)
    ]
    for key in sorted(_CREDENTIALS & set(credentials)):
        if not isinstance(credentials[key], str | Unknown) or credentials[key] == "":
            failures.append(Failure(("credentials", key), "must be a name"))
    if "secret" not in credentials:
        failures.append(Failure(("credentials", "secret"), "must name the secret that holds the password"))
    return failures


def _secrets(secrets: Any) -> list[Failure]:
    if secrets is None or isinstance(secrets, Unknown):
        return []
    if not isinstance(secrets, Mapping):
        return [Failure(("secrets",), "must be a map of secret names to values")]
    return [
        Failure(("secrets", name), "must be a text")
        for name, value in secrets.items()
        if not isinstance(value, str | Unknown)
    ]
