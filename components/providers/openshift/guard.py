"""Waits until the guard against silent take-over is enforced, so that nothing is written before it is.

The API server takes up a new admission policy some moments after it was stored. Asking it, by dry run, for exactly
what the guard forbids tells when it has.
"""

from __future__ import annotations

from collections.abc import Mapping

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.kind import (
    CheckContext,
    Context,
    Created,
    Failure,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec

PROBE = "/api/v1/namespaces/default?dryRun=All"
"""An object every cluster holds and no stack of ours ever made."""
PATIENCE = 120.0
"""Seconds a stored policy may take to be enforced."""

REQUIRED: Mapping[str, type] = {"label": str, "mark": str}


class GuardKind(Kind):
    """``podwright:openshift:Guard``: ``{"schema": 1, "label", "mark"}`` as the policy has them."""

    token = "podwright:openshift:Guard"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, REQUIRED, {})

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Return once a dry run that the guard forbids is refused."""
        await _until_enforced(inputs, ctx)
        return Created("guard", inputs)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """Gone when the API server no longer refuses what the guard forbids; kept while it does not answer."""
        del id
        try:
            return Read(inputs, outputs) if await _enforced(inputs, ctx) else None
        except SilentError as silent:
            ctx.warn(f"the guard cannot be read ({silent}); its state is kept as it was")
            return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """The same wait, for the guard as it is now."""
        del id, old_inputs, outputs
        await _until_enforced(inputs, ctx)
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """The policy itself is another resource."""
        del id, inputs, outputs, ctx


async def _until_enforced(inputs: Values, ctx: Context) -> None:
    patience = step_patience(ctx, PATIENCE)
    while True:
        try:
            if await _enforced(inputs, ctx):
                return
        except SilentError as silent:
            ctx.log(f"the cluster's API does not answer ({silent})")
        except KubeError as refused:
            raise ProviderError(str(refused)) from None
        await patience.wait("the API server to enforce the guard against taking over foreign objects")


async def _enforced(inputs: Values, ctx: Context) -> bool:
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    try:
        await kube.merge(PROBE, {"metadata": {"labels": {spec["label"]: spec["mark"]}}})
    except KubeError as refusal:
        # An admission policy's `reason: Forbidden` is answered with 403, `Invalid` with 422.
        if refusal.status in {403, 422}:
            return True
        raise
    return False
