"""Watches a service's second version while it has more requests than before, and takes them back where it fails.

The Route has its new weights when this begins (they are the Route's own, in plan and state). What comes back are the
ones of the last watch that ended well, so a failed `up` leaves users with what they had.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from podwright.components.providers.openshift import shares
from podwright.components.providers.openshift.conditions import is_true
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.querier import Counted, Querier, UnreadError
from podwright.components.providers.openshift.shares import weights
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

REQUIRED: Mapping[str, type] = {
    "namespace": str, "route": str, "service": str, "second": str, "version": str, "percent": int, "account": str,
    "watch": dict,
}  # fmt: skip
QUERY_SECONDS: Final = 30.0
"""Red Hat asks for no more than one query in so many seconds, and Prometheus reads the router as often."""
LOOK_SECONDS: Final = 5.0
SILENT_SECONDS: Final = 60.0
_KEPT: Final = "seen"


@dataclass
class _Pods:
    """What the second version's pods have done since the watch began."""

    restarts: int = 0
    unready_since: float | None = None
    known: dict[str, int] | None = None
    silent_since: float | None = None
    """Since when the API server has not answered."""


class CanaryWatchKind(Kind):
    """``podwright:openshift:CanaryWatch``: ``{"schema": 1, "namespace", "route", "service", "second", "version",
    "percent", "account", "watch"}``."""

    token = "podwright:openshift:CanaryWatch"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, REQUIRED, {})

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Watch a first share; what comes back is a Route to the first version alone."""
        return Created("watched", {**inputs, _KEPT: await _given(inputs, 0, ctx)})

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """As it was: what the Route has shows at the Route."""
        del id, ctx
        return Read(inputs, outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Watch a larger share, and a version that was not watched before; of the latter nothing is left behind."""
        del id
        old, new = old_inputs["spec"], inputs["spec"]
        same = old.get("version") == new["version"]
        back = int(old.get("percent", 0)) if same else 0
        if same and new["percent"] <= back:
            return {**inputs, _KEPT: outputs.get(_KEPT) or ""}
        return {**inputs, _KEPT: await _given(inputs, back, ctx)}

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Nothing of its own was written."""
        del id, inputs, outputs, ctx


async def _given(inputs: Values, back: int, ctx: Context) -> str:
    """Watch the share; the numbers in words. Raises ProviderError with them, the Route as it was."""
    spec = inputs["spec"]
    kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
    wanted = weights(int(spec["percent"]))
    if not spec["percent"]:
        return "no request is given to it"
    try:
        # After a return it is still the old share, and nothing in the plan of the Route says so.
        if await shares.read(kube, spec) != wanted:
            await shares.write(kube, spec, wanted)
        good, words = await _Watch(kube, spec, ctx).over()
    except (KubeError, SilentError) as problem:
        good, words = False, f"the cluster does not answer: {problem}"
    if good:
        return words
    raise ProviderError(
        f"second version {spec['second']} of {spec['namespace']}: {words}; {await _back(kube, spec, back)}"
    )


async def _back(kube: Kube, spec: Mapping[str, Any], percent: int) -> str:
    """Give the former share back; what the Route has now, in words."""
    try:
        await shares.write(kube, spec, weights(percent))
    except (KubeError, SilentError, ProviderError) as problem:
        return (
            f"and its Route could not be given the former share of {percent} of 100 requests back: {problem}. Write "
            f"percent: {percent}, or take `canary` out, and run `up` again"
        )
    share = f"{percent} of 100 requests go to it" if percent else "the first version gets every request"
    return f"its Route has the former share again ({share}). Mend the version, or take `canary` out"


class _Watch:
    """One watch of one version."""

    def __init__(self, kube: Kube, spec: Mapping[str, Any], ctx: Context) -> None:
        self._kube, self._spec, self._ctx = kube, spec, ctx
        self._limits: Mapping[str, Any] = spec["watch"]
        self._querier = Querier(kube, str(spec["account"]), ctx)
        self._counted = Counted()
        self._first = False
        """Whether there is no former share."""
        self._pods = _Pods()
        self._unread = ""
        self._clock = asyncio.get_running_loop().time

    async def over(self) -> tuple[bool, str]:
        """Whether the version may keep its share, and the numbers. Ends early where it may not."""
        self._first = await shares.since_the_route_is(self._kube, self._spec)
        begun, asked = self._clock(), float("-inf")
        until = begun + float(self._limits["seconds"])
        while True:
            now = self._clock()
            last = now >= until
            if last or now - asked >= min(QUERY_SECONDS, float(self._limits["seconds"]) / 4):
                asked = now
                await self._query()
            wrong = await self._wrong()
            if wrong:
                return False, wrong
            if last:
                return self._end()
            self._ctx.log(f"watching {self._spec['second']} for {until - now:.0f} s more: {self._numbers()}")
            try:
                await asyncio.wait_for(self._ctx.cancel.wait(), min(LOOK_SECONDS, max(until - now, 0.1)))
            except TimeoutError:
                continue
            return False, f"stopped while it was watched, as asked ({self._numbers()})"

    async def _query(self) -> None:
        spec = self._spec
        try:
            self._counted.add(await self._querier.servers(spec["namespace"], spec["route"], spec["second"]))
            self._unread = ""
        except UnreadError as problem:
            self._unread = str(problem)

    async def _wrong(self) -> str:
        """What is beyond a limit now."""
        limits = self._limits
        try:
            if await shares.read(self._kube, self._spec) != weights(int(self._spec["percent"])):
                return "somebody else has changed the weights of its Route while it was watched"
            await self._look()
            self._pods.silent_since = None
        except SilentError as problem:
            # An API server that is away for a moment says nothing of the version.
            self._pods.silent_since = self._pods.silent_since or self._clock()
            if self._clock() - self._pods.silent_since >= SILENT_SECONDS:
                return f"the cluster does not answer: {problem}"
        if self._pods.restarts > limits["restarts"]:
            return f"its containers were restarted {_times(self._pods.restarts)}, and {limits['restarts']} is its limit"
        since = self._pods.unready_since
        if since is not None and self._clock() - since >= limits["unready_seconds"]:
            return f"a replica of it has not been ready for {self._clock() - since:.0f} seconds"
        if self._counted.requests >= limits["requests"] and self._percent() > limits["errors_percent"]:
            return f"{self._numbers()}, and its limit is {limits['errors_percent']:g} %"
        return ""

    async def _look(self) -> None:
        """Restarts and readiness of its pods. One that is gone keeps its restarts counted; a new one begins at 0."""
        space = f"/api/v1/namespaces/{self._spec['namespace']}/pods"
        label = f"app.kubernetes.io%2Fname%3D{self._spec['second']}"
        pods = await self._kube.items(f"{space}?labelSelector={label}")
        there = [each for each in pods if "deletionTimestamp" not in each["metadata"]]
        now = {each["metadata"]["uid"]: _restarts(each) for each in there}
        known = self._pods.known
        if known is not None:
            self._pods.restarts += sum(max(0, count - known.get(uid, 0)) for uid, count in now.items())
        self._pods.known = now
        if there and all(is_true(each, "Ready") for each in there):
            self._pods.unready_since = None
        elif self._pods.unready_since is None:
            self._pods.unready_since = self._clock()

    def _percent(self) -> float:
        return 100 * self._counted.failed / self._counted.requests if self._counted.requests else 0.0

    def _numbers(self) -> str:
        counted = self._counted
        if not counted.requests:
            return self._unread or "no request has come to it"
        return f"{counted.failed} of {counted.requests} requests failed ({self._percent():.1f} %)"

    def _end(self) -> tuple[bool, str]:
        """The verdict of a watch in which nothing was beyond a limit."""
        least = int(self._limits["requests"])
        if self._counted.requests >= least and not self._unread:
            return True, self._numbers()
        words = f"how well it answers is not known after {self._limits['seconds']:g} seconds: {self._numbers()}"
        words += (
            f", and {least} are needed" if not self._unread else f"; {self._unread}" if self._counted.requests else ""
        )
        if self._limits["unknown"] != "stay" and not self._first:
            return False, words
        why = "it has had it since there is its Route" if self._first else "as `unknown: stay` has it"
        self._ctx.warn(f"{self._spec['second']}: {words}; it keeps its share, {why}")
        return True, words


def _restarts(pod: Mapping[str, Any]) -> int:
    rows = (pod.get("status") or {}).get("containerStatuses") or ()
    return sum(int(row.get("restartCount") or 0) for row in rows)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
