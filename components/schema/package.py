"""The package as the protocol asks for it: components by token, made from properties, and the schema."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any

import pulumi

from podwright import __version__
from podwright.components.contract import ArgsError
from podwright.components.providers.protocol.construct import ComponentError, Received
from podwright.components.schema.arguments import arguments, named, outputs, signature
from podwright.components.schema.document import arguments_class, document
from podwright.components.schema.inputs import arguments_from, located
from podwright.components.schema.names import camel, closed, written

_SECRETS = "secrets"
"""Argument of components that hand secrets on, by name of the secret."""


class Package:
    """Components by token, and the schema of everything. The tables are from token to ``module:Class``."""

    def __init__(self, components: Mapping[str, str], resources: Mapping[str, str]) -> None:
        self._components = dict(components)
        self._resources = dict(resources)

    def construct(
        self,
        token: str,
        name: str,
        inputs: Mapping[str, Received],
        options: pulumi.ResourceOptions,
        secrets: Mapping[str, str],
    ) -> tuple[pulumi.Resource, dict[str, Any]]:
        """Make one component; returns it and its outputs as the outside names them. Raises ComponentError.

        A component that hands secrets on to another program takes the instance's, unless it is given others.
        """
        if token not in self._components:
            known = ", ".join(sorted(self._components)) or "none"
            raise pulumi.RunError(f"podwright has no component {token}; it has {known}")
        kind = component_class(self._components[token])
        taken = arguments_class(kind)
        if secrets and any(each.name == _SECRETS and not each.plain for each in arguments(taken)):
            inputs = {_SECRETS: Received(dict(secrets), secret=True), **inputs}
        args = arguments_from(taken, name, inputs)
        own = {_SECRETS: pulumi.Output.secret(dict(secrets))} if secrets and _SECRETS in signature(kind) else {}
        try:
            made = kind(name, args, options) if named(kind) else _of_its_own_name(kind, name, args, options, **own)
        except ArgsError as error:
            raise ComponentError(name, located(error.problems, type(args))) from None
        return made, {camel(each): _shown(getattr(made, each), of) for each, (of, _) in outputs(kind).items()}

    def schema(self) -> str:
        """The package's schema, JSON."""
        components = {token: component_class(place) for token, place in self._components.items()}
        resources = {token: component_class(place) for token, place in self._resources.items()}
        return json.dumps(document(__version__, components, resources), indent=1, ensure_ascii=False)


def _shown(value: pulumi.Output[Any], annotation: Any) -> pulumi.Output[Any]:
    """An output with the outside's names where it is a model's content: another component's input has that type."""
    return value.apply(lambda known: written(known, annotation)) if closed(annotation) else value


def component_class(place: str) -> type[Any]:
    """The class at ``module:Class``."""
    module, _, name = place.partition(":")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


def _of_its_own_name(
    kind: type[Any], name: str, args: Any, options: pulumi.ResourceOptions, **own: pulumi.Output[Any]
) -> Any:
    """A component that is called what its arguments say."""
    if args.name != name:
        raise ComponentError(name, {"name": f'must be "{name}", as the resource is called'})
    return kind(args, options, **own)
