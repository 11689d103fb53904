"""Components for programs in any language: the protocol's Construct, answered in the plugin's own process.

The SDK's servicer sets up the program's context (project, stack, monitor) for one call and waits for what a component
registers; each call of the server is a task of its own, so that two do not meet. What a component is, and what its
properties mean, is the package's; here errors become answers that a person can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import grpc
import pulumi
from pulumi.errors import InputPropertiesError, RunError
from pulumi.provider import ConstructResult, Provider
from pulumi.provider.server import ProviderServicer
from pulumi.runtime import rpc as wire


@dataclass(frozen=True)
class Received:
    """One input of a component, as it arrived."""

    value: Any
    """Plain values; `pulumi.runtime.rpc.Unknown` where only the update will tell."""
    resources: frozenset[str] = frozenset()
    """URNs of what it came from."""
    secret: bool = False


class ComponentError(Exception):
    """What is wrong with a component's inputs: property path and sentence of each."""

    def __init__(self, name: str, problems: Mapping[str, str]) -> None:
        super().__init__(f"{name} cannot be made")
        self.problems = dict(problems)


class Components(Protocol):
    """A package's components, and its schema."""

    def construct(
        self,
        token: str,
        name: str,
        inputs: Mapping[str, Received],
        options: pulumi.ResourceOptions,
        secrets: Mapping[str, str],
    ) -> tuple[pulumi.Resource, dict[str, Any]]:
        """Make one; returns it and its outputs as the outside names them. Raises ComponentError.

        `secrets` are the instance's own, by name: a component that hands them on takes them from here.
        """
        ...

    def schema(self) -> str:
        """The package's schema, JSON."""
        ...


class Constructor(ProviderServicer):
    """Answers Construct alone."""

    def __init__(self, components: Components, engine_address: str, secrets: Mapping[str, str]) -> None:
        super().__init__(_Made(components, secrets), [], engine_address)

    @staticmethod
    async def _construct_inputs(inputs: Any, input_dependencies: Any) -> dict[str, Any]:
        """Inputs with what they came from: whether one may be an output is the component's to say."""
        values = wire.deserialize_properties(inputs, keep_unknowns=True)
        return {
            key: Received(
                wire.unwrap_rpc_secret(value),
                frozenset(input_dependencies[key].urns if key in input_dependencies else ()),
                wire.is_rpc_secret(value),
            )
            for key, value in values.items()
        }


class _Made(Provider):
    """The SDK's view of the package."""

    def __init__(self, components: Components, secrets: Mapping[str, str]) -> None:
        super().__init__(version=None)
        self._components = components
        self._secrets = secrets

    def construct(
        self, name: str, resource_type: str, inputs: Any, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        try:
            made, outputs = self._components.construct(
                resource_type, name, inputs, options or pulumi.ResourceOptions(), self._secrets
            )
        except ComponentError as error:
            raise InputPropertiesError(
                str(error), [{"property_path": path, "reason": reason} for path, reason in error.problems.items()]
            ) from None
        return ConstructResult(made.urn, outputs)


async def construct(
    components: Components, engine_address: str, request: Any, rpc: Any, secrets: Mapping[str, str]
) -> Any:
    """Answer one Construct; every failure becomes a status with sentences, never a traceback."""
    try:
        return await Constructor(components, engine_address, secrets).Construct(request, rpc)
    except grpc.aio.AbortError:
        raise
    except RunError as error:
        await _refuse(rpc, str(error))
    except Exception as error:  # noqa: BLE001 - the last line of defence; the SDK's own text is a traceback
        cause = error.__context__ or error
        await _refuse(rpc, f"{request.name}: an error nobody foresaw, {type(cause).__name__}: {cause}")


async def _refuse(rpc: Any, sentence: str) -> NoReturn:
    await rpc.abort(grpc.StatusCode.INVALID_ARGUMENT, sentence)
    raise AssertionError("abort always raises")
