"""Rails that other pods hold: a node hands a rail out once, so what a job uses cannot be measured beside it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from podwright.components.providers.acceptance.plan import Nic, Plan, Test

Occupied = Mapping[tuple[str, str], str]
"""Pod (`namespace/name`) by (node, resource)."""


def holders(plan: Plan, pods: Iterable[Any]) -> Occupied:
    """Who holds which of the plan's rails, of all pods of the cluster."""
    wanted = {(nic.node, nic.resource) for test in plan.tests for nic in _all(test)}
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


def free(test: Test, occupied: Occupied) -> tuple[Test | None, tuple[str, ...]]:
    """The test with NICs that are free, None where too few are; and who holds those that should have taken part.

    Spares take over, and NICs of one rail can stand in for each other, so another one receives where the receiver is
    held. Of a test that cannot run, the holders of all its NICs are told.
    """
    alike = [nic for nic in test.senders if nic.resource == test.receiver.resource]
    receivers = _free((test.receiver, *test.spare_receivers, *alike), occupied)
    senders = _free((*test.senders, *test.spare_senders, *([test.receiver] if alike else [])), occupied)
    pairs = [(receiver, _others(receiver, senders, len(test.senders))) for receiver in receivers]
    best = max(pairs, key=lambda pair: (len(pair[1]), len({*pair[1]} & {*test.senders})), default=None)
    if best is None or not best[1]:
        return None, _holders(_all(test), occupied)
    receiver, chosen = best
    gone = {nic.port for nic in (test.receiver, *test.senders)} - {nic.port for nic in (receiver, *chosen)}
    hops = [hop for hop in test.hops if hop not in gone]
    hops += [nic.port for nic in (*chosen, receiver) if nic.port[0] and nic.port not in hops]
    left = replace(test, receiver=receiver, senders=chosen, hops=tuple(hops))
    return left, _holders((test.receiver, *test.senders), occupied)


def _all(test: Test) -> list[Nic]:
    """Every NIC that could take part, each once."""
    return list(dict.fromkeys((test.receiver, *test.senders, *test.spare_senders, *test.spare_receivers)))


def _free(nics: Iterable[Nic], occupied: Occupied) -> list[Nic]:
    return [nic for nic in dict.fromkeys(nics) if (nic.node, nic.resource) not in occupied]


def _others(receiver: Nic, nics: Iterable[Nic], count: int) -> tuple[Nic, ...]:
    """At most `count` senders, each on a server of its own."""
    by_node: dict[str, Nic] = {}
    for nic in nics:
        if nic.node != receiver.node:
            by_node.setdefault(nic.node, nic)
    return tuple(by_node.values())[:count]


def _holders(nics: Iterable[Nic], occupied: Occupied) -> tuple[str, ...]:
    return tuple(
        f"{nic} (held by {occupied[place]})" for nic in nics if (place := (nic.node, nic.resource)) in occupied
    )
