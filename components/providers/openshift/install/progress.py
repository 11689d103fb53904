"""How far an installation has come, in one sentence at a steady pace, so that an hour of waiting is never silent."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.conditions import conditions, is_true
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.waiting import NODES, VERSION, is_ready
from podwright.components.providers.protocol.kind import Context

OPERATORS = "/apis/config.openshift.io/v1/clusteroperators"
SECONDS = 30.0
"""Time between two sentences."""
ASK_SECONDS = 20.0
"""How long the cluster may take to answer; below a minute with the pause, whatever hangs."""
NAMED = 3
"""Operators and nodes that a sentence names; the others are counted."""


Look = Callable[[], Awaitable[str]]


@contextlib.asynccontextmanager
async def reported(ctx: Context, look: Look) -> AsyncIterator[None]:
    """Report what `look` finds, at a steady pace, until the block ends."""
    task = asyncio.create_task(_report(ctx, look))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _report(ctx: Context, look: Look) -> None:
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        await asyncio.sleep(SECONDS)
        try:
            async with asyncio.timeout(ASK_SECONDS):
                found = await look()
        except (KubeError, SilentError, TimeoutError):
            found = "the cluster's API does not answer yet: hosts boot, gather and write their disks"
        ctx.log(f"after {_span(clock() - began)}: {found}")


def boots(names: Sequence[str], booted: Callable[[], Collection[str]]) -> Look:
    """Which hosts have booted the installation image, by what is remembered of it."""

    async def look() -> str:
        there = booted()
        return _count(len(there), len(names), "hosts booted the image", [each for each in names if each not in there])

    return look


def cluster(kube: Kube, names: Sequence[str]) -> Look:
    """What is there and what is still missing of a cluster of these hosts."""

    async def look() -> str:
        nodes = (await kube.get(NODES)).get("items") or []
        version = await kube.find(VERSION) or {}
        operators = (await kube.find(OPERATORS) or {}).get("items") or []
        return sentence(version, operators, nodes, names)

    return look


def sentence(
    version: Mapping[str, Any],
    operators: Sequence[Mapping[str, Any]],
    nodes: Sequence[Mapping[str, Any]],
    names: Sequence[str],
) -> str:
    """Release, operators that have settled, nodes that are ready; of each that is missing, the first by name."""
    parts = []
    note = conditions(version).get("Progressing", {}).get("message")
    if note:
        parts.append(str(note))
    if operators:
        open_ = {str(each["metadata"]["name"]): why for each in operators if (why := _unsettled(each))}
        listed = [f"{name} ({why})" for name, why in sorted(open_.items())]
        parts.append(_count(len(operators) - len(open_), len(operators), "operators settled", listed))
    ready = {str(node["metadata"]["name"]) for node in nodes if is_ready(node)}
    there = {str(node["metadata"]["name"]) for node in nodes}
    missing = [f"{name} ({'not ready' if name in there else 'not joined'})" for name in names if name not in ready]
    parts.append(_count(len(names) - len(missing), len(names), "nodes ready", missing))
    return "; ".join(parts)


def _unsettled(operator: Mapping[str, Any]) -> str:
    """Why an operator is not done, in a word or its own reason; empty when it is."""
    rows = conditions(operator)
    for kind, bad, word in (
        ("Degraded", "True", "degraded"),
        ("Available", "False", "not available"),
        ("Progressing", "True", "progressing"),
    ):
        condition = rows.get(kind, {})
        if condition.get("status") == bad:
            return f"{word}: {condition['reason']}" if condition.get("reason") else word
    return "" if is_true(operator, "Available") else "not available"


def _count(done: int, whole: int, what: str, missing: Sequence[str]) -> str:
    rest = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    return f"{done} of {whole} {what}" + (f", not {', '.join(missing[:NAMED])}{rest}" if missing else "")


def _span(seconds: float) -> str:
    minutes = int(seconds // 60)
    return f"{minutes} min" if minutes else f"{int(seconds)} s"
