"""Run the tests: as many at once as share no NIC, counters read before and after each wave."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from podwright.components.providers.acceptance import counters, occupancy, pods
from podwright.components.providers.acceptance.plan import Nic, Plan, Port, Test
from podwright.components.providers.acceptance.verdict import Measured, Verdict, judge, unmeasured
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach

_PATIENCE = 180.0
"""Seconds on top of a test's own duration until its pods must have ended."""
_POLL = 0.5
Say = Callable[[str], None]


async def run(plan: Plan, kubeconfig: str, reach: Reach, say: Say) -> list[Verdict]:
    """A verdict per test, in the plan's order. Raises ProviderError where a switch or the API does not answer."""
    kube = Kube(rehomed(kubeconfig, reach))
    cluster = _Cluster(kube, plan)
    try:
        await cluster.clear()
        taken = occupancy.holders(plan, await kube.items("/api/v1/pods"))
        left = {test.name: occupancy.free(test, taken) for test in plan.tests}
        verdicts = {test.name: unmeasured(test, left[test.name][1]) for test in plan.tests}
        for number, wave in enumerate(waves([test for test, _ in left.values() if test]), 1):
            say(f"wave {number}: {', '.join(test.name for test in wave)}")
            hops = {hop for test in wave for hop in test.hops}
            before = await counters.read(plan, hops, reach)
            measured = await asyncio.gather(*(cluster.measure(test) for test in wave))
            after = await counters.read(plan, hops, reach)
            for test, result in zip(wave, measured, strict=True):
                grown = {hop: after[hop].since(before[hop]) for hop in test.hops}
                verdicts[test.name] = judge(
                    test, Measured(*result, ports=grown), left[test.name][1], plan.notifications
                )
            await cluster.clear()
    except (KubeError, SilentError) as refused:
        raise ProviderError(f"the cluster's API: {refused}") from None
    return [verdicts[test.name] for test in plan.tests]


def waves(tests: Sequence[Test]) -> Iterator[tuple[Test, ...]]:
    """Tests in order, grouped so that no two of a group use one NIC or cross one switch port."""
    left = list(tests)
    while left:
        used: set[Nic | Port] = set()
        wave = []
        for test in left:
            touched: set[Nic | Port] = {test.receiver, *test.senders, *test.hops}
            if not used & touched:
                wave.append(test)
                used |= touched
        left = [test for test in left if test not in wave]
        yield tuple(wave)


class _Cluster:
    """Pods of the acceptance namespace."""

    def __init__(self, kube: Kube, plan: Plan) -> None:
        self._kube = kube
        self._plan = plan
        self._path = f"/api/v1/namespaces/{plan.namespace}/pods"

    async def clear(self) -> None:
        """Delete the pods of a run, this one's or an interrupted one's, and wait until they are gone."""
        chosen = f"{self._path}?labelSelector={pods.RUN_LABEL}"
        await self._kube.request("DELETE", f"{chosen}&gracePeriodSeconds=0")
        deadline = time.monotonic() + _PATIENCE
        while (await self._kube.get(chosen))["items"]:
            if time.monotonic() > deadline:
                raise ProviderError(f"pods of an earlier run do not go away in {self._plan.namespace}")
            await asyncio.sleep(_POLL)

    async def measure(self, test: Test) -> tuple[dict[str, float], list[str], int | None]:
        """Bandwidth by sender, what went wrong in words, and packets out of sequence."""
        await self._create(pods.receiver(self._plan, test))
        ready = await self._until(pods.receiver_name(test), lambda pod: _running(pod) and pods.rail_address(pod))
        address = pods.rail_address(ready)
        if address is None or not _running(ready):
            return {}, [f"{test.receiver}: the receiver does not start: {_why(ready)}"], None
        for index in range(len(test.senders)):
            await self._create(pods.sender(self._plan, test, index, address))
        rates: dict[str, float] = {}
        errors: list[str] = []
        for index, nic in enumerate(test.senders):
            ended = await self._until(pods.sender_name(test, index), _ended)
            try:
                rates[str(nic)] = pods.bandwidth(pods.message(ended))
            except ValueError as unread:
                errors.append(f"{nic}: {unread if _ended(ended) else _why(ended)}")
        received = await self._until(pods.receiver_name(test), _ended)
        return rates, errors, pods.out_of_sequence(pods.message(received))

    async def _create(self, manifest: dict[str, Any]) -> None:
        await self._kube.request("POST", self._path, manifest)

    async def _until(self, name: str, done: Callable[[Any], Any]) -> Any:
        """The pod once `done` or ended, or as it is when patience ends; an empty one if it was taken away."""
        deadline = time.monotonic() + self._plan.seconds + _PATIENCE
        while True:
            pod = await self._kube.find(f"{self._path}/{name}")
            if pod is None:
                return {"metadata": {"name": name}, "status": {"phase": "Failed", "reason": "Evicted"}}
            if done(pod) or _ended(pod) or time.monotonic() > deadline:
                return pod
            await asyncio.sleep(_POLL)


def _running(pod: Any) -> bool:
    return bool((pod.get("status") or {}).get("phase") == "Running")


def _ended(pod: Any) -> bool:
    return (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}


def _why(pod: Any) -> str:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("status") != "True" and condition.get("message"):
            return str(condition["message"])
    status = pod.get("status") or {}
    return (
        pods.message(pod) or status.get("reason") or f"it is still {(pod.get('status') or {}).get('phase', 'Pending')}"
    )
