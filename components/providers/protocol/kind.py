"""What a resource kind is: the one contract between the protocol and the device modules.

A module (``nxos``, ``intersight``, ``redfish``, ``openshift``) implements `Kind` once per resource token
and lists its kinds in ``module.py`` as ``KINDS: tuple[Kind, ...]``. Kinds see plain Python values: dicts,
lists, strings, numbers, booleans, None and `UNKNOWN`. Secret inputs arrive unwrapped; the protocol marks
every output leaf that carries a secret input's value again, and a kind marks a secret of its own making
with `Secret`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from podwright.components.changes.impact import Impact, impacts
from podwright.components.changes.row import ChangeClass
from podwright.components.providers.protocol.difference import UNKNOWN as _UNKNOWN
from podwright.components.providers.protocol.difference import Difference, Path, Unknown, leaf_difference
from podwright.components.providers.reach import Reach, SecretNotFoundError

UNKNOWN: Final = _UNKNOWN

Values = Mapping[str, Any]
"""A property map: names as the program wrote them."""

__all__ = [
    "UNKNOWN",
    "CheckContext",
    "Context",
    "Created",
    "Difference",
    "Failure",
    "Incomplete",
    "Kind",
    "Path",
    "ProviderError",
    "Read",
    "Secret",
    "Unknown",
    "Values",
]


class ProviderError(Exception):
    """What a person reads when an operation fails: one sentence, naming the device and what to do."""


class Incomplete(Exception):  # noqa: N818  (not an error of ours: the object exists, it is just not finished)
    """The object exists but is not as asked; the engine keeps it in state and tries again at the next `up`.

    `id` and `outputs` are what exists now, `reasons` one sentence each.
    """

    def __init__(self, id: str, outputs: Values, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.id = id
        self.outputs = outputs
        self.reasons = tuple(reasons)


@dataclass(frozen=True)
class Secret:
    """An output value that must be encrypted in state and hidden on screen (a kubeconfig, for one)."""

    value: Any

    def __repr__(self) -> str:
        return "Secret(...)"


@dataclass(frozen=True)
class Failure:
    """One thing wrong with the inputs: a path like ``("spec", "config", "mtu")`` and one sentence."""

    path: Path
    message: str


@dataclass(frozen=True)
class Created:
    """What create made: the logical id (never an address, serial or moid) and the outputs."""

    id: str
    outputs: Values


@dataclass(frozen=True)
class Read:
    """What is live: `inputs` as a program would have to write them to get this, so that drift shows as a
    diff."""

    inputs: Values
    outputs: Values


@dataclass(frozen=True)
class CheckContext:
    """What a check may know: nothing that needs a device, so that preview works with none in reach."""

    urn: str = ""
    config: Values = field(default_factory=dict)
    old_inputs: Values = field(default_factory=dict)
    """What the state holds of the same resource, in today's shape; empty before a create."""


def _silent(_message: str) -> None:
    """Progress goes nowhere when no engine listens."""


@dataclass
class Context:
    """What one operation has at hand.

    `log` shows progress in the engine's status column, `warn` stays on the screen, `cancel` is set when the
    user asked to stop: an operation then ends at the next point where the device is whole. `config` holds what the
    provider instance has for the kind's module (credentials, endpoint, drain, secrets), `identity` is
    ``<project>/<stack>`` for marks.
    """

    config: Values = field(default_factory=dict)
    reach: Reach = field(default_factory=Reach)
    identity: str = "podwright/unnamed"
    urn: str = ""
    log: Callable[[str], None] = _silent
    warn: Callable[[str], None] = _silent
    cancel: asyncio.Event = field(default_factory=asyncio.Event)
    timeout: float = 0.0
    """Seconds the program allows this operation; 0 means it set no limit."""
    fresh_from: float = field(default_factory=time.monotonic)
    """What operations of one command read together may not be older than this (monotonic seconds): the command's
    beginning, or, for an operation on its own, that of the operation."""
    resolved: Callable[[str], None] = _silent
    """Told every secret value this operation resolved, so that no error text can carry it out."""

    def secret(self, name: str) -> str:
        """The value of a secret, looked up only now: provider input ``secrets``, environment, secrets folder.

        Raises ProviderError naming the secret and the three places when none holds it.
        """
        given = self.config.get("secrets")
        if isinstance(given, Mapping) and isinstance(given.get(name), str):
            value = str(given[name])
        else:
            try:
                value = self.reach.secret(name)
            except SecretNotFoundError as missing:
                raise ProviderError(str(missing)) from None
        self.resolved(value)
        return value

    def stop_here(self, what: str) -> None:
        """Raise ProviderError if the user asked to stop; call it only where the device is whole."""
        if self.cancel.is_set():
            raise ProviderError(f"stopped before {what}, as asked; nothing is left half done, run again to go on")


class Kind(Protocol):
    """One resource token. Subclass it: check, diff, preview, import and upgrade have defaults.

    Every method but the async ones is pure, quick and needs no device.
    """

    token: str
    """For example ``podwright:nxos:Switch``."""
    schema: int
    """The number that ``spec.schema`` holds in what this release writes."""

    def upgrade(self, inputs: Values) -> Values:
        """Inputs as an older release stored them, in today's shape."""
        return inputs

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Everything wrong with the shape of the inputs, all at once."""
        del inputs, ctx
        return []

    def devices(self, inputs: Values) -> Mapping[Path, str]:
        """Addresses and serial numbers by which a resource has its device to itself; none where it shares them."""
        del inputs
        return {}

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """What changed, leaf by leaf; `Difference.replacing` marks paths that need a new object."""
        del outputs
        return leaf_difference(old_inputs, new_inputs)

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The outputs as far as they are known beforehand; `outputs` are today's, None before a create."""
        del outputs
        return dict(inputs)

    def impacts(self, old_inputs: Values, new_inputs: Values) -> Sequence[Impact]:
        """Rows of the table of changes between two inputs: what a limit is compared with."""
        return impacts(self.token, old_inputs.get("spec"), new_inputs.get("spec") or {})

    def notices(self, old_inputs: Values, new_inputs: Values) -> Sequence[str]:
        """What an update disturbs beyond what its diff shows, one sentence each: warnings of the preview."""
        return tuple(
            f"{each.device}: {', '.join(each.properties)}: {each.row.reason}"
            + (f": {', '.join(each.nodes)}" if each.nodes and each.nodes != (each.device,) else "")
            for each in self.impacts(old_inputs, new_inputs)
            if each.change_class >= ChangeClass.DISRUPTIVE
        )

    def unfinished(self, outputs: Values) -> Sequence[str]:
        """What an earlier update left half done, one sentence each: warnings of every preview until it is done."""
        del outputs
        return ()

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Make it. A create that finds its own object again (after a kill) completes it."""
        ...

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """What is live now, or None when it is gone."""
        ...

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Make it as `inputs` say and return the outputs."""
        ...

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Take away what we own and nothing else; an object already gone is a success."""
        ...

    async def close(self) -> None:
        """Hang up sessions kept open between operations; called once, when the process ends in order."""
        del self

    async def import_(self, id: str, ctx: Context) -> Read:
        """Read an object nobody planned, by id alone."""
        del ctx
        raise ProviderError(f"{self.token} {id} cannot be imported by id alone; write it in the spec with adopt: true")
