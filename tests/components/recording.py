"""Registers a cluster's graph with a monitor that only remembers, as the engine would see it."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pulumi
from google.protobuf import json_format
from pulumi.runtime import mocks, settings
from pulumi.runtime.rpc import UNKNOWN
from pulumi.runtime.stack import run_pulumi_func

from podwright.components import program as programs
from podwright.components.model import Cluster

SECRET = "4dabf18193072939515e22adb298388d"
"""Signature of special values on the wire (pulumi: sdk/go/common/resource/sig)."""


@dataclass(frozen=True)
class Registered:
    """One registration as it went over the wire."""

    urn: str
    type: str
    name: str
    parent: str
    provider: str
    dependencies: frozenset[str]
    protect: bool
    custom: bool
    deleted_with: str
    """URN of what takes this along when it goes."""
    made_again: frozenset[str]
    """Properties of which a change makes the resource again."""
    aliases: frozenset[str]
    """URNs that the same resource may have in a state."""
    ignored: tuple[str, ...]
    """Properties whose changes are left alone."""
    inputs: dict[str, Any] = field(hash=False)
    outputs: dict[str, Any] = field(hash=False, default_factory=dict)
    """What a component registered; filled in once it did."""

    @property
    def layer(self) -> str:
        """Type of the component it stands in, empty at the root."""
        return self.parent.split("::")[2].split("$")[-1] if self.parent else ""


class _Nothing(mocks.Mocks):
    """Inputs come back as outputs; what only a device knows stays away, as in a preview."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[Any, Any]]:
        known = dict(args.inputs)
        if args.typ == "podwright:openshift:Install":
            known["kubeconfig"] = {SECRET: "1b47061264138c4ac30d75fd1eb44270", "value": "held back"}
        if args.typ == "pulumi:pulumi:StackReference":
            known["outputs"] = {"fabric": {"switches": {}, "digests": {"leaf-01": "0"}}}
        return f"{args.name}-id", known

    def call(self, args: mocks.MockCallArgs) -> Any:
        raise AssertionError(f"nothing here asks a provider: {args.token}")


class _Monitor(mocks.MockMonitor):
    def __init__(self) -> None:
        super().__init__(_Nothing())
        self.seen: dict[str, Registered] = {}

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        inside = "" if "pulumi:pulumi:Stack" in parent or not parent else parent.split("::")[2] + "$"
        return f"urn:pulumi:test::podwright::{inside}{type_}::{name}"

    def RegisterResource(self, request: Any) -> Any:
        answer: Any = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        if request.type == "pulumi:pulumi:Stack":
            return answer
        self.seen[answer.urn] = Registered(
            urn=answer.urn,
            type=request.type,
            name=request.name,
            parent="" if request.parent.split("::")[2:3] == ["pulumi:pulumi:Stack"] else request.parent,
            provider=request.provider,
            dependencies=frozenset(request.dependencies),
            protect=request.protect,
            custom=request.custom,
            deleted_with=request.deletedWith,
            made_again=frozenset(request.replaceOnChanges),
            aliases=frozenset(
                [
                    *request.aliasURNs,
                    *(alias.urn for alias in request.aliases if alias.urn),
                    *(self.make_urn(request.parent, request.type, name) for name in self._former_names(request)),
                ]
            ),
            ignored=tuple(request.ignoreChanges),
            inputs=json_format.MessageToDict(request.object),
        )
        return answer

    def _former_names(self, request: Any) -> list[str]:
        """Names it had, by its own aliases and by those of its component, as the engine works them out."""
        parent = self.seen.get(request.parent)
        names = [alias.spec.name for alias in request.aliases if alias.spec.name]
        for alias in parent.aliases if parent and request.name.startswith(parent.name) else ():
            former = alias.rpartition("::")[2]
            names += [former + each.removeprefix(parent.name) for each in (request.name, *names) if parent]
        return [name for name in names if name != request.name]

    def RegisterResourceOutputs(self, request: Any) -> Any:
        if request.urn in self.seen:
            self.seen[request.urn].outputs.update(json_format.MessageToDict(request.outputs))
        return super().RegisterResourceOutputs(request)  # type: ignore[no-untyped-call]


def register(cluster: Cluster, secrets: dict[str, str] | None = None) -> dict[str, Registered]:
    """Everything the program registers for a cluster at preview, by URN; `secrets` are the stack's own."""

    async def build() -> None:
        given = None if secrets is None else pulumi.Output.secret(secrets)
        pulumi.export("built", await programs.build(cluster, given))

    return record(build)


def record(program: Callable[[], Any]) -> dict[str, Registered]:
    """Everything that a program registers at preview, by URN."""
    monitor = _Monitor()

    async def run() -> None:
        # The root stack belongs to an event loop: each graph gets its own.
        settings.set_root_resource(None)  # type: ignore[arg-type]
        mocks.set_mocks(_Nothing(), project="podwright", stack="test", preview=True, monitor=monitor)
        await run_pulumi_func(program)

    with _closing_loops() as workers:

        async def main() -> None:
            asyncio.get_running_loop().set_default_executor(workers)
            await run()

        asyncio.run(main())
    return monitor.seen


@contextmanager
def _closing_loops() -> Iterator[ThreadPoolExecutor]:
    """Worker threads with event loops that end with them; the SDK's mocks would leave theirs open."""
    loops: list[asyncio.AbstractEventLoop] = []

    def begin() -> None:
        loops.append(asyncio.new_event_loop())
        asyncio.set_event_loop(loops[-1])

    try:
        with ThreadPoolExecutor(4, initializer=begin) as workers:
            yield workers
    finally:
        for loop in loops:
            loop.close()


def unknown(value: Any) -> bool:
    """Whether anything inside a wire value is not known yet."""
    if isinstance(value, dict):
        return any(unknown(inner) for inner in value.values())
    if isinstance(value, list):
        return any(unknown(inner) for inner in value)
    return bool(value == UNKNOWN)
