"""What a provider instance may be given: a login per module, naming its secret and never holding its value.

``{"nxos": {"user", "secret", "drain"}, "intersight": {"key_id", "secret", "endpoint"}, "redfish": {"user",
"secret"}, "secrets": {name: value}, "world": id}``. Releases before this shape had an instance per module, with
`credentials`, `endpoint` and `drain` on top: states hold those still, and destroy and refresh run with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from podwright.components.providers.protocol.difference import Unknown
from podwright.components.providers.protocol.kind import Failure, Secret
from podwright.components.providers.protocol.limits import limit_failures


@dataclass(frozen=True)
class Login:
    """The fields of one login."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    example: str = ""


LOGINS: Final[Mapping[str, Login]] = {
    "nxos": Login(("user", "secret"), ("drain",), '{"user": "admin", "secret": "switch-admin"}'),
    "intersight": Login(("key_id", "secret"), ("endpoint",), '{"key_id": "…", "secret": "intersight-key"}'),
    "redfish": Login(("user", "secret"), (), '{"user": "admin", "secret": "bmc-admin"}'),
}
"""Inputs that hold a login. Installation and roll-outs (module openshift) reach BMCs with redfish's."""
_OPENSHIFT: Final = "openshift"
_SITE: Final = "index"
"""Module of resources that belong to the site as a whole: they see every login."""
BEFORE: Final = frozenset({"credentials", "endpoint", "drain"})
"""Inputs of an instance that served one module alone, as states of earlier releases hold them."""
KNOWN: Final = frozenset({*LOGINS, "secrets", "world", "changes", "places"})
ENGINE: Final = frozenset({"version", "pluginDownloadURL", "__internal", "__defaults"})
"""Keys the engine adds on its own."""
_KEY_ID: Final = "keyId"
"""`key_id` as programs of other languages spell it."""
_CREDENTIALS: Final = frozenset({"user", "key_id", "secret"})
_DRAINS: Final = ("maintenance", "none")


def parsed(config: Mapping[str, Any]) -> dict[str, Any]:
    """The same inputs, with maps where a generated SDK wrote JSON (its providers take flat texts alone)."""
    maps = {*LOGINS, "secrets", "changes", "places"}
    return {key: _parsed(value) if key in maps else value for key, value in config.items()}


def _parsed(value: Any) -> Any:
    if isinstance(value, Secret):
        return Secret(_parsed(value.value))
    if isinstance(value, Mapping):
        return {"key_id" if key == _KEY_ID else key: each for key, each in value.items()}
    try:
        return _parsed(json.loads(value)) if isinstance(value, str) else value
    except ValueError:
        return value


def login_of(config: Mapping[str, Any], token: str) -> dict[str, Any]:
    """What a kind sees of the instance: its module's login as `credentials`, `endpoint`, `drain`, `secrets`, `changes`,
    `places`.

    A kind of the site as a whole sees everything, and takes the view of a module from here for what it asks of it.
    """
    module = _module(token)
    if module == _SITE:
        return dict(config)
    login = config.get("redfish" if module == _OPENSHIFT else module)
    if not isinstance(login, Mapping):
        return {key: value for key, value in config.items() if key in BEFORE or key == "secrets"}
    view: dict[str, Any] = {"credentials": {key: value for key, value in login.items() if key in _CREDENTIALS}}
    view |= {key: login[key] for key in ("endpoint", "drain") if login.get(key)}
    return view | {key: config[key] for key in ("secrets", "changes", "places") if key in config}


def missing_login(config: Mapping[str, Any], token: str) -> str:
    """The sentence for a kind that cannot work without its module's login, empty where there is one."""
    module = _module(token)
    if module not in LOGINS or config.get(module) is not None or config.get("credentials") is not None:
        return ""
    return (
        f"the provider instance has no login for {module}: give Podwright the input {module}={LOGINS[module].example}"
    )


def _module(token: str) -> str:
    parts = token.split(":")
    return parts[1] if len(parts) == 3 else ""


def configuration_failures(config: Mapping[str, Any]) -> list[Failure]:
    """Everything wrong with an instance's inputs, all at once."""
    unknown = sorted(set(config) - KNOWN - BEFORE - ENGINE)
    failures = [
        Failure((key,), f"is not an input of podwright; known are {', '.join(sorted(KNOWN))}") for key in unknown
    ]
    for name, login in LOGINS.items():
        failures += _login(name, login, config.get(name))
    failures += _credentials(config.get("credentials"))
    endpoint = config.get("endpoint")
    if endpoint is not None and not isinstance(endpoint, str | Unknown):
        failures.append(Failure(("endpoint",), "must be a host name or host:port"))
    failures += _drain(("drain",), config.get("drain"))
    world = config.get("world")
    if world is not None and (not isinstance(world, str | Unknown) or world == ""):
        failures.append(Failure(("world",), "must be a world id, as `podwright reach` prints it"))
    return failures + limit_failures(config) + _secrets(config.get("secrets"))


def _login(name: str, login: Login, given: Any) -> list[Failure]:
    if given is None or isinstance(given, Unknown):
        return []
    if not isinstance(given, Mapping):
        return [Failure((name,), f"must be a map like {login.example}")]
    known = (*login.required, *login.optional)
    failures = [
        Failure((name, key), f"is not known here; known are {', '.join(known)}")
        for key in sorted(set(given) - set(known))
    ]
    failures += [
        Failure((name, key), "must be a text that is not empty")
        for key in known
        if key in given and key != "drain" and (not isinstance(given[key], str | Unknown) or given[key] == "")
    ]
    failures += _drain((name, "drain"), given.get("drain")) if "drain" in known else []
    failures += [
        Failure((name, key), f"is missing; write {login.example}") for key in login.required if key not in given
    ]
    return failures


def _drain(path: tuple[str, ...], given: Any) -> list[Failure]:
    if given is None or isinstance(given, Unknown) or given in _DRAINS:
        return []
    return [Failure(path, f"must be {' or '.join(_DRAINS)}")]


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
