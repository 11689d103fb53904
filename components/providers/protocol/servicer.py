"""Pulumi's resource provider protocol, thin: decode, hand to the kind, encode.

Protocol reference: proto/pulumi/provider.proto of pulumi/pulumi. Differences from the SDK's own provider
classes, each needed here: unknown outputs in preview, old inputs in diff and update, a detailed diff with
property paths, initialisation failures, and errors without a traceback.
"""

# ruff: noqa: N802  (methods carry the protocol's names)

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NoReturn

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from podwright import __version__
from podwright.components.providers.protocol.configuration import (
    configuration_failures,
    login_of,
    missing_login,
    parsed,
)
from podwright.components.providers.protocol.construct import Components, construct
from podwright.components.providers.protocol.devices import Devices
from podwright.components.providers.protocol.difference import leaf_difference, render
from podwright.components.providers.protocol.engine import EngineLog
from podwright.components.providers.protocol.kind import (
    CheckContext,
    Context,
    Failure,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.limits import WRITTEN, last_written, refusals, with_written
from podwright.components.providers.protocol.operation import Operations, name_of, token_of
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.protocol.reply import diff_response
from podwright.components.providers.protocol.scrub import Scrubber
from podwright.components.providers.protocol.values import decode, encode, keep_secret, plain, secret_texts
from podwright.components.providers.protocol.world import mismatch, with_world, world_failures
from podwright.components.providers.reach import Reach, ReachError

STAMP: Final = "cluster"
"""Input that every resource of a component carries, so that policies judge per cluster. No device knows of it."""


class Servicer(provider_pb2_grpc.ResourceProviderServicer):
    """One provider instance: all resources of a site share its sessions, its secrets and its log."""

    def __init__(self, registry: Registry, reach: Callable[[], Reach], components: Components | None = None) -> None:
        self._registry = registry
        self._components = components
        self._reach = reach
        self._scrubber = Scrubber()
        self._devices = Devices()
        self.engine = EngineLog(self._scrubber)
        self.operations = Operations(self.engine, self._scrubber, reach)

    # -- the instance ------------------------------------------------------------------------------

    async def Handshake(self, request: Any, _rpc: Any) -> Any:
        """Tell the engine what we take: secrets as such, references and outputs as plain values."""
        self.engine.connect(request.engine_address)
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=False, accept_outputs=False)

    async def Attach(self, request: Any, _rpc: Any) -> Any:
        """An engine that did not start this process (PULUMI_DEBUG_PROVIDERS) says where it listens."""
        self.engine.connect(request.address)
        return empty_pb2.Empty()

    async def GetPluginInfo(self, _request: Any, _rpc: Any) -> Any:
        """The plugin's version."""
        return plugin_pb2.PluginInfo(version=__version__)

    async def GetSchema(self, _request: Any, _rpc: Any) -> Any:
        """Every resource and component; the least a schema may hold where resources alone are served."""
        least = json.dumps({"name": "podwright", "version": __version__})
        return provider_pb2.GetSchemaResponse(schema=self._components.schema() if self._components else least)

    async def GetMapping(self, _request: Any, _rpc: Any) -> Any:
        """There is nothing to convert from."""
        return provider_pb2.GetMappingResponse()

    async def GetMappings(self, _request: Any, _rpc: Any) -> Any:
        """There is nothing to convert from."""
        return provider_pb2.GetMappingsResponse()

    async def CheckConfig(self, request: Any, _rpc: Any) -> Any:
        """Judge the instance's inputs; nothing is dialled and no secret is looked up."""
        given = decode(request.news)
        inputs, reach = with_world(parsed(given), plain(decode(request.olds)), self._reach)
        failures = configuration_failures(plain(inputs))
        failures += world_failures(plain(inputs), reach, request.urn)
        # One text stays one: its hundreds of values would go through the engine with each resource.
        inputs |= {"places": given["places"]} if "places" in given else {}
        return provider_pb2.CheckResponse(inputs=encode(inputs), failures=self._failures(failures))

    async def DiffConfig(self, request: Any, _rpc: Any) -> Any:
        """A moved endpoint or a rotated credential never replaces the instance, and so no resource of it."""
        old, new = (plain(parsed(decode(m))) for m in (request.old_inputs, request.news))
        # Lines of the stack file move with every edit above them.
        return diff_response(leaf_difference(old, new).without(("places",)))

    async def Configure(self, request: Any, _rpc: Any) -> Any:
        """Keep the instance's inputs; devices are contacted by the first operation that needs one."""
        config = parsed(decode(request.args))
        self._remember(config)
        self.operations.config = plain(config)
        if sentence := self._wrong_world(request.urn):
            self.engine.say("warning", sentence, request.urn)
            await self.engine.flush()
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True, supportsPreview=True, acceptResources=False, acceptOutputs=False
        )

    async def Cancel(self, _request: Any, _rpc: Any) -> Any:
        """The user asked to stop."""
        self.operations.cancel()
        return empty_pb2.Empty()

    # -- resources ---------------------------------------------------------------------------------

    async def Check(self, request: Any, rpc: Any) -> Any:
        """Everything wrong with the inputs at once; the inputs go back as they came."""
        kind = await self._kind(request, rpc)
        inputs = plain(decode(request.news))
        failures = _schema_failures(kind, inputs)
        config = self.operations.config
        if sentence := missing_login(config, kind.token):
            failures.append(Failure(("provider",), sentence))
        old = plain(decode(request.olds))
        ctx = CheckContext(request.urn, login_of(config, kind.token), kind.upgrade(old) if old else {})
        failures += kind.check(inputs, ctx) or self._devices.plan(kind, request.urn, inputs)
        failures = failures or self._refusals(kind, old, inputs)
        return provider_pb2.CheckResponse(inputs=request.news, failures=self._failures(failures))

    async def Diff(self, request: Any, rpc: Any) -> Any:
        """One entry per changed leaf of the inputs. What stays as it is has no other call that could warn."""
        kind = await self._kind(request, rpc)
        old, new, outputs = (plain(decode(m)) for m in (request.old_inputs, request.news, request.olds))
        found = kind.diff(kind.upgrade(old), new, outputs).without((STAMP,), (WRITTEN,))
        if not found.changes:
            await self._warn(kind.unfinished(outputs), request.urn)
        return diff_response(found)

    async def Create(self, request: Any, rpc: Any) -> Any:
        """Make it, or say what its outputs will be."""
        kind = await self._kind(request, rpc)
        inputs = self._remember(decode(request.properties))
        if request.preview:
            outputs = kind.preview(plain(inputs), None)
            return provider_pb2.CreateResponse(properties=encode(keep_secret(outputs, inputs)))
        made = await self.operations.run(request, rpc, lambda ctx: kind.create(plain(inputs), ctx), [inputs])
        return provider_pb2.CreateResponse(id=made.id, properties=encode(keep_secret(made.outputs, inputs)))

    async def Read(self, request: Any, rpc: Any) -> Any:
        """What is live, as inputs and outputs; an empty id says it is gone; without inputs, an import."""
        kind = await self._kind(request, rpc)
        inputs, outputs = self._remember(decode(request.inputs)), self._remember(decode(request.properties))

        async def work(ctx: Context) -> Read | None:
            if not inputs and not outputs:
                return await kind.import_(request.id, ctx)
            return await kind.read(request.id, kind.upgrade(plain(inputs)), plain(outputs), ctx)

        live = await self.operations.run(request, rpc, work, [inputs, outputs])
        if live is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(
            id=request.id.split("@", 1)[0] if not inputs else request.id,
            inputs=encode(
                keep_secret({**_stamp(inputs), **with_written(kind.upgrade(plain(inputs)), live.inputs)}, inputs)
            ),
            properties=encode(keep_secret(live.outputs, inputs, outputs)),
        )

    async def Update(self, request: Any, rpc: Any) -> Any:
        """Make it as the new inputs say, or say what its outputs will be."""
        kind = await self._kind(request, rpc)
        new, old = self._remember(decode(request.news)), self._remember(decode(request.old_inputs))
        state = self._remember(decode(request.olds))
        if request.preview:
            outputs = kind.preview(plain(new), plain(state))
            told = (*kind.unfinished(plain(state)), *kind.notices(kind.upgrade(plain(old)), plain(new)))
            await self._warn(told, request.urn)
        else:

            async def work(ctx: Context) -> Values:
                if late := self._refusals(kind, plain(old), plain(new)):
                    raise ProviderError(f"nothing was begun: {late[0].message}")
                return await kind.update(request.id, plain(new), kind.upgrade(plain(old)), plain(state), ctx)

            outputs = await self.operations.run(request, rpc, work, [new, state])
        return provider_pb2.UpdateResponse(properties=encode(keep_secret(outputs, new, state)))

    async def Delete(self, request: Any, rpc: Any) -> Any:
        """Take away what we own."""
        kind = await self._kind(request, rpc)
        old, state = self._remember(decode(request.old_inputs)), self._remember(decode(request.properties))

        async def work(ctx: Context) -> None:
            self._devices.refuse_deletion(kind, request.urn, plain(old))
            await kind.delete(request.id, kind.upgrade(plain(old)), plain(state), ctx)

        await self.operations.run(request, rpc, work)
        return empty_pb2.Empty()

    async def Construct(self, request: Any, rpc: Any) -> Any:
        """Make a component of the package, with what is inside it."""
        if self._components is None:
            await _refuse(rpc, f"podwright serves no components here, and so no {request.type}")
        secrets = self.operations.config.get("secrets")
        known = secrets if isinstance(secrets, Mapping) else {}
        return await construct(self._components, self.engine.address, request, rpc, known)

    # -- what this plugin does not do --------------------------------------------------------------

    async def Invoke(self, request: Any, rpc: Any) -> NoReturn:
        """There are no functions."""
        await _refuse(rpc, f"podwright has no function {request.tok}")

    async def Call(self, request: Any, rpc: Any) -> NoReturn:
        """There are no methods."""
        await _refuse(rpc, f"podwright has no method {request.tok}")

    async def Parameterize(self, _request: Any, rpc: Any) -> NoReturn:
        """The plugin is what it is."""
        await _refuse(rpc, "podwright takes no parameters")

    # -- plumbing ----------------------------------------------------------------------------------

    async def _kind(self, request: Any, rpc: Any) -> Kind:
        try:
            return self._registry.kind(token_of(request))
        except ProviderError as error:
            await rpc.abort(grpc.StatusCode.INVALID_ARGUMENT, f"{name_of(request.urn)}: {error}")
            raise AssertionError("abort always raises") from error

    async def _warn(self, sentences: Iterable[str], urn: str) -> None:
        for sentence in sentences:
            self.engine.say("warning", sentence, urn)
        await self.engine.flush()

    def _refusals(self, kind: Kind, old: Values, new: Values) -> list[Failure]:
        """What of a change is above the limit now: asked before a plan, and again before each device is begun."""
        if not isinstance(old.get("spec"), Mapping):
            return []
        found = kind.impacts(kind.upgrade(last_written(old)), new)
        return refusals(found, self.operations.config, datetime.now(UTC))

    def _wrong_world(self, urn: str) -> str:
        """The preview of a `destroy` calls nothing but Configure; it shall say so too."""
        try:
            return mismatch(self.operations.config, self._reach(), urn)
        except ReachError:
            return ""

    def _remember(self, values: dict[str, Any]) -> dict[str, Any]:
        for text in secret_texts(values):
            self._scrubber.add(text)
        return values

    def _failures(self, failures: list[Failure]) -> list[Any]:
        """The path stands in the sentence: an engine that gets it apart prints the property's value, secret or not."""
        return [
            provider_pb2.CheckFailure(reason=self._scrubber.clean(f"{render(f.path)}: {f.message}")) for f in failures
        ]


def _stamp(inputs: Values) -> Values:
    """Nothing that is live tells of the stamp: without this every refresh would take it away."""
    return {STAMP: inputs[STAMP]} if STAMP in inputs else {}


async def _refuse(rpc: Any, sentence: str) -> NoReturn:
    await rpc.abort(grpc.StatusCode.UNIMPLEMENTED, sentence)
    raise AssertionError("abort always raises")


def _schema_failures(kind: Kind, inputs: Values) -> list[Failure]:
    spec = inputs.get("spec")
    number = spec.get("schema") if isinstance(spec, dict) else None
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= kind.schema:
        return []
    return [Failure(("spec", "schema"), f"must be a number from 1 to {kind.schema}, today's; got {number!r}")]
