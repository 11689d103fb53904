"""Rails that other pods hold: a node hands a rail out once, so what a job uses cannot be measured beside it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from components.providers.acceptance.plan import Nic, Plan, Test

Held = Mapping[tuple[str, str], str]
"""Pod (`namespace/name`) by (node, resource)."""


def holders(plan: Plan, pods: Iterable[Any]) -> Held:
    """Who holds which of the plan's rails, of all pods of the cluster."""
    wanted = {(nic.node, nic.resource) for test in plan.tests for nic in (test.receiver, *test.senders)}
    found: dict[tuple[str, str], str] = {}
    for pod in pods:
        meta, spec = pod["metadata"], pod["spec"]
        ended = (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}
        if ended or meta["namespace"] == plan.namespace:
            continue
        for container in spec.get("containers") or ():
            for resource in (container.get("resources") or {}).get("requests") or ():
                if (place := (spec.get("nodeName") or "", resource)) in wanted:
                    found[place] = f"{meta['namespace']}/{meta['name']}"
    return found


def free(test: Test, held: Held) -> tuple[Test | None, tuple[str, ...]]:
    """The test with the NICs that are free, None where too few are; and who holds the others.

    NICs of one rail can stand in for each other, so another one receives where the receiver is held.
    """
    told = tuple(
        f"{nic} (held by {held[place]})"
        for nic in (test.receiver, *test.senders)
        if (place := (nic.node, nic.resource)) in held
    )
    senders = [nic for nic in test.senders if (nic.node, nic.resource) not in held]
    receiver: Nic | None = test.receiver
    if (test.receiver.node, test.receiver.resource) in held:
        alike = [nic for nic in senders if nic.resource == test.receiver.resource]
        receiver = alike[0] if alike else None
        senders = [nic for nic in senders if nic != receiver]
    if receiver is None or not senders:
        return None, told
    return replace(test, receiver=receiver, senders=tuple(senders)), told
