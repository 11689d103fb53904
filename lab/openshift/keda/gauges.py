"""What Prometheus of user projects has of vLLM's servers, and sums of it: as much of PromQL as one sum of gauges.

Nothing is read from pods: each ready pod of a vLLM image has its part of the requests that somebody has let wait for
its Service (fault `requests`). A series is there where a ServiceMonitor selects the Service, and none before monitoring
of user projects is switched on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from podwright.lab.openshift.api import Object

WAITING, RUNNING, CACHE = "vllm:num_requests_waiting", "vllm:num_requests_running", "vllm:kv_cache_usage_perc"
_SUM = re.compile(r"sum\((?P<inner>.+)\)")
_SELECTOR = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)\{(?P<labels>[^{}]*)\}")
_LABEL = re.compile(r'(\w+)="([^"]*)"')
VLLM = re.compile(r"(^|/)vllm[a-z0-9-]*([:@]|$)")


@dataclass(frozen=True)
class Load:
    """What clients ask of one service."""

    waiting: float = 0
    """Requests that wait at all of its servers."""
    kv_percent: float = 0
    """Share of each server's KV cache that is used."""


@dataclass(frozen=True)
class Series:
    """One gauge of one pod."""

    name: str
    labels: Mapping[str, str]
    value: float


class QueryError(ValueError):
    """What Prometheus would answer with status 400, and what only this stand-in cannot read."""


def switched_on(config: Object | None) -> bool:
    """Whether cluster-monitoring-config has user projects monitored."""
    text = ((config or {}).get("data") or {}).get("config.yaml") or ""
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError:
        return False
    return isinstance(read, dict) and read.get("enableUserWorkload") is True


def series(
    monitors: list[Object], services: list[Object], pods: list[Object], loads: Mapping[str, Load]
) -> Iterator[Series]:
    """Of one namespace, every gauge."""
    for service in services:
        labels, name = service["metadata"].get("labels") or {}, service["metadata"]["name"]
        if not any(_selects(monitor["spec"]["selector"].get("matchLabels") or {}, labels) for monitor in monitors):
            continue
        behind = [pod for pod in pods if _selects(service["spec"].get("selector") or {"": ""}, _labels(pod))]
        ready = [pod for pod in behind if is_ready(pod) and is_vllm(pod)]
        for pod in ready:
            load = load_of(loads, f"{service['metadata']['namespace']}/{name}", pod, len(ready))
            own = {"namespace": service["metadata"]["namespace"], "service": name, "pod": pod["metadata"]["name"]}
            yield Series(WAITING, own, load.waiting)
            yield Series(RUNNING, own, 1 if load.waiting else 0)
            yield Series(CACHE, own, load.kv_percent / 100)


def load_of(loads: Mapping[str, Load], service: str, pod: Object, ready: int) -> Load:
    """What clients ask of one pod: what it was given itself, or its part of what its service was."""
    meta = pod["metadata"]
    own = loads.get(f"pod {meta['namespace']}/{meta['name']}")
    whole = loads.get(service, Load())
    return own or Load(whole.waiting / ready, whole.kv_percent)


def answer(query: str, namespace: str, known: list[Series]) -> list[dict[str, Any]]:
    """The vector that an instant query gives: one sum, or none where no series is there. Raises QueryError.

    `a or b` has of b what a has no series of the same labels for. The proxy in front holds every selector to the
    namespace that was asked for.
    """
    found = _SUM.fullmatch(query.strip())
    if found is None:
        raise QueryError(f"the lab answers sum(...) of gauges alone, not {query}")
    summed: dict[tuple[tuple[str, str], ...], float] = {}
    for part in found["inner"].split(" or "):
        selector = _SELECTOR.fullmatch(part.strip())
        if selector is None:
            raise QueryError(f"the lab cannot read {part}")
        wanted = {**dict(_LABEL.findall(selector["labels"])), "namespace": namespace}
        for each in known:
            if each.name == selector["name"] and _selects(wanted, each.labels):
                summed.setdefault(tuple(sorted(each.labels.items())), each.value)
    return [{"metric": {}, "value": [0, f"{sum(summed.values()):g}"]}] if summed else []


def _selects(wanted: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in wanted.items())


def _labels(pod: Object) -> Mapping[str, str]:
    found: Mapping[str, str] = pod["metadata"].get("labels") or {}
    return found


def is_vllm(pod: Object) -> bool:
    """Whether one of its containers is vLLM."""
    return any(VLLM.search(each["image"]) for each in pod["spec"]["containers"])


def is_ready(pod: Object) -> bool:
    """Whether it is ready and stays."""
    rows = pod.get("status", {}).get("conditions") or []
    return "deletionTimestamp" not in pod["metadata"] and any(
        row["type"] == "Ready" and row["status"] == "True" for row in rows
    )
